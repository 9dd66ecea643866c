// A node of a graph: an operator applied to entries, or a variable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "op/params.h"

namespace mxnet {

class OpDef;
class Symbol;
struct Node;
using NodePtr = std::shared_ptr<Node>;

// One output of a node.
struct Entry {
  NodePtr node;
  uint32_t index = 0;
  uint32_t version = 0;  // how often the variable had been written when it was read; kept for files

  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Entry& other) const { return node == other.node && index == other.index; }
};

// The attribute strings of a node and, for operators, the parameters parsed from them.
struct Attrs {
  AttrDict dict;
  std::shared_ptr<const void> params;  // of the operator's params struct; null where it has none

  template <class P> const P& get() const { return *static_cast<const P*>(params.get()); }
};

struct Node {
  const OpDef* op = nullptr;  // null: a variable
  std::string name;
  Attrs attrs;
  std::vector<Entry> inputs;
  std::vector<NodePtr> control_deps;
  std::vector<std::shared_ptr<Symbol>> subgraphs;
  uint32_t version = 0;  // of a variable: how many composed operators write it

  Node() = default;
  Node(const Node&) = default;
  ~Node();  // frees long chains without recursion

  bool is_variable() const { return op == nullptr; }
  uint32_t num_outputs() const;
};

NodePtr make_variable(std::string name);
// A node of operator `op` with parsed parameters; inputs may be empty and filled later.
NodePtr make_node(const OpDef& op, std::string name, AttrDict dict, std::vector<Entry> inputs);

}  // namespace mxnet
