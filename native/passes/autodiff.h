// Reverse-mode differentiation of a graph, as more graph.
#pragma once

#include <vector>

#include "op/op_def.h"

namespace mxnet {

// Gradients of sum_i <outputs[i], head_grads[i]> with respect to the variables `wrt`. A head gradient may be empty
// (zero). The result has one entry per variable; an empty one is zero. Only nodes on a path from an output to one of the
// variables are differentiated; error naming the operator where one of them has no gradient.
std::vector<Entry> differentiate(const std::vector<Entry>& outputs, const std::vector<Entry>& head_grads,
                                 const std::vector<NodePtr>& wrt);

}  // namespace mxnet
