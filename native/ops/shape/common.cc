#include "ops/shape/common.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace mxnet {

std::optional<OptionalTuple> FieldType<OptionalTuple>::parse(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  const auto strip = [&](std::string_view s) {
    while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
    return s;
  };
  text = strip(text);
  OptionalTuple tuple;
  if (!text.empty() && (text.front() == '(' || text.front() == '[')) {
    const char close = text.front() == '(' ? ')' : ']';
    if (text.size() < 2 || text.back() != close) return std::nullopt;
    text = strip(text.substr(1, text.size() - 2));
    if (text.empty()) return tuple;
  }
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view item = strip(text.substr(0, comma));
    if (item == "None") {
      tuple.items.emplace_back();
    } else {
      const std::optional<int64_t> value = FieldType<int64_t>::parse(item);
      if (!value) return std::nullopt;
      tuple.items.emplace_back(*value);
    }
    if (comma == std::string_view::npos) return tuple;
    text = strip(text.substr(comma + 1));
    if (text.empty()) return tuple;  // trailing comma
  }
}

std::string FieldType<OptionalTuple>::print(const OptionalTuple& value) {
  std::string out = "[";
  for (size_t i = 0; i < value.size(); ++i) {
    if (i) out += ',';
    out += value.items[i] ? std::to_string(*value.items[i]) : "None";
  }
  return out + "]";
}

Kernel copy_kernel(StridedCopy copy) {
  return {[copy = std::move(copy)](const KernelArgs& a) { copy.run(a.in[0], a.out[0]); }};
}

Kernel same_bytes_kernel(const KernelContext& c) {
  require(c.in_shapes[0].size() == c.out_shapes[0].size(), "cannot reshape an array of shape ", c.in_shapes[0],
          " into shape ", c.out_shapes[0]);
  const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * dtype_size(c.out_types[0]);
  return {[bytes](const KernelArgs& a) {
    if (a.in[0] == a.out[0]) return;
    const char* src = a.input<char>(0);
    char* dst = a.output<char>(0);
    parallel_for(static_cast<int64_t>(bytes), 1, [=](int64_t begin, int64_t end) {
      std::memcpy(dst + begin, src + begin, static_cast<size_t>(end - begin));
    });
  }};
}

std::vector<StrideDim> row_major_dims(const Shape& shape) {
  const auto strides = row_major_strides(shape);
  std::vector<StrideDim> dims;
  for (int i = 0; i < shape.ndim(); ++i) dims.push_back({shape[i], strides[i], strides[i]});
  return dims;
}

std::string tuple_of(const std::vector<int>& values) {
  std::string out = "(";
  for (size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
  return out + (values.size() == 1 ? ",)" : ")");
}

void slice_axis_region(std::optional<int64_t> begin, std::optional<int64_t> end, std::optional<int64_t> step,
                       int64_t length, int axis, Region& region) {
  const int64_t s = step.value_or(1);
  require(s != 0, "slice: the step of axis ", axis, " must not be 0");
  const auto bound = [&](std::optional<int64_t> value, int64_t fallback) {
    if (!value) return fallback;
    const int64_t v = *value < 0 ? *value + length : *value;
    return s > 0 ? std::clamp<int64_t>(v, 0, length) : std::clamp<int64_t>(v, -1, length - 1);
  };
  const int64_t b = bound(begin, s > 0 ? 0 : length - 1);
  const int64_t e = bound(end, s > 0 ? length : -1);
  region.begin[axis] = b;
  region.step[axis] = s;
  region.size[axis] = s > 0 ? std::max<int64_t>(0, (e - b + s - 1) / s) : std::max<int64_t>(0, (b - e - s - 1) / -s);
}

Region whole_region(const Shape& shape) {
  const size_t n = static_cast<size_t>(std::max(0, shape.ndim()));
  return {std::vector<int64_t>(n, 0), std::vector<int64_t>(n, 1), shape};
}

namespace {

StridedCopy region_copy(const Shape& whole, const Region& region, size_t width, bool gather) {
  const auto far = row_major_strides(whole);
  const auto near = row_major_strides(region.size);
  std::vector<StrideDim> dims;
  int64_t offset = 0;
  for (int i = 0; i < whole.ndim(); ++i) {
    const int64_t stride = region.step[i] * far[i];
    offset += region.begin[i] * far[i];
    dims.push_back(gather ? StrideDim{region.size[i], stride, near[i]} : StrideDim{region.size[i], near[i], stride});
  }
  return gather ? StridedCopy(std::move(dims), offset, 0, width) : StridedCopy(std::move(dims), 0, offset, width);
}

}  // namespace

StridedCopy gather_region(const Shape& whole, const Region& region, size_t width) {
  return region_copy(whole, region, width, true);
}

StridedCopy scatter_region(const Shape& whole, const Region& region, size_t width) {
  return region_copy(whole, region, width, false);
}

Kernel region_gradient_kernel(const KernelContext& c, const Region& region) {
  const size_t width = dtype_size(c.out_types[0]);
  const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * width;
  return {[copy = scatter_region(c.out_shapes[0], region, width), bytes](const KernelArgs& a) {
    std::memset(a.out[0], 0, bytes);
    copy.run(a.in[0], a.out[0]);
  }};
}

}  // namespace mxnet
