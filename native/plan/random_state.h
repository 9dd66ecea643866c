// The seeded random stream of each device.
#pragma once

#include <atomic>
#include <cstdint>

#include "op/kernel.h"
#include "tensor/context.h"

namespace mxnet {

class RandomState final : public RandomSource {
 public:
  void seed(uint64_t seed) {
    seed_.store(seed, std::memory_order_relaxed);
    offset_.store(0, std::memory_order_relaxed);
  }
  Philox take(uint64_t blocks) override {
    return Philox(seed_.load(std::memory_order_relaxed), offset_.fetch_add(blocks, std::memory_order_relaxed));
  }

 private:
  std::atomic<uint64_t> seed_{0};
  std::atomic<uint64_t> offset_{0};
};

// The stream of one device; lives as long as the process.
RandomState& random_state(const Context& context);
// Seeds every device: the same numbers follow on each, from whatever language they are drawn.
void seed_all(int64_t seed);

}  // namespace mxnet
