// Writing gradients as graph nodes.
#pragma once

#include <string>
#include <vector>

#include "op/registry.h"

namespace mxnet {

// Builds the gradient nodes of one forward node. New nodes are called <node>_backward and depend on the forward node.
class GradientBuilder {
 public:
  GradientBuilder(const NodePtr& node, const std::vector<Entry>& out_grads) : node_(node), out_grads_(out_grads) {}

  const Entry& input(size_t i) const { return node_->inputs[i]; }
  Entry output(size_t i) const { return Entry{node_, static_cast<uint32_t>(i), 0}; }
  size_t num_inputs() const { return node_->inputs.size(); }
  bool has_out_grad(size_t i = 0) const { return i < out_grads_.size() && out_grads_[i]; }
  // The gradient of output i; zeros of its shape when nothing depends on it.
  Entry out_grad(size_t i = 0) const;
  const AttrDict& dict() const { return node_->attrs.dict; }
  template <class P> const P& params() const { return node_->attrs.get<P>(); }

  // Output 0 of a new node of operator `op_name`.
  Entry op(const char* op_name, std::vector<Entry> inputs, AttrDict dict = {}) const;
  // The whole new node, for operators with several outputs.
  NodePtr node(const char* op_name, std::vector<Entry> inputs, AttrDict dict = {}) const;
  // The parameters of the forward node without hidden attributes, for `_backward_X` operators with the same schema.
  AttrDict parameters() const;
  // Entries {n, 0}, {n, 1}, ... of a node, one per input of the forward node from `n`'s outputs; the rest is zero.
  std::vector<Entry> spread(const NodePtr& n) const;

  // Shorthands.
  Entry mul(Entry a, Entry b) const { return op("elemwise_mul", {std::move(a), std::move(b)}); }
  Entry scale(Entry a, double factor) const;

 private:
  const NodePtr& node_;
  const std::vector<Entry>& out_grads_;
};

// A number written so that it reads back exactly.
std::string exact_text(double value);

// Gradient through one dedicated operator: `_backward_X`, given the gradients of the listed outputs, then the listed
// inputs, then the listed outputs of the forward node; its outputs are the gradients of inputs 0, 1, ....
GradientFn backward_op(const char* op_name, std::vector<int> out_grads, std::vector<int> inputs,
                       std::vector<int> outputs);

}  // namespace mxnet
