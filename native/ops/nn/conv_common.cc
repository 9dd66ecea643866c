#include "ops/nn/conv_common.h"

#include "op/node.h"

namespace mxnet {

std::array<int64_t, 3> window_tuple(const Shape& tuple, int spatial, int64_t fallback, int64_t least,
                                    const char* name, const char* op_name) {
  std::array<int64_t, 3> values{fallback, fallback, fallback};
  if (tuple.ndim() <= 0) return values;
  require(tuple.ndim() == spatial, op_name, ": ", name, " must have the same number of dimensions with kernel_size, but ",
          "kernel_size has ", spatial, " while ", name, " is ", tuple);
  for (int i = 0; i < spatial; ++i) {
    require(tuple[i] >= least, op_name, ": incorrect ", name, " size: ", tuple);
    values[3 - spatial + i] = checked_extent(tuple[i], name, op_name);
  }
  return values;
}

int64_t checked_extent(int64_t size, const char* what, const char* op_name) {
  require(size < kMaxExtent, op_name, ": ", what, " is too large: ", size);
  return size;
}

ConvWindow::ConvWindow(const ConvParam& p, const char* op_name) : spatial(p.kernel.ndim()) {
  require(spatial >= 1 && spatial <= 3, op_name, ": kernel must have 1, 2 or 3 dimensions, given ", p.kernel);
  last = channels_last(p.layout, spatial, op_name);
  kernel = window_tuple(p.kernel, spatial, 1, 1, "kernel", op_name);
  stride = window_tuple(p.stride, spatial, 1, 1, "stride", op_name);
  dilate = window_tuple(p.dilate, spatial, 1, 1, "dilate", op_name);
  pad = window_tuple(p.pad, spatial, 0, 0, "pad", op_name);
  require(p.num_filter > 0, op_name, ": num_filter must be positive");
  require(p.num_group > 0, op_name, ": num_group must be positive");
  require(p.num_filter % p.num_group == 0, op_name, ": output num_filter must divide group size: num_filter=",
          p.num_filter, ", num_group=", p.num_group);
}

Shape ConvWindow::weight_shape(int64_t outer, int64_t inner) const {
  Shape shape{outer};
  if (!last) shape.push_back(inner);
  for (int i = 0; i < spatial; ++i) shape.push_back(kernel[at(i)]);
  if (last) shape.push_back(inner);
  return shape;
}

std::vector<std::string> conv_input_names(const Attrs& attrs) {
  std::vector<std::string> names{"data", "weight"};
  if (!attrs.get<ConvParam>().no_bias) names.push_back("bias");
  return names;
}

}  // namespace mxnet
