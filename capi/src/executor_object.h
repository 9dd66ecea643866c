#pragma once

#include <memory>

#include "plan/executor.h"

namespace mxnet::capi {

struct ExecutorObject {
  std::shared_ptr<Executor> executor;
};

}  // namespace mxnet::capi
