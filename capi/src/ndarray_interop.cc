// Exchange of arrays with other libraries.
#include "convert.h"
#include "engine/engine.h"
#include "generated/impl.h"
#include "tensor/dlpack.h"

namespace mxnet::capi::impl {

void MXNDArrayToDLPack(NDArrayObject& handle, DLManagedTensorHandle* out_dlpack) {
  wait_to_read(handle);
  *out_dlpack = to_dlpack(handle);
}

void MXNDArrayFromDLPackEx(DLManagedTensorHandle dlpack, const bool transient_handle, NDArrayHandle* out_handle) {
  auto made = std::make_unique<NDArray>();
  *made = from_dlpack(static_cast<DLPackManagedTensor*>(dlpack), transient_handle);
  *out_handle = make_handle(std::move(made));
}

void MXNDArrayFromDLPack(DLManagedTensorHandle dlpack, NDArrayHandle* out_handle) {
  MXNDArrayFromDLPackEx(dlpack, false, out_handle);
}

void MXNDArrayCallDLPackDeleter(DLManagedTensorHandle dlpack) {
  auto* managed = static_cast<DLPackManagedTensor*>(dlpack);
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
}

}  // namespace mxnet::capi::impl
