#include "plan/memory.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace mxnet {
namespace {

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

bool live_together(const MemoryBlock& a, const MemoryBlock& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

}  // namespace

size_t plan_memory(std::vector<MemoryBlock>& blocks) {
  std::vector<uint32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<uint32_t> placed;  // sorted by offset
  size_t arena = 0;
  for (uint32_t id : order) {
    MemoryBlock& block = blocks[id];
    const size_t bytes = aligned(block.bytes);
    size_t offset = 0;
    for (uint32_t other_id : placed) {
      const MemoryBlock& other = blocks[other_id];
      if (!live_together(block, other)) continue;
      if (offset + bytes <= other.offset) break;
      offset = std::max(offset, other.offset + aligned(other.bytes));
    }
    block.offset = offset;
    arena = std::max(arena, offset + bytes);
    const auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                                     [&](size_t value, uint32_t p) { return value < blocks[p].offset; });
    placed.insert(at, id);
  }
  return arena;
}

void verify_memory(const std::vector<MemoryBlock>& blocks, size_t arena_bytes) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const MemoryBlock& a = blocks[i];
    if (a.offset % 64 != 0 || a.offset + a.bytes > arena_bytes) {
      fail_as(ErrorKind::kInternalError, "memory plan: block ", i, " leaves the arena");
    }
    for (size_t j = 0; j < i; ++j) {
      const MemoryBlock& b = blocks[j];
      if (live_together(a, b) && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) {
        fail_as(ErrorKind::kInternalError, "memory plan: blocks ", i, " and ", j, " overlap while both live");
      }
    }
  }
}

}  // namespace mxnet
