// Reductions of rows and columns for the types that vmath does not serve.
#pragma once

#include "kernels/vmath.h"
#include "tensor/dtype.h"

namespace mxnet {

// Acc is double for the float types and int64_t for the others.
template <class Acc>
struct ReduceRows {
  Acc (*row)(const void* x, int64_t n);
  void (*columns)(const void* x, int64_t stride, int64_t rows, int64_t n, Acc* y);
};
ReduceRows<double> float_reduce_rows(Reduce op, DType type);
ReduceRows<int64_t> integer_reduce_rows(Reduce op, DType type);

}  // namespace mxnet
