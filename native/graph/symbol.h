// A symbol: outputs of nodes, and everything that can be asked of or done to the graph behind them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "op/op_def.h"

namespace mxnet {

enum class InputKind { kAll = 0, kReadOnly = 1, kAuxiliary = 2 };

class Symbol {
 public:
  Symbol() = default;
  explicit Symbol(std::vector<Entry> entries) : outputs(std::move(entries)) {}

  std::vector<Entry> outputs;

  // ---- making ------------------------------------------------------------------------------------------------------
  static Symbol variable(std::string name);
  // An operator without inputs yet. Hidden attributes (ctx_group, lr_mult, ...) are stored as __key__.
  static Symbol atomic(const OpDef& op, AttrDict dict);
  static Symbol group(const std::vector<const Symbol*>& symbols);
  // A copy of the graph: no node is shared with the original.
  Symbol copy() const;

  // For an operator without inputs: gives it its name and inputs (in order, then by name); missing ones become
  // variables `<name>_<input>`. For a composed graph: replaces variables by the given symbols, in place.
  void compose(std::string name, const std::vector<const Symbol*>& positional,
               const std::vector<std::pair<std::string, const Symbol*>>& named);

  // ---- asking ------------------------------------------------------------------------------------------------------
  bool is_atomic() const;  // an operator that was not composed yet
  // The node's name when all outputs belong to one node.
  std::optional<std::string> name() const;
  std::vector<std::string> list_outputs() const;
  std::vector<std::string> list_inputs(InputKind kind) const;
  std::vector<NodePtr> input_variables(InputKind kind) const;
  Symbol output(uint32_t index) const;
  Symbol internals() const;
  std::optional<Symbol> children() const;  // nothing for a variable
  std::string debug_text() const;

  // ---- attributes of the head node ---------------------------------------------------------------------------------
  // Also answers the pseudo-keys name, op_name and _value_index.
  std::optional<std::string> attribute(std::string_view key) const;
  // Re-parses the operator's parameters; on failure the attribute stays in the dictionary, as in 1.9.1.
  void set_attribute(const std::string& key, const std::string& value);
  // (node name, key, value) of every node, hidden keys also under their bare names.
  struct AttributeRow { std::string node, key, value; };
  std::vector<AttributeRow> list_attributes_deep() const;
  std::vector<std::pair<std::string, std::string>> list_attributes() const;
};

// Calls fn(node) once per node, inputs before their users, in depth-first order from the outputs.
void visit_post_order(const std::vector<Entry>& heads, const std::function<void(const NodePtr&)>& fn);

// "<node>_<suffix>" or, for a variable, its name.
std::string output_name(const Entry& entry);

// `ctx_group` etc. -> `__ctx_group__`; nothing for other keys. A suffixed key such as weight_lr_mult is an error.
bool is_hidden_key(std::string_view key);
AttrDict normalize_hidden_keys(AttrDict dict);

}  // namespace mxnet
