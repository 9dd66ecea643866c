// User-defined operators: front ends register creators when they start.
#include <map>
#include <mutex>
#include <string>

#include "generated/impl.h"
#include "guard.h"

namespace mxnet::capi::impl {
namespace {

struct Creators {
  std::mutex mutex;
  std::map<std::string, CustomOpPropCreator> by_name;
};

Creators& creators() {
  static auto* all = new Creators;
  return *all;
}

}  // namespace

void MXCustomOpRegister(const char* op_type, CustomOpPropCreator creator) {
  Creators& all = creators();
  const std::lock_guard lock(all.mutex);
  all.by_name[op_type] = creator;
}

}  // namespace mxnet::capi::impl
