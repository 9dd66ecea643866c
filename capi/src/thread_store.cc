#include "thread_store.h"

#include "thread_value.h"

namespace mxnet::capi {

ThreadStore& mx_store() { return ThreadValue<ThreadStore, 0>::get(); }
ThreadStore& nn_store() { return ThreadValue<ThreadStore, 1>::get(); }
ThreadStore& ffi_store() { return ThreadValue<ThreadStore, 2>::get(); }

}  // namespace mxnet::capi
