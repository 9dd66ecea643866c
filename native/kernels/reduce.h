// Reductions along any set of axes, and broadcasts back along them.
#pragma once

#include "kernels/vmath.h"
#include "op/kernel.h"

namespace mxnet {

enum class Finish { kNone, kMean, kSqrt };

// Output 0 = finish(reduction of input 0, of shape `in`, over the axes whose bit is set in `axes`).
Kernel make_reduce_kernel(Reduce op, Finish finish, const Shape& in, uint32_t axes, DType in_type, DType out_type);

// Output 0 of shape `out` = scale * input 0 broadcast from `in`, which has the same rank, with ones where it repeats.
Kernel make_broadcast_kernel(const Shape& in, const Shape& out, DType in_type, DType out_type, double scale);

// `shape` with ones at the axes in the bit set.
Shape keep_dims(const Shape& shape, uint32_t axes);

// Neighbouring dimensions that are all reduced or all kept, merged; ones dropped.
struct ReducePlan {
  ReducePlan(const Shape& shape, uint32_t axes);
  struct Dim {
    int64_t size;
    int64_t stride;
  };
  int num_kept = 0, num_reduced = 0;
  Dim kept[Shape::kMaxDim];     // outermost first; a kept dimension that is innermost in memory is `inner` instead
  Dim reduced[Shape::kMaxDim];  // likewise
  bool inner_reduced = true;    // what the innermost dimension is
  int64_t inner = 1;            // its size
  int64_t kept_outer = 1;       // products of the above
  int64_t reduced_outer = 1;

  static int64_t offset(const Dim* dims, int count, int64_t index) {
    int64_t result = 0;
    for (int d = count - 1; d >= 0; --d) {
      result += index % dims[d].size * dims[d].stride;
      index /= dims[d].size;
    }
    return result;
  }
  int64_t kept_offset(int64_t index) const { return offset(kept, num_kept, index); }
  int64_t reduced_offset(int64_t index) const { return offset(reduced, num_reduced, index); }
};

}  // namespace mxnet
