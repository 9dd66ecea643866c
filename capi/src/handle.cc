#include "handle.h"

#include <array>
#include <mutex>

#include "base/error.h"
#include "thread_value.h"

namespace mxnet::capi {

std::atomic<Slot*> g_chunks[kMaxChunks];

namespace {

constexpr size_t kBatch = 64;  // indices moved between a thread and the common list under one lock
constexpr uint64_t kGenerationMask = (1u << 25) - 1;

struct FreeList {
  std::mutex mutex;
  std::vector<uint32_t> indices;
  uint32_t chunks = 0;
};

// Never destroyed: threads may free handles while the process ends.
FreeList& free_list() {
  static FreeList* list = new FreeList;
  return *list;
}

void add_chunk(FreeList& list) {
  if (list.chunks == kMaxChunks) fail("too many handles are alive: ", uint64_t{kMaxChunks} * kChunkSlots);
  list.indices.reserve(size_t{list.chunks + 1} * kChunkSlots);  // room for every index: giving back cannot fail
  auto chunk = std::make_unique<Slot[]>(kChunkSlots);
  const uint32_t base = list.chunks << kChunkBits;
  for (uint32_t i = kChunkSlots; i-- > 0;) list.indices.push_back(base + i);
  g_chunks[list.chunks].store(chunk.release(), std::memory_order_release);
  ++list.chunks;
}

struct ThreadIndices {
  std::array<uint32_t, 2 * kBatch> items;
  size_t count = 0;
  ~ThreadIndices() { give_back(count); }

  void refill() {
    FreeList& list = free_list();
    const std::lock_guard lock(list.mutex);
    if (list.indices.size() < kBatch) add_chunk(list);
    for (size_t i = 0; i < kBatch; ++i) {
      items[count++] = list.indices.back();
      list.indices.pop_back();
    }
  }
  // Capacity for every index exists since its chunk was made, so this cannot fail.
  void give_back(size_t how_many) noexcept {
    if (how_many == 0) return;
    FreeList& list = free_list();
    const std::lock_guard lock(list.mutex);
    for (size_t i = 0; i < how_many; ++i) list.indices.push_back(items[--count]);
  }
};

}  // namespace

void* open_handle(Kind kind, void* object) {
  ThreadIndices& free = ThreadValue<ThreadIndices>::get();
  if (free.count == 0) free.refill();
  const uint32_t index = free.items[--free.count];
  Slot& slot = *find_slot(index);
  slot.object = object;
  const uint64_t handle = (uint64_t{slot.generation} & kGenerationMask) << 38 | uint64_t(kind) << 32 | index;
  slot.handle.store(handle, std::memory_order_release);
  return reinterpret_cast<void*>(handle);
}

void* close_handle(Kind kind, void* handle) {
  const auto value = reinterpret_cast<uint64_t>(handle);
  if (static_cast<Kind>((value >> 32) & 63) != kind) return nullptr;
  Slot* slot = find_slot(value);
  uint64_t expected = value;
  // The exchange lets exactly one of two racing frees win.
  if (slot == nullptr || value == 0 || !slot->handle.compare_exchange_strong(expected, 0)) return nullptr;
  void* object = slot->object;
  slot->object = nullptr;
  ++slot->generation;
  ThreadIndices& free = ThreadValue<ThreadIndices>::get();
  if (free.count == free.items.size()) free.give_back(kBatch);
  free.items[free.count++] = static_cast<uint32_t>(value);
  return object;
}

// Counted on demand: counters would cost every open and close two locked instructions.
int64_t live_handles(Kind kind) {
  int64_t total = 0;
  for (uint32_t c = 0; c < kMaxChunks; ++c) {
    const Slot* chunk = g_chunks[c].load(std::memory_order_acquire);
    if (chunk == nullptr) break;
    for (uint32_t i = 0; i < kChunkSlots; ++i) {
      const uint64_t handle = chunk[i].handle.load(std::memory_order_relaxed);
      total += handle != 0 && (kind == Kind::kNone || static_cast<Kind>((handle >> 32) & 63) == kind) ? 1 : 0;
    }
  }
  return total;
}

void fail_handle(const void* handle, Kind kind, const char* function, const char* argument) {
  const char* wanted = kKindNames[static_cast<size_t>(kind)];
  if (handle == nullptr) {
    fail_as(ErrorKind::kValueError, function, ": argument '", argument, "' is NULL, a ", wanted, " handle is needed");
  }
  const auto value = reinterpret_cast<uint64_t>(handle);
  const Slot* slot = find_slot(value);
  if (slot != nullptr && slot->handle.load(std::memory_order_acquire) == value) {
    fail_as(ErrorKind::kValueError, function, ": argument '", argument, "' is a ", kKindNames[(value >> 32) & 63],
            " handle, a ", wanted, " handle is needed");
  }
  fail_as(ErrorKind::kValueError, function, ": argument '", argument, "' is not a live ", wanted,
          " handle: it was freed or never made");
}

}  // namespace mxnet::capi
