// Elementwise kernels for every element type, with NumPy broadcasting.
#pragma once

#include "kernels/vmath.h"
#include "op/kernel.h"

namespace mxnet {

// Converts between a type and float through the fast paths of the processor.
void load_floats(DType type, const void* x, float* y, int64_t n);
void store_floats(DType type, const float* x, void* y, int64_t n);

// y = op(x) on consecutive elements of one type. 16-bit floats pass through float tiles, integers are computed exactly
// where the operator is arithmetic and in double otherwise.
class UnaryLoop {
 public:
  UnaryLoop(Unary op, DType type);
  void operator()(const void* x, void* y, int64_t n) const;
  int64_t cost() const { return cost_; }

 private:
  DType type_;
  UnaryRow direct_ = nullptr;  // on elements of type_
  UnaryRow tile_ = nullptr;    // on float or double tiles
  int64_t cost_ = 1;
};

// y = op(a, b) where a and b advance or stay as `steps` says.
class BinaryLoop {
 public:
  BinaryLoop(Binary op, DType type);
  BinaryLoop(UnaryGrad op, DType type);
  void operator()(const void* a, const void* b, void* y, int64_t n, int steps) const;
  int64_t cost() const { return cost_; }

 private:
  DType type_;
  BinaryRow direct_ = nullptr;
  BinaryRow tile_ = nullptr;
  int64_t cost_ = 1;
};

// Dimensions of a broadcast with neighbours merged: the last one runs along memory in the output and runs or stays in
// each input.
struct BroadcastPlan {
  BroadcastPlan(const Shape& out, const Shape& a, const Shape& b);
  int ndim = 0;  // at least 1
  int64_t dims[Shape::kMaxDim];
  int64_t stride_a[Shape::kMaxDim];
  int64_t stride_b[Shape::kMaxDim];
  int64_t outer = 1;  // rows
  int64_t inner() const { return dims[ndim - 1]; }
  int steps() const { return (stride_a[ndim - 1] ? kStepA : 0) | (stride_b[ndim - 1] ? kStepB : 0); }

  // fn(offset of a, offset of b, offset of y) for rows [begin, end).
  template <class Fn>
  void rows(int64_t begin, int64_t end, Fn&& fn) const {
    int64_t index[Shape::kMaxDim] = {};
    int64_t a = 0, b = 0, rest = begin;
    for (int d = ndim - 2; d >= 0; --d) {
      index[d] = rest % dims[d];
      rest /= dims[d];
      a += index[d] * stride_a[d];
      b += index[d] * stride_b[d];
    }
    for (int64_t r = begin; r < end; ++r) {
      fn(a, b, r * inner());
      for (int d = ndim - 2; d >= 0; --d) {
        a += stride_a[d];
        b += stride_b[d];
        if (++index[d] < dims[d]) break;
        a -= dims[d] * stride_a[d];
        b -= dims[d] * stride_b[d];
        index[d] = 0;
      }
    }
  }
};

Kernel make_unary_kernel(Unary op, const KernelContext& c);
Kernel make_grad_kernel(UnaryGrad op, const KernelContext& c);  // inputs g, v of one shape
Kernel make_binary_kernel(Binary op, const KernelContext& c);   // inputs broadcast to the output
// op(x, scalar), or op(scalar, x) when reversed; the input may be of another type than the output.
Kernel make_scalar_kernel(Binary op, double scalar, bool reversed, const KernelContext& c);
// y = x where nothing is to be done; nothing at all in place.
Kernel make_copy_kernel(const KernelContext& c);
// y = x in another type.
Kernel make_cast_kernel(const KernelContext& c);
// Every element of the output set to a number.
Kernel make_fill_kernel(double value, const KernelContext& c);
void fill_elements(DType type, void* y, int64_t n, double value);

}  // namespace mxnet
