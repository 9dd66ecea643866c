// Softmax and its logarithm along one axis, and their gradients.
#pragma once

#include "op/kernel.h"

namespace mxnet {

struct SoftmaxSpec {
  bool log = false;
  double scale = 1;     // exp(scale * x): 1 / temperature, negative for softmin
  int64_t outer = 1, size = 1, inner = 1;  // around and along the axis
  bool has_length = false;  // input 1 tells how many elements along the axis count; the rest becomes 0
};

SoftmaxSpec softmax_spec(const Shape& shape, int axis);

// Output 0 = softmax of input 0.
Kernel make_softmax_kernel(const SoftmaxSpec& spec, const KernelContext& c);
// Inputs: gradient, softmax (or log softmax) itself. Output: gradient of the argument.
Kernel make_softmax_grad_kernel(const SoftmaxSpec& spec, const KernelContext& c);
// float32, in place or not, on one thread of the caller's choosing: rows [begin, end) of the last axis.
void softmax_rows(const float* x, float* y, int64_t size, int64_t begin, int64_t end, bool log, float scale);

}  // namespace mxnet
