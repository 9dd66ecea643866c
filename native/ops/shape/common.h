// What the operators that move elements about share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/strided.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {

// A tuple whose items may be None: the begin, end and step of a slice.
struct OptionalTuple {
  std::vector<std::optional<int64_t>> items;
  size_t size() const { return items.size(); }
  std::optional<int64_t> at(size_t i) const { return i < items.size() ? items[i] : std::nullopt; }
};

template <>
struct FieldType<OptionalTuple> {
  static std::string name() { return "Shape(tuple)"; }
  static std::optional<OptionalTuple> parse(std::string_view text);
  static std::string print(const OptionalTuple& value);
};

// Output 0 = input 0 copied as described.
Kernel copy_kernel(StridedCopy copy);
// Output 0 = the bytes of input 0 (nothing when they share memory): for operators that only change the shape.
Kernel same_bytes_kernel(const KernelContext& context);

// The loops of a row-major array of shape `shape`, as both source and destination strides.
std::vector<StrideDim> row_major_dims(const Shape& shape);

// "(1, 2, 3)".
std::string tuple_of(const std::vector<int>& values);

// A region of an array: element `begin[k] + i * step[k]` of axis k for i < size[k].
struct Region {
  std::vector<int64_t> begin;
  std::vector<int64_t> step;
  Shape size;
};

// One axis of a slice under Python's rules: fills begin, step and size of axis `axis` for a dimension of `length`.
void slice_axis_region(std::optional<int64_t> begin, std::optional<int64_t> end, std::optional<int64_t> step,
                       int64_t length, int axis, Region& region);
Region whole_region(const Shape& shape);

// Copies region -> dense array, or dense array -> region.
StridedCopy gather_region(const Shape& whole, const Region& region, size_t width);
StridedCopy scatter_region(const Shape& whole, const Region& region, size_t width);
// Output 0 = zeros with input 0 written into the region of output 0's shape.
Kernel region_gradient_kernel(const KernelContext& context, const Region& region);

}  // namespace mxnet
