// Monitor callbacks of C as the library's.
#pragma once

#include <string>

#include "handle.h"
#include "plan/executor.h"

namespace mxnet::capi {

// The callback gets a new handle that it must free. NULL takes the monitor away.
inline MonitorFn monitor_of(void (*callback)(const char*, void*, void*), void* payload) {
  if (callback == nullptr) return nullptr;
  return [callback, payload](const std::string& name, const NDArray& array) {
    callback(name.c_str(), make_handle(NDArray(array)), payload);
  };
}

}  // namespace mxnet::capi
