#include "graph/legacy_upgrade.h"

#include <algorithm>

#include "graph/hidden_keys.h"
#include "graph/symbol.h"
#include "op/op_def.h"

namespace mxnet {

void upgrade_hidden_keys(Node& node, int version) {
  if (version >= kFileVersion) return;
  AttrDict kept;
  for (auto& [key, value] : node.attrs.dict) {
    if (is_hidden_key(key)) {
      kept["__" + key + "__"] = value;
      continue;
    }
    bool moved = false;
    for (std::string_view hidden : kHiddenKeys) {
      if (!node.op || key.size() <= hidden.size() + 1 || !key.ends_with(hidden)) continue;
      const std::string input = key.substr(0, key.size() - hidden.size() - 1);
      const std::vector<std::string> names = node.op->input_names(node.attrs);
      const auto at = std::find(names.begin(), names.end(), input);
      const size_t i = static_cast<size_t>(at - names.begin());
      if (at == names.end() || i >= node.inputs.size() || !node.inputs[i].node->is_variable()) continue;
      node.inputs[i].node->attrs.dict[text("__", hidden, "__")] = value;
      moved = true;
    }
    if (!moved) kept[key] = value;
  }
  node.attrs.dict = std::move(kept);
}

void upgrade_missing_inputs(Node& node, int version) {
  if (version >= 900 || node.op->is_variadic()) return;
  const std::vector<std::string> names = node.op->input_names(node.attrs);
  for (size_t i = node.inputs.size(); i < names.size(); ++i) {
    NodePtr variable = make_variable(node.name + "_" + names[i]);
    variable->attrs.dict = node.attrs.dict;
    node.inputs.push_back(Entry{std::move(variable), 0, 0});
  }
}

void upgrade_input_attributes(Node& node, int version) {
  if (version >= 904) return;
  const std::vector<std::string> names = node.op->input_names(node.attrs);
  for (size_t i = 0; i < names.size() && i < node.inputs.size(); ++i) {
    const auto extra = node.op->auto_input_attrs().find(names[i]);
    if (extra == node.op->auto_input_attrs().end() || !node.inputs[i].node->is_variable()) continue;
    for (const auto& [key, value] : extra->second) node.inputs[i].node->attrs.dict[key] = value;
  }
}

void upgrade_argmax_axis(Node& node, int version) {
  if (version >= 905 || (node.op->name() != "argmax" && node.op->name() != "argmin")) return;
  const auto it = node.attrs.dict.find("axis");
  if (it != node.attrs.dict.end() && it->second == "-1") node.attrs.dict.erase(it);
}

}  // namespace mxnet
