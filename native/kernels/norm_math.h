// Sums over contiguous runs, in several lanes so that they vectorise and lose little precision.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace mxnet {

inline constexpr int64_t kSumLanes = 16;

// Sum of fn(i) for i in [0, n).
template <class A, class Fn>
A lane_sum(int64_t n, Fn fn) {
  A lanes[kSumLanes] = {};
  int64_t i = 0;
  for (; i + kSumLanes <= n; i += kSumLanes) {
    for (int64_t j = 0; j < kSumLanes; ++j) lanes[j] += fn(i + j);
  }
  A total = 0;
  for (; i < n; ++i) total += fn(i);
  for (int64_t width = kSumLanes / 2; width > 0; width /= 2) {
    for (int64_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return total + lanes[0];
}

// An array seen as [outer, channels, inner] around one axis.
struct AxisView {
  int64_t outer = 1, channels = 1, inner = 1;
};

}  // namespace mxnet
