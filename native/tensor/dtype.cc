#include "tensor/dtype.h"

namespace mxnet {
namespace {

struct DTypeRow {
  DType dtype;
  const char* name;
  size_t size;
};

constexpr DTypeRow kRows[] = {
    {DType::kFloat32, "float32", 4}, {DType::kFloat64, "float64", 8}, {DType::kFloat16, "float16", 2},
    {DType::kUint8, "uint8", 1},     {DType::kInt32, "int32", 4},     {DType::kInt8, "int8", 1},
    {DType::kInt64, "int64", 8},     {DType::kBool, "bool", 1},       {DType::kBfloat16, "bfloat16", 2},
};

const DTypeRow* find_row(DType dtype) {
  for (const DTypeRow& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

bool is_valid_dtype(int32_t code) { return find_row(static_cast<DType>(code)) != nullptr; }

DType dtype_from_code(int32_t code) {
  if (!is_valid_dtype(code)) fail_as(ErrorKind::kTypeError, "Unknown type enum ", code);
  return static_cast<DType>(code);
}

DType dtype_from_name(std::string_view name) {
  std::vector<std::string> names;
  for (const DTypeRow& row : kRows) {
    if (name == row.name) return row.dtype;
    names.emplace_back(row.name);
  }
  const std::string near = nearest_name(name, names);
  fail_as(ErrorKind::kTypeError, "unknown dtype '", name, "'", near.empty() ? "" : ", did you mean '" + near + "'?");
}

const char* dtype_name(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  return row ? row->name : "unknown";
}

size_t dtype_size(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  require(row != nullptr, "Unknown type enum ", static_cast<int32_t>(dtype));
  return row->size;
}

}  // namespace mxnet
