#include "plan/random_state.h"

#include <map>
#include <memory>
#include <mutex>

namespace mxnet {
namespace {

struct States {
  std::mutex mutex;
  std::map<std::pair<int32_t, int32_t>, std::unique_ptr<RandomState>> by_device;
  uint64_t seed = 0;
};

States& states() {
  static States* instance = new States;
  return *instance;
}

}  // namespace

RandomState& random_state(const Context& context) {
  if (context == Context{}) {  // the common device needs no lock
    static RandomState* cpu = [] {
      States& all = states();
      const std::lock_guard lock(all.mutex);
      auto& slot = all.by_device[{1, 0}];
      if (!slot) {
        slot = std::make_unique<RandomState>();
        slot->seed(all.seed);
      }
      return slot.get();
    }();
    return *cpu;
  }
  States& all = states();
  const std::lock_guard lock(all.mutex);
  auto& slot = all.by_device[{static_cast<int32_t>(context.device_type), context.device_id}];
  if (!slot) {
    slot = std::make_unique<RandomState>();
    slot->seed(all.seed);
  }
  return *slot;
}

void seed_all(int64_t seed) {
  States& all = states();
  const std::lock_guard lock(all.mutex);
  all.seed = static_cast<uint64_t>(seed);
  for (auto& [device, state] : all.by_device) state->seed(all.seed);
}

}  // namespace mxnet
