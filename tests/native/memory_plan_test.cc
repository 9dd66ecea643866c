#include "plan/memory.h"

#include <gtest/gtest.h>

#include <random>

namespace mxnet {
namespace {

TEST(MemoryPlan, ReusesMemoryOfDeadBlocks) {
  // A chain: each block lives for two steps, so two slots are enough.
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back({1024, i, i + 1, 0});
  const size_t arena = plan_memory(blocks);
  verify_memory(blocks, arena);
  EXPECT_EQ(arena, 2048u);
}

TEST(MemoryPlan, RandomLifetimesNeverOverlapAndStayNearTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<MemoryBlock> blocks;
    for (int i = 0; i < 60; ++i) {
      const int first = static_cast<int>(random() % 40);
      blocks.push_back({1 + random() % 5000, first, first + static_cast<int>(random() % 12), 0});
    }
    const size_t arena = plan_memory(blocks);
    verify_memory(blocks, arena);
    size_t bound = 0;  // the most bytes alive at one step
    for (int step = 0; step < 60; ++step) {
      size_t alive = 0;
      for (const MemoryBlock& b : blocks) {
        if (b.first_step <= step && step <= b.last_step) alive += (b.bytes + 63) / 64 * 64;
      }
      bound = std::max(bound, alive);
    }
    EXPECT_LE(arena, bound * 3 / 2);
  }
}

TEST(MemoryPlan, VerifierSeesAnOverlap) {
  const std::vector<MemoryBlock> blocks = {{100, 0, 3, 0}, {100, 2, 5, 64}};
  EXPECT_ANY_THROW(verify_memory(blocks, 1024));
}

}  // namespace
}  // namespace mxnet
