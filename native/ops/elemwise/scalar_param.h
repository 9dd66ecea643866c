// Parameters shared by the operators that take an array and a number.
#pragma once

#include "op/op_def.h"

namespace mxnet {

struct ScalarParam {
  double scalar = 1;
  bool is_int = true;
};

ParamSchema scalar_schema();
// An integer array with a number that is not one becomes float64; a boolean one int64 or float64.
void infer_scalar_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out);

}  // namespace mxnet
