// Counter-based random bits: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
// Any block of the stream can be computed on its own, so results do not depend on the number of threads.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace mxnet {

class Philox {
 public:
  // Blocks of the stream (seed, offset): block i is philox(key = seed, counter = offset + i).
  Philox(uint64_t seed, uint64_t offset) : seed_(seed), offset_(offset) {}

  std::array<uint32_t, 4> block(uint64_t index) const {
    const uint64_t position = offset_ + index;
    std::array<uint32_t, 4> c = {static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32), 0x6d78u, 0u};
    uint32_t k0 = static_cast<uint32_t>(seed_);
    uint32_t k1 = static_cast<uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c[0];
      const uint64_t p1 = uint64_t{0xCD9E8D57u} * c[2];
      c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return c;
  }

  // Uniform in [0, 1) with 24 and 53 random bits.
  static float unit_float(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
  static double unit_double(uint32_t high, uint32_t low) {
    return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  }

 private:
  uint64_t seed_;
  uint64_t offset_;
};

// A sequential generator over one lane of blocks, for samplers that reject (gamma, Poisson, ...). Item i of a draw
// uses lane i, so it sees the same numbers whatever thread computes it.
class PhiloxLane {
 public:
  PhiloxLane(const Philox& stream, uint64_t lane, uint64_t lane_blocks)
      : stream_(stream), next_(lane * lane_blocks) {}
  uint32_t bits() {
    if (used_ == 4) {
      block_ = stream_.block(next_++);
      used_ = 0;
    }
    return block_[used_++];
  }
  double uniform() {
    const uint32_t high = bits();
    return Philox::unit_double(high, bits());
  }
  double normal() {  // Box and Muller, "A note on the generation of random normal deviates" (1958)
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  const Philox& stream_;
  uint64_t next_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace mxnet
