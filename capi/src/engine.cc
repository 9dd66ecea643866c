// Work of the host, ordered with the library's own.
#include "engine/engine.h"

#include "convert.h"
#include "generated/impl.h"

namespace mxnet::capi::impl {
namespace {

// What a pushed function gets as its first argument: the device, and no stream on the CPU.
struct RunContext {
  int32_t dev_type = 1;
  int32_t dev_id = 0;
  void* stream = nullptr;
  void* aux_stream = nullptr;
  bool is_bulk = false;
};

// Calls the deleter when the last copy of the work goes, whether it ran or not.
std::shared_ptr<void> owned_param(void* param, EngineFuncParamDeleter deleter) {
  return std::shared_ptr<void>(param, [deleter](void* p) {
    if (deleter != nullptr) deleter(p);
  });
}

std::vector<VarRef> blocks_of(int count, NDArrayHandle* handles, const char* function, const char* argument) {
  std::vector<VarRef> blocks;
  for (const NDArray& array : arrays_of(count, handles, function, argument)) {
    if (array.is_none()) fail_as(ErrorKind::kValueError, function, ": an array of '", argument, "' has no memory yet");
    blocks.push_back(array.storage());
  }
  return blocks;
}

}  // namespace

void MXEnginePushSyncND(EngineSyncFunc sync_func, void* func_param, EngineFuncParamDeleter deleter, ContextHandle,
                        NDArrayHandle* const_nds_handle, int num_const_nds, NDArrayHandle* mutable_nds_handle,
                        int num_mutable_nds, EngineFnPropertyHandle, int priority, const char*) {
  std::vector<VarRef> reads = blocks_of(num_const_nds, const_nds_handle, __func__, "const_nds_handle");
  std::vector<VarRef> writes = blocks_of(num_mutable_nds, mutable_nds_handle, __func__, "mutable_nds_handle");
  push_sync(
      [sync_func, param = owned_param(func_param, deleter)] {
        RunContext context;
        sync_func(&context, param.get());
      },
      std::move(reads), std::move(writes), priority);
}

}  // namespace mxnet::capi::impl
