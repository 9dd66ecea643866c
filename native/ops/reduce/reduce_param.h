// Axis parameters of reductions.
#pragma once

#include <optional>

#include "op/op_def.h"

namespace mxnet {

struct ReduceParam {
  std::optional<Shape> axis;
  bool keepdims = false;
  bool exclude = false;
};

ParamSchema reduce_schema();

// The reduced axes as a bit set. No axis means all; `exclude` reduces those that are not listed.
uint32_t reduced_axes(const std::optional<Shape>& axis, bool exclude, int ndim, std::string_view op_name);
// The shape that is left; a full reduction gives (1).
Shape reduced_shape(const Shape& in, uint32_t axes, bool keepdims);

}  // namespace mxnet
