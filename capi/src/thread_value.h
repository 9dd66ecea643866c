// One object per thread that can still be used while the thread ends: destructors of a host's own objects may call the
// library after this thread's other objects are gone.
#pragma once

namespace mxnet::capi {

// `Tag` tells several objects of one type apart.
template <class T, int Tag = 0>
class ThreadValue {
 public:
  static T& get() {
    if (value_ == nullptr) [[unlikely]] make();
    return *value_;
  }

 private:
  struct Cleaner {
    ~Cleaner() {
      delete value_;
      value_ = nullptr;
    }
  };
  static void make() {
    value_ = new T;
    // Registered the first time only: an object made again while the thread ends is left to the system.
    thread_local Cleaner cleaner;
    (void)cleaner;
  }
  // Found at a fixed offset from the thread pointer: no call per access.
  static thread_local T* value_ __attribute__((tls_model("initial-exec")));
};

template <class T, int Tag>
thread_local T* ThreadValue<T, Tag>::value_ __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace mxnet::capi
