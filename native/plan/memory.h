// Offsets for the temporaries of a plan in one arena. Greedy by size over lifetimes, as in Pisarchyk and Lee, "Efficient
// memory management for deep neural net inference" (2020): large blocks first, each at the lowest offset that is free
// during its whole life.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxnet {

struct MemoryBlock {
  size_t bytes = 0;
  int32_t first_step = 0;  // lifetime, both ends included
  int32_t last_step = 0;
  size_t offset = 0;       // the result
};

// Sets the offsets (multiples of 64) and returns the size of the arena.
size_t plan_memory(std::vector<MemoryBlock>& blocks);
// Throws when two blocks that live at the same time overlap. Run in debug builds and tests.
void verify_memory(const std::vector<MemoryBlock>& blocks, size_t arena_bytes);

}  // namespace mxnet
