#include "tensor/storage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace mxnet {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLargestPooled = size_t{1} << 28;  // above 256 MiB a block goes straight back to the system
constexpr size_t kPoolLimit = size_t{1} << 30;      // and the pool never keeps more than 1 GiB

// Four size classes per power of two, so a block wastes less than a quarter.
size_t class_bytes(size_t bytes) {
  if (bytes <= kAlignment) return kAlignment;
  const size_t step = std::max(kAlignment, std::bit_floor(bytes - 1) / 4);
  return (bytes + step - 1) / step * step;
}

size_t class_index(size_t rounded) {
  const size_t power = std::bit_width(rounded) - 1;
  return power * 4 + ((rounded - (size_t{1} << power)) >> (power - 2));
}

class Pool {
 public:
  void* take(size_t bytes) {
    const size_t rounded = class_bytes(bytes);
    {
      const std::lock_guard lock(mutex_);
      if (rounded <= kLargestPooled) {
        std::vector<void*>& list = free_[class_index(rounded)];
        if (!list.empty()) {
          void* block = list.back();
          list.pop_back();
          pooled_ -= rounded;
          in_use_ += rounded;
          return block;
        }
      }
      in_use_ += rounded;
    }
    void* block = std::aligned_alloc(kAlignment, rounded);
    if (!block) {
      release_all();
      block = std::aligned_alloc(kAlignment, rounded);
    }
    if (!block) {
      const std::lock_guard lock(mutex_);
      in_use_ -= rounded;
      fail("out of memory: ", bytes, " bytes could not be allocated");
    }
    return block;
  }

  void give(void* block, size_t bytes) {
    const size_t rounded = class_bytes(bytes);
    {
      const std::lock_guard lock(mutex_);
      in_use_ -= rounded;
      if (rounded <= kLargestPooled && pooled_ + rounded <= kPoolLimit) {
        free_[class_index(rounded)].push_back(block);
        pooled_ += rounded;
        return;
      }
    }
    std::free(block);
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    for (std::vector<void*>& list : free_) {
      for (void* block : list) std::free(block);
      list.clear();
    }
    pooled_ = 0;
  }

  PoolStats stats() {
    const std::lock_guard lock(mutex_);
    return {in_use_, pooled_};
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<void*>, 30 * 4> free_;
  size_t pooled_ = 0;
  size_t in_use_ = 0;
};

// Never destroyed: arrays held by a host may die after static destructors ran.
Pool& pool() {
  static Pool* instance = new Pool;
  return *instance;
}

}  // namespace

uint64_t next_version() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::shared_ptr<Storage> Storage::allocate(size_t bytes, const Context& context) {
  require_device(context);
  require(bytes < (size_t{1} << 62), "out of memory: ", bytes, " bytes could not be allocated");
  std::shared_ptr<Storage> storage(new Storage);
  storage->data_ = pool().take(bytes);
  storage->bytes_ = bytes;
  storage->context_ = context;
  storage->pooled_ = true;
  return storage;
}

std::shared_ptr<Storage> Storage::wrap(void* data, size_t bytes, const Context& context, void (*release)(void*),
                                       void* release_arg) {
  std::shared_ptr<Storage> storage(new Storage);
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->context_ = context;
  storage->release_ = release;
  storage->release_arg_ = release_arg;
  return storage;
}

Storage::~Storage() {
  if (pooled_) pool().give(data_, bytes_);
  if (release_) release_(release_arg_);
}

size_t storage_class_bytes(size_t bytes) { return class_bytes(bytes); }
void release_pooled_storage() { pool().release_all(); }
PoolStats pool_stats() { return pool().stats(); }

}  // namespace mxnet
