// Memory of arrays: 64-byte aligned blocks from a pool of size classes, shared by views.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tensor/context.h"

namespace mxnet {

uint64_t next_version();

struct VarQueue;  // operations waiting on a variable; lives in engine/

// The versioned variable of the dependency engine: one per block of memory. On CPU nearly all work runs at once on
// the calling thread, so the two counters are all that is touched.
struct Var {
  // A number new to the process at each write: equal versions mean equal contents, whichever array they are read from.
  // Kernels compare it to know whether their packed copies are stale.
  std::atomic<uint64_t> version{next_version()};
  std::atomic<int32_t> pending{0};   // queued operations that read or write this block
  std::atomic<bool> escaped{false};  // a raw pointer was handed out: it may be written without our knowing
  std::shared_ptr<VarQueue> queue;   // made at the first queued operation
};

// A block of memory and its variable. Freed (returned to the pool) with the last reference.
class Storage {
 public:
  // Uninitialised memory; error when the device is absent or the memory is not there.
  static std::shared_ptr<Storage> allocate(size_t bytes, const Context& context);
  // Memory owned by someone else; `release` is called once at the end (may be null).
  static std::shared_ptr<Storage> wrap(void* data, size_t bytes, const Context& context,
                                       void (*release)(void*), void* release_arg);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const Context& context() const { return context_; }
  Var& var() { return var_; }

 private:
  Storage() = default;

  void* data_ = nullptr;
  size_t bytes_ = 0;
  Context context_;
  bool pooled_ = false;
  void (*release_)(void*) = nullptr;
  void* release_arg_ = nullptr;
  Var var_;
};

// Bytes that allocate() would really take for a request (its size class).
size_t storage_class_bytes(size_t bytes);
// Gives the pool's unused blocks back to the system.
void release_pooled_storage();
struct PoolStats { size_t in_use_bytes, pooled_bytes; };
PoolStats pool_stats();

}  // namespace mxnet
