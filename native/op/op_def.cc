#include "op/op_def.h"

#include "op/registry.h"

namespace mxnet {

OpDef& OpDef::inputs(std::vector<std::string> names) {
  input_names_ = [names = std::move(names)](const Attrs&) { return names; };
  return *this;
}

OpDef& OpDef::variadic(std::string list_name, std::string count_param, CountFn count) {
  list_name_ = list_name;
  count_param_ = std::move(count_param);
  num_inputs_ = std::move(count);
  input_names_ = [this](const Attrs& attrs) {
    std::vector<std::string> names;
    const int n = num_inputs_(attrs);
    for (int i = 0; i < n; ++i) names.push_back("arg" + std::to_string(i));
    return names;
  };
  return *this;
}

OpDef& OpDef::mutates(std::vector<int> inputs) {
  mutable_inputs_ = [inputs = std::move(inputs)](const Attrs&) { return inputs; };
  return *this;
}

OpDef& OpDef::auto_input_attr(std::string name, std::string key, std::string value) {
  auto_input_attrs_[std::move(name)][std::move(key)] = std::move(value);
  return *this;
}

OpDef& OpDef::output_names(std::vector<std::string> names) {
  output_names_ = [names = std::move(names)](const Attrs&) { return names; };
  return *this;
}

OpDef& OpDef::zero_gradient() {
  return gradient([](const NodePtr& node, const std::vector<Entry>&) { return std::vector<Entry>(node->inputs.size()); });
}

std::vector<std::pair<std::string, std::string>> OpDef::documented_inputs() const {
  if (!documented_inputs_.empty()) return documented_inputs_;
  if (is_variadic()) return {{list_name_, "NDArray-or-Symbol[]"}};
  // Names do not depend on required parameters being there: ask with the defaults.
  Attrs defaults;
  if (schema_.create_) defaults.params = schema_.create_();
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& name : input_names_(defaults)) list.emplace_back(name, "NDArray-or-Symbol");
  return list;
}

std::vector<std::string> OpDef::output_names(const Attrs& attrs) const {
  if (output_names_) return output_names_(attrs);
  const int count = num_outputs(attrs);
  if (count == 1) return {"output"};
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("output" + std::to_string(i));
  return names;
}

Kernel OpDef::make_kernel(const KernelContext& context) const {
  if (!kernel_) fail_as(ErrorKind::kNotImplementedError, "Operator ", name_, " has no kernel for the CPU");
  return kernel_(context);
}

Attrs OpDef::parse(AttrDict dict, std::string_view node_name) const {
  Attrs attrs;
  attrs.params = schema_.parse(dict, name_, node_name);
  attrs.dict = std::move(dict);
  // A number in a file must not decide how much memory is taken for names and nodes.
  constexpr int kMaxArrays = 1 << 16;
  const auto check_count = [&](int count, const char* what) {
    require(count >= 0 && count <= kMaxArrays, "operator ", name_, " would have ", count, " ", what, ", at most ",
            kMaxArrays, " are possible");
  };
  check_count(num_outputs_(attrs), "outputs");
  if (is_variadic()) check_count(num_inputs_(attrs), "inputs");
  return attrs;
}

Node::~Node() {
  // A chain of a million nodes must not recurse a million times: take over the inputs of nodes about to die.
  std::vector<NodePtr> doomed;
  const auto adopt = [&doomed](Node& node) {
    for (Entry& entry : node.inputs) {
      if (entry.node && entry.node.use_count() == 1) doomed.push_back(std::move(entry.node));
      entry.node.reset();
    }
    for (NodePtr& dep : node.control_deps) {
      if (dep && dep.use_count() == 1) doomed.push_back(std::move(dep));
      dep.reset();
    }
  };
  adopt(*this);
  while (!doomed.empty()) {
    const NodePtr node = std::move(doomed.back());
    doomed.pop_back();
    if (node.use_count() == 1) adopt(*node);
  }
}

uint32_t Node::num_outputs() const { return op ? static_cast<uint32_t>(op->num_outputs(attrs)) : 1; }

NodePtr make_variable(std::string name) {
  auto node = std::make_shared<Node>();
  node->name = std::move(name);
  return node;
}

NodePtr make_node(const OpDef& op, std::string name, AttrDict dict, std::vector<Entry> inputs) {
  auto node = std::make_shared<Node>();
  node->op = &op;
  node->attrs = op.parse(std::move(dict), name);
  node->name = std::move(name);
  node->inputs = std::move(inputs);
  return node;
}

}  // namespace mxnet
