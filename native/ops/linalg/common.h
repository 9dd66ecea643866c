// What the linear algebra operators share.
#pragma once

#include <string>

#include "op/infer.h"
#include "op/kernel.h"

namespace mxnet::linalg {

// These operators work on float32 and float64, as LAPACK does.
inline void require_real(DType dtype, const char* op_name) {
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    fail_as(ErrorKind::kTypeError, op_name, ": This operation only supports 32-bit and 64-bit floating point, not ",
            dtype);
  }
}

// fn(TypeTag<float or double>).
template <class Fn>
Kernel visit_real(DType dtype, const char* op_name, Fn fn) {
  require_real(dtype, op_name);
  return dtype == DType::kFloat32 ? fn(TypeTag<float>{}) : fn(TypeTag<double>{});
}

// A stack of matrices: all axes but the last two count them.
struct Stack {
  int64_t count = 0, rows = 0, columns = 0;
  explicit Stack(const Shape& shape) {
    const int nd = shape.ndim();
    count = shape.product(0, nd - 2);
    rows = shape[nd - 2];
    columns = shape[nd - 1];
  }
  int64_t size() const { return rows * columns; }
};

inline void require_matrix(const Shape& shape, const char* op_name) {
  require(shape.ndim() >= 2, op_name, ": input must have at least 2 dimensions, given ", shape);
}

// Unifies the last two axes of `shape`.
inline void require_square(Shape& shape, const char* op_name) {
  require_matrix(shape, op_name);
  int64_t& rows = shape[shape.ndim() - 2];
  int64_t& columns = shape[shape.ndim() - 1];
  if (rows < 0) rows = columns;
  if (columns < 0) columns = rows;
  require(rows == columns, op_name, ": Input operand must be a tensor of square matrices, given ", shape);
}

// Shape of one number for each matrix; a lone matrix gives one of shape (1,).
inline Shape per_matrix(const Shape& shape) {
  return shape.ndim() == 2 ? Shape{1} : Shape(shape.begin(), shape.end() - 2);
}

inline std::string flag(bool value) { return value ? "True" : "False"; }

}  // namespace mxnet::linalg
