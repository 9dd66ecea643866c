// A graph with dense numbers: nodes in execution order and one number per output ("entry").
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "op/op_def.h"

namespace mxnet {

struct IndexedNode {
  NodePtr node;
  std::vector<uint32_t> inputs;  // entry numbers
  uint32_t first_output = 0;     // its outputs are entries [first_output, first_output + num_outputs)
  uint32_t num_outputs = 1;
};

struct IndexedGraph {
  explicit IndexedGraph(const std::vector<Entry>& heads);

  uint32_t entry_id(const Entry& entry) const;
  // Node that makes an entry.
  const IndexedNode& producer(uint32_t entry) const { return nodes[entry_node[entry]]; }

  std::vector<IndexedNode> nodes;
  std::vector<uint32_t> entry_node;  // entry -> position of its node
  std::vector<uint32_t> heads;       // entry numbers
  std::unordered_map<const Node*, uint32_t> position;
};

// Shapes and types of all entries, refined in place from what is known until nothing changes. Variables contribute
// their __shape__ and __dtype__ attributes. Clashes are errors that begin "Error in operator <node>: ".
void infer_shapes(const IndexedGraph& graph, ShapeVec& shapes);
void infer_types(const IndexedGraph& graph, DTypeVec& types);

// The __shape__ / __dtype__ hint of a variable; unknown when it has none. Errors name the variable and the text.
Shape shape_hint(const Node& variable);
DType type_hint(const Node& variable);

}  // namespace mxnet
