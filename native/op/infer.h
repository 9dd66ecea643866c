// Helpers for shape and type inference.
#pragma once

#include <vector>

#include "op/op_def.h"

namespace mxnet {

// Merges `value` into `slot` dimension by dimension (-1 and unknown rank give way). Error
// "Shape inconsistent, Provided = [3,5], inferred shape=(3,4)" when they clash; `what` names the input or output.
void assign_shape(Shape& slot, const Shape& value, std::string_view what = {});
void assign_type(DType& slot, DType value, std::string_view what = {});

// All inputs and outputs have one shape / one type.
void infer_same_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out);
void infer_same_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out);
// Output i has the shape / type of input source[i] (and the other way round).
InferShapeFn shape_like_inputs(std::vector<int> source);
InferTypeFn type_like_inputs(std::vector<int> source);
// Outputs get this fixed type; inputs all share one type among themselves.
InferTypeFn outputs_of_type(DType type);
// NumPy broadcasting of all inputs to output 0.
void infer_broadcast_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out);

}  // namespace mxnet
