#include "op/gradient.h"

#include <cstdio>

namespace mxnet {

Entry GradientBuilder::out_grad(size_t i) const {
  if (has_out_grad(i)) return out_grads_[i];
  return op("zeros_like", {output(i)});
}

NodePtr GradientBuilder::node(const char* op_name, std::vector<Entry> inputs, AttrDict dict) const {
  NodePtr made = make_node(get_op(op_name), node_->name + "_backward", std::move(dict), std::move(inputs));
  made->control_deps.push_back(node_);
  return made;
}

Entry GradientBuilder::op(const char* op_name, std::vector<Entry> inputs, AttrDict dict) const {
  return Entry{node(op_name, std::move(inputs), std::move(dict)), 0, 0};
}

AttrDict GradientBuilder::parameters() const {
  AttrDict kept;
  for (const auto& [key, value] : node_->attrs.dict) {
    if (!key.starts_with("__")) kept.emplace(key, value);
  }
  return kept;
}

std::vector<Entry> GradientBuilder::spread(const NodePtr& n) const {
  std::vector<Entry> grads(node_->inputs.size());
  const uint32_t count = n->num_outputs();
  for (uint32_t i = 0; i < count && i < grads.size(); ++i) grads[i] = Entry{n, i, 0};
  return grads;
}

std::string exact_text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

Entry GradientBuilder::scale(Entry a, double factor) const {
  return op("_mul_scalar", {std::move(a)}, {{"scalar", exact_text(factor)}});
}

GradientFn backward_op(const char* op_name, std::vector<int> out_grads, std::vector<int> inputs,
                       std::vector<int> outputs) {
  return [=](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    std::vector<Entry> args;
    for (int i : out_grads) args.push_back(g.out_grad(i));
    for (int i : inputs) {
      if (static_cast<size_t>(i) < node->inputs.size()) args.push_back(g.input(i));
    }
    for (int i : outputs) args.push_back(g.output(i));
    return g.spread(g.node(op_name, std::move(args), g.parameters()));
  };
}

}  // namespace mxnet
