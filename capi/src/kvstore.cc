// Roles of this process among the workers and servers of a key-value store.
#include <cstdlib>
#include <string_view>

#include "generated/impl.h"

namespace mxnet::capi::impl {
namespace {

std::string_view role() {
  const char* text = std::getenv("DMLC_ROLE");
  return text == nullptr ? "worker" : text;
}

}  // namespace

void MXKVStoreIsWorkerNode(int* ret) { *ret = role() == "worker" ? 1 : 0; }
void MXKVStoreIsServerNode(int* ret) { *ret = role() == "server" ? 1 : 0; }
void MXKVStoreIsSchedulerNode(int* ret) { *ret = role() == "scheduler" ? 1 : 0; }

}  // namespace mxnet::capi::impl
