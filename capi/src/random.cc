// Random seeds.
#include "generated/impl.h"
#include "plan/random_state.h"

namespace mxnet::capi::impl {

void MXRandomSeed(int seed) { seed_all(seed); }

void MXRandomSeedContext(int seed, int dev_type, int dev_id) {
  const Context context = Context::from_codes(dev_type, dev_id);
  require_device(context);
  random_state(context).seed(static_cast<uint64_t>(static_cast<int64_t>(seed)));
}

}  // namespace mxnet::capi::impl
