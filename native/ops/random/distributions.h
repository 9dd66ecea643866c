// The distributions that the random operators draw from. A distribution writes items [begin, end) of a draw, each item
// from its own place in the stream, so that the result does not depend on how the work is split.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/philox.h"
#include "tensor/dtype.h"

namespace mxnet {

// Blocks set aside for an item of a distribution that rejects; far more than it ever needs.
inline constexpr uint64_t kLaneBlocks = 64;

// Calls put(i, block, word) so that `words` words (1, 2 or 4) of the stream belong to each item.
template <int Words, class Put>
void for_each_words(const Philox& stream, int64_t begin, int64_t end, const Put& put) {
  constexpr int64_t kPerBlock = 4 / Words;
  for (int64_t i = begin; i < end;) {
    const auto block = stream.block(static_cast<uint64_t>(i / kPerBlock));
    for (int64_t k = i % kPerBlock; k < kPerBlock && i < end; ++k, ++i) put(i, &block[static_cast<size_t>(k * Words)]);
  }
}

// How many blocks n items of that kind take.
inline uint64_t word_blocks(int64_t n, int words) { return static_cast<uint64_t>((n * words + 3) / 4); }

// 64-bit types draw with 53 bits, the others with 24.
template <class T>
inline constexpr bool is_wide = sizeof(T) == 8;

struct Uniform {
  static constexpr const char* kName = "uniform";
  double low, high;
  template <class T>
  static uint64_t blocks(int64_t n) {
    return word_blocks(n, is_wide<T> ? 2 : 1);
  }
  template <class T>
  void fill(const Philox& stream, int64_t begin, int64_t end, T* out) const {
    if constexpr (is_wide<T>) {
      for_each_words<2>(stream, begin, end, [&](int64_t i, const uint32_t* w) {
        out[i] = static_cast<T>(low + (high - low) * Philox::unit_double(w[0], w[1]));
      });
    } else {
      const auto l = static_cast<float>(low);
      const auto span = static_cast<float>(high - low);
      for_each_words<1>(stream, begin, end, [&](int64_t i, const uint32_t* w) {
        out[i] = static_cast<T>(l + span * Philox::unit_float(w[0]));
      });
    }
  }
};

// Box and Muller (1958): two words or doubles make two numbers.
struct Normal {
  static constexpr const char* kName = "normal";
  double mean, deviation;
  template <class T>
  static uint64_t blocks(int64_t n) {
    return word_blocks((n + 1) / 2 * 2, is_wide<T> ? 2 : 1);
  }
  template <class T>
  void fill(const Philox& stream, int64_t begin, int64_t end, T* out) const {
    using C = std::conditional_t<is_wide<T>, double, float>;
    constexpr int kWords = is_wide<T> ? 4 : 2;
    const auto m = static_cast<C>(mean);
    const auto s = static_cast<C>(deviation);
    for_each_words<kWords>(stream, begin / 2, (end + 1) / 2, [&](int64_t pair, const uint32_t* w) {
      C u, v;
      if constexpr (is_wide<T>) {
        u = Philox::unit_double(w[0], w[1]);
        v = Philox::unit_double(w[2], w[3]);
      } else {
        u = Philox::unit_float(w[0]);
        v = Philox::unit_float(w[1]);
      }
      const C radius = std::sqrt(C(-2) * std::log(C(1) - u));
      const C angle = static_cast<C>(2 * std::numbers::pi) * v;
      if (2 * pair >= begin) out[2 * pair] = static_cast<T>(m + s * radius * std::cos(angle));
      if (2 * pair + 1 < end) out[2 * pair + 1] = static_cast<T>(m + s * radius * std::sin(angle));
    });
  }
};

struct Exponential {
  static constexpr const char* kName = "exponential";
  double rate;
  double unused;
  template <class T>
  static uint64_t blocks(int64_t n) {
    return word_blocks(n, is_wide<T> ? 2 : 1);
  }
  template <class T>
  void fill(const Philox& stream, int64_t begin, int64_t end, T* out) const {
    if constexpr (is_wide<T>) {
      for_each_words<2>(stream, begin, end, [&](int64_t i, const uint32_t* w) {
        out[i] = static_cast<T>(-std::log(1 - Philox::unit_double(w[0], w[1])) / rate);
      });
    } else {
      const auto r = static_cast<float>(rate);
      for_each_words<1>(stream, begin, end, [&](int64_t i, const uint32_t* w) {
        out[i] = static_cast<T>(-std::log(1 - Philox::unit_float(w[0])) / r);
      });
    }
  }
};

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
inline double draw_gamma(PhiloxLane& lane, double shape, double scale) {
  if (!(shape > 0) || !std::isfinite(shape)) return std::numeric_limits<double>::quiet_NaN();
  const double boost = shape < 1 ? std::pow(1 - lane.uniform(), 1 / shape) : 1;  // gamma(a) = gamma(a + 1) * U^(1/a)
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = lane.normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    const double u = 1 - lane.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale * boost;
  }
}

// Multiplication for small means; for others Hoermann, "The transformed rejection method for generating Poisson random
// variables" (1993), algorithm PTRS.
inline double draw_poisson(PhiloxLane& lane, double mean) {
  if (!(mean >= 0) || !std::isfinite(mean)) return std::numeric_limits<double>::quiet_NaN();
  if (mean < 10) {
    const double limit = std::exp(-mean);
    double product = 1 - lane.uniform();
    double count = 0;
    for (; product > limit; ++count) product *= 1 - lane.uniform();
    return count;
  }
  const double log_mean = std::log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = lane.uniform() - 0.5;
    const double v = 1 - lane.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <= k * log_mean - mean - std::lgamma(k + 1))
      return k;
  }
}

// The distributions below draw each item from a lane of its own.
template <class Draw>
struct LaneDistribution {
  double first, second;
  template <class T>
  static uint64_t blocks(int64_t n) {
    return static_cast<uint64_t>(n) * kLaneBlocks;
  }
  template <class T>
  void fill(const Philox& stream, int64_t begin, int64_t end, T* out) const {
    for (int64_t i = begin; i < end; ++i) {
      PhiloxLane lane(stream, static_cast<uint64_t>(i), kLaneBlocks);
      out[i] = static_cast<T>(Draw::draw(lane, first, second));
    }
  }
};

struct GammaDraw {
  static double draw(PhiloxLane& lane, double shape, double scale) { return draw_gamma(lane, shape, scale); }
};
struct PoissonDraw {
  static double draw(PhiloxLane& lane, double mean, double) { return draw_poisson(lane, mean); }
};
// A Poisson variable whose mean is gamma distributed.
struct NegativeBinomialDraw {
  static double draw(PhiloxLane& lane, double successes, double probability) {
    if (successes == 0 || probability == 1) return 0;
    return draw_poisson(lane, draw_gamma(lane, successes, (1 - probability) / probability));
  }
};
// By mean and dispersion; without dispersion it is a Poisson variable.
struct GeneralizedNegativeBinomialDraw {
  static double draw(PhiloxLane& lane, double mean, double dispersion) {
    if (mean == 0) return 0;
    return draw_poisson(lane, dispersion == 0 ? mean : draw_gamma(lane, 1 / dispersion, mean * dispersion));
  }
};

using Gamma = LaneDistribution<GammaDraw>;
using Poisson = LaneDistribution<PoissonDraw>;
using NegativeBinomial = LaneDistribution<NegativeBinomialDraw>;
using GeneralizedNegativeBinomial = LaneDistribution<GeneralizedNegativeBinomialDraw>;

}  // namespace mxnet
