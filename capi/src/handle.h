// Handles are numbers, not addresses: index of a slot, kind of the object and generation of the slot. The slot repeats
// the number while the object lives, so one comparison tells a live handle of the right kind from a freed one, one of
// another kind and garbage, and no memory is read through a bad handle.
//
//   bits 0..31 slot index, 32..37 kind, 38..62 generation (25 bits); bit 63 is 0, so a Java long stays positive.
//
// Threads: open and close take a lock once per 64 calls on a thread; a lookup takes none. As with any object, freeing a
// handle while another thread is inside a call that uses it is an error of the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "generated/kinds.h"
#include "objects.h"

namespace mxnet::capi {

struct Slot {
  std::atomic<uint64_t> handle{0};  // 0: free
  void* object = nullptr;
  uint32_t generation = 0;
};

inline constexpr uint32_t kChunkBits = 12;
inline constexpr uint32_t kChunkSlots = 1u << kChunkBits;
inline constexpr uint32_t kMaxChunks = 1u << 14;  // 67 million live handles

// Chunks appear and never move or go, so readers need no lock.
extern std::atomic<Slot*> g_chunks[kMaxChunks];

// The slot of a handle value, or null when no such slot was ever made.
inline Slot* find_slot(uint64_t handle) {
  const uint32_t index = static_cast<uint32_t>(handle);
  if ((index >> kChunkBits) >= kMaxChunks) return nullptr;
  Slot* chunk = g_chunks[index >> kChunkBits].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : chunk + (index & (kChunkSlots - 1));
}

void* open_handle(Kind kind, void* object);
// Ends a handle and gives its object; null when it was not live or of another kind.
void* close_handle(Kind kind, void* handle);
// Objects behind live handles of a kind; kNone counts all.
int64_t live_handles(Kind kind);
[[noreturn]] void fail_handle(const void* handle, Kind kind, const char* function, const char* argument);

// The object of a live handle of kind T, or null.
template <class T>
T* try_deref(const void* handle) {
  const auto value = reinterpret_cast<uint64_t>(handle);
  if (static_cast<Kind>((value >> 32) & 63) != KindOf<T>::value) return nullptr;
  const Slot* slot = find_slot(value);
  if (slot == nullptr || slot->handle.load(std::memory_order_acquire) != value) return nullptr;
  return static_cast<T*>(slot->object);
}

template <class T>
T& deref(const void* handle, const char* function, const char* argument) {
  T* object = try_deref<T>(handle);
  if (object == nullptr) [[unlikely]] fail_handle(handle, KindOf<T>::value, function, argument);
  return *object;
}

// NULL gives null; anything else must be live.
template <class T>
T* deref_optional(const void* handle, const char* function, const char* argument) {
  return handle == nullptr ? nullptr : &deref<T>(handle, function, argument);
}

// A new handle that owns the object.
template <class T>
void* make_handle(std::unique_ptr<T> object) {
  void* handle = open_handle(KindOf<T>::value, object.get());
  object.release();
  return handle;
}
template <class T>
void* make_handle(T object) {
  return make_handle(std::make_unique<T>(std::move(object)));
}

// Ends a handle and its object; NULL is fine.
template <class T>
void free_handle(void* handle, const char* function, const char* argument) {
  if (handle == nullptr) return;
  void* object = close_handle(KindOf<T>::value, handle);
  if (object == nullptr) fail_handle(handle, KindOf<T>::value, function, argument);
  delete static_cast<T*>(object);
}

// Handles being made for one result: freed again when a later step of the call fails.
template <class T>
class NewHandles {
 public:
  explicit NewHandles(std::vector<void*>& out) : out_(out) { out_.clear(); }
  NewHandles(const NewHandles&) = delete;
  NewHandles& operator=(const NewHandles&) = delete;
  ~NewHandles() {
    if (kept_) return;
    for (void* handle : out_) {
      if (handle != nullptr) delete static_cast<T*>(close_handle(KindOf<T>::value, handle));
    }
    out_.clear();
  }
  void reserve(size_t count) { out_.reserve(count); }
  void add(T object) {
    out_.push_back(nullptr);
    out_.back() = make_handle<T>(std::move(object));
  }
  void add_null() { out_.push_back(nullptr); }
  void** keep() {
    kept_ = true;
    return out_.data();
  }
  size_t size() const { return out_.size(); }

 private:
  std::vector<void*>& out_;
  bool kept_ = false;
};

}  // namespace mxnet::capi
