#include "tensor/dlpack.h"

#include <array>
#include <memory>

namespace mxnet {
namespace {

constexpr int32_t kHost = 1;
constexpr int32_t kPinnedHost = 3;

struct TypeRow {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};

// Codes: 0 signed, 1 unsigned, 2 IEEE float, 4 bfloat16, 6 bool.
constexpr std::array<TypeRow, 9> kTypes = {{{DType::kFloat32, 2, 32},
                                            {DType::kFloat64, 2, 64},
                                            {DType::kFloat16, 2, 16},
                                            {DType::kBfloat16, 4, 16},
                                            {DType::kUint8, 1, 8},
                                            {DType::kInt8, 0, 8},
                                            {DType::kInt32, 0, 32},
                                            {DType::kInt64, 0, 64},
                                            {DType::kBool, 6, 8}}};

// What an exported tensor keeps alive.
struct Export {
  DLPackManagedTensor managed;
  NDArray array;
  std::array<int64_t, Shape::kMaxDim> shape;
  std::array<int64_t, Shape::kMaxDim> strides;
};

DType type_of(const DLPackType& type) {
  for (const TypeRow& row : kTypes) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  }
  fail_as(ErrorKind::kTypeError, "DLPack: arrays have no element type of code ", static_cast<int>(type.code), " with ",
          static_cast<int>(type.bits), " bits and ", static_cast<int>(type.lanes), " lanes");
}

}  // namespace

DLPackManagedTensor* to_dlpack(const NDArray& array) {
  if (array.is_none()) fail_as(ErrorKind::kValueError, "DLPack: the array has no shape and no memory yet");
  array.var()->escaped = true;
  auto made = std::make_unique<Export>();
  made->array = array;
  made->strides = row_major_strides(array.shape());
  std::copy(array.shape().begin(), array.shape().end(), made->shape.begin());
  DLPackTensor& tensor = made->managed.tensor;
  tensor.data = array.data();
  tensor.device = {kHost, 0};
  tensor.ndim = array.shape().ndim();
  for (const TypeRow& row : kTypes) {
    if (row.dtype == array.dtype()) tensor.dtype = {row.code, row.bits, 1};
  }
  tensor.shape = made->shape.data();
  tensor.strides = made->strides.data();
  tensor.byte_offset = 0;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](DLPackManagedTensor* self) { delete static_cast<Export*>(self->manager_ctx); };
  return &made.release()->managed;
}

NDArray from_dlpack(DLPackManagedTensor* managed, bool copy_struct) {
  const DLPackTensor& tensor = managed->tensor;
  if (tensor.device.device_type != kHost && tensor.device.device_type != kPinnedHost) {
    fail_as(ErrorKind::kValueError, "DLPack: the tensor is on a device of type ", tensor.device.device_type,
            ", only host memory can be used");
  }
  if (tensor.ndim < 0 || tensor.ndim > Shape::kMaxDim) {
    fail_as(ErrorKind::kValueError, "DLPack: the tensor has ", tensor.ndim, " dimensions, at most ", Shape::kMaxDim,
            " are possible");
  }
  const DType dtype = type_of(tensor.dtype);
  Shape shape = Shape::filled(tensor.ndim, 0);
  for (int i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] < 0) fail_as(ErrorKind::kValueError, "DLPack: dimension ", i, " is ", tensor.shape[i]);
    shape[i] = tensor.shape[i];
  }
  const int64_t size = shape.size();
  const auto strides = row_major_strides(shape);
  for (int i = 0; tensor.strides != nullptr && size > 1 && i < tensor.ndim; ++i) {
    if (shape[i] != 1 && tensor.strides[i] != strides[static_cast<size_t>(i)]) {
      fail_as(ErrorKind::kValueError, "DLPack: the tensor of shape ", tuple_text(shape), " is not row-major: axis ", i,
              " has stride ", tensor.strides[i], ", expected ", strides[static_cast<size_t>(i)],
              "; make it contiguous first");
    }
  }
  const auto bytes = static_cast<size_t>(checked_mul(size, static_cast<int64_t>(dtype_size(dtype)), "array size"));
  char* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  std::unique_ptr<DLPackManagedTensor> copy;
  if (copy_struct) copy = std::make_unique<DLPackManagedTensor>(*managed);
  struct Owner {
    DLPackManagedTensor* managed;
    bool owns_struct;
  };
  auto owner = std::make_unique<Owner>(Owner{copy ? copy.get() : managed, copy_struct});
  const auto release = [](void* argument) {
    const std::unique_ptr<Owner> held(static_cast<Owner*>(argument));
    if (held->managed->deleter != nullptr) held->managed->deleter(held->managed);
    if (held->owns_struct) delete held->managed;
  };
  std::shared_ptr<Storage> storage = Storage::wrap(data, bytes, Context{}, release, owner.get());
  owner.release();
  copy.release();
  storage->var().escaped = true;
  return NDArray(std::move(storage), 0, shape, dtype);
}

}  // namespace mxnet
