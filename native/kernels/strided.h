// Copies and sums between two strided layouts: the engine behind transpose, slice, concat, tile, reverse and the like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace mxnet {

// One loop of an index space: `size` steps of `src` and `dst` elements. Strides may be negative; `src` may be 0
// (the same element again).
struct StrideDim {
  int64_t size;
  int64_t src;
  int64_t dst;
};

// dst[dst_offset + sum i_k * dst_k] = src[src_offset + sum i_k * src_k] for every index. Made once, run many times.
class StridedCopy {
 public:
  StridedCopy() = default;
  StridedCopy(std::vector<StrideDim> dims, int64_t src_offset, int64_t dst_offset, size_t width);

  void run(const void* src, void* dst) const;
  bool is_plain_copy() const { return kind_ == Kind::kRuns && outer_.empty() && src_offset_ == 0 && dst_offset_ == 0; }

 private:
  enum class Kind { kNothing, kRuns, kTiles, kGeneral };
  template <class T>
  void run_typed(const T* src, T* dst) const;

  Kind kind_ = Kind::kNothing;
  size_t width_ = 1;
  int64_t src_offset_ = 0;
  int64_t dst_offset_ = 0;
  StrideDim inner_{1, 1, 1};   // the fastest loop of dst
  StrideDim column_{1, 1, 1};  // kTiles: the loop that is contiguous in src
  std::vector<StrideDim> outer_;
  int64_t outer_count_ = 1;
};

// dst[kept index] = sum of src over the loops whose dst stride is 0. Every kept element is written once.
class StridedSum {
 public:
  StridedSum() = default;
  StridedSum(std::vector<StrideDim> dims, DType type);
  void run(const void* src, void* dst) const;

 private:
  template <class T>
  void run_typed(const T* src, T* dst) const;

  DType type_ = DType::kFloat32;
  StrideDim inner_{1, 1, 1};
  std::vector<StrideDim> kept_;
  std::vector<StrideDim> summed_;
  int64_t kept_count_ = 1;
  int64_t summed_count_ = 1;
};

// A copy from a row-major array of shape `in` into the row-major shape that has the axes in the order `axes`.
StridedCopy transpose_copy(const Shape& in, const std::vector<int>& axes, size_t width);

}  // namespace mxnet
