#include "thread_store.h"

namespace mxnet::capi {

ThreadStore& mx_store() {
  thread_local ThreadStore store;
  return store;
}

ThreadStore& nn_store() {
  thread_local ThreadStore store;
  return store;
}

ThreadStore& ffi_store() {
  thread_local ThreadStore store;
  return store;
}

}  // namespace mxnet::capi
