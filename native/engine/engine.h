// The dependency layer. Every block of memory has a versioned variable (tensor/storage.h); operations are ordered by the
// variables they read and write. Work of our own runs at once on the calling thread, after what is pending on its arrays;
// work that a host pushes (MXEnginePush*) is queued and runs on worker threads as soon as its variables allow.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "tensor/ndarray.h"

namespace mxnet {

// Must be called exactly once, from any thread, when an asynchronous operation is finished; with the error text, or null.
using OnComplete = std::function<void(const char* error)>;
using AsyncWork = std::function<void(OnComplete)>;
using VarRef = std::shared_ptr<Storage>;  // a variable lives in its block of memory

// A variable without memory, for hosts that order work of their own.
VarRef make_variable_block();

// Queues work. An array that is both read and written counts as written. Higher priority first among the ready ones.
void push_async(AsyncWork work, std::vector<VarRef> reads, std::vector<VarRef> writes, int priority = 0);
void push_sync(std::function<void()> work, std::vector<VarRef> reads, std::vector<VarRef> writes, int priority = 0);

// Returns when the queued writes (and, for wait_to_write, reads) of a block are done. Throws the error of a queued
// operation that failed to write it, once.
void wait_to_read_slow(Storage& block);
void wait_to_write_slow(Storage& block);
// Waits for everything that was queued; throws the first error nobody has seen.
void wait_all();

// The checks before work of our own: one relaxed load where nothing is pending.
inline void wait_to_read(const NDArray& array) {
  Var* var = array.var();
  if (var && var->pending.load(std::memory_order_acquire) != 0) [[unlikely]] wait_to_read_slow(*array.storage());
}
inline void wait_to_write(const NDArray& array) {
  Var* var = array.var();
  if (var && var->pending.load(std::memory_order_acquire) != 0) [[unlikely]] wait_to_write_slow(*array.storage());
}

}  // namespace mxnet
