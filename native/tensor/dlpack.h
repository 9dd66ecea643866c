// Exchange of arrays without a copy: the DLManagedTensor of DLPack 0.x (https://dmlc.github.io/dlpack).
#pragma once

#include <cstdint>

#include "tensor/ndarray.h"

namespace mxnet {

struct DLPackDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLPackType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLPackTensor {
  void* data;
  DLPackDevice device;
  int32_t ndim;
  DLPackType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};

struct DLPackManagedTensor {
  DLPackTensor tensor;
  void* manager_ctx;
  void (*deleter)(DLPackManagedTensor* self);
};

static_assert(sizeof(DLPackTensor) == 48 && sizeof(DLPackManagedTensor) == 64);

// Shares the array's memory; the consumer calls the deleter once.
DLPackManagedTensor* to_dlpack(const NDArray& array);

// Takes over `managed` and shares its memory; the deleter runs when the last view goes. With `copy_struct` the struct
// itself stays the caller's. Nothing is taken over when this throws: memory that is not on the host or not row-major
// and element types that arrays do not have are errors.
NDArray from_dlpack(DLPackManagedTensor* managed, bool copy_struct);

}  // namespace mxnet
