// Ordering the elements along one axis.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/shape.h"

namespace mxnet {

// A tensor cut into lines along one axis: line (o, i) has its element j at o * length * inner + j * inner + i.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  int64_t count() const { return outer * inner; }
  int64_t start(int64_t line) const { return line / inner * length * inner + line % inner; }
};

// Lines along `axis`; without one the whole tensor is a single line.
Lines lines_along(const Shape& shape, const std::optional<int>& axis, const char* op_name);

template <class T>
struct Ranked {
  T value;
  int32_t index;
};

// Puts the first k elements of the order (NaN last; equal values by position) to the front of items.
template <class T>
void rank(Ranked<T>* items, int64_t n, int64_t k, bool ascend);

}  // namespace mxnet
