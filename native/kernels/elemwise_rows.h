// Rows of the types that vmath does not serve; split over files so that each compiles fast.
#pragma once

#include "kernels/vmath.h"
#include "tensor/dtype.h"

namespace mxnet {

UnaryRow double_unary_row(Unary op);
BinaryRow double_binary_row(Binary op);
BinaryRow double_grad_row(UnaryGrad op);
UnaryRow integer_unary_row(Unary op, DType type);    // null: compute in double
BinaryRow integer_binary_row(Binary op, DType type);

}  // namespace mxnet
