#include "kernels/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace mxnet {
namespace {

// Results are computed a tile of lanes at a time. Channels first: the lanes are neighbouring results of one row, so a
// tap reads every stride-th element. Channels last: they are neighbouring channels of one result.
constexpr int64_t kLanes = 64;

// A recorded tap is kept in as many bytes as an element has, four at most.
template <class T> using tap_t = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
template <class Tap> constexpr Tap kNoTap = std::numeric_limits<Tap>::max();          // an empty window
template <class Tap> constexpr Tap kNothingRecorded = std::numeric_limits<Tap>::max() - 1;

// One spatial dimension of all windows.
struct Axis {
  struct Window {
    int64_t start = 0;    // first tap, may lie before the data
    int64_t counted = 0;  // taps that an average counts
  };
  std::vector<Window> windows;

  Axis(const PoolGeometry& g, int i) {
    for (int64_t o = 0; o < g.out[i]; ++o) {
      Window w;
      w.start = o * g.stride[i] - g.pad[i];
      const int64_t end = std::min(w.start + g.kernel[i], g.in[i] + g.pad[i]);
      w.counted = g.count_include_pad ? end - w.start
                                      : std::max<int64_t>(0, std::min(end, g.in[i]) - std::max<int64_t>(w.start, 0));
      if (g.fixed_divisor) w.counted = g.kernel[i];
      windows.push_back(w);
    }
  }
};

// The lanes of a tile that tap `k` of the last dimension reaches inside the data: [first, last).
struct LaneRange {
  int64_t first, last;
  LaneRange(const PoolGeometry& g, int64_t k, int64_t tile, int64_t lanes) {
    const int64_t s = g.stride[2], offset = g.pad[2] - k;  // o * s - offset in [0, in)
    const int64_t low = offset <= 0 ? 0 : (offset + s - 1) / s;
    const int64_t top = g.in[2] - 1 + offset;
    const int64_t high = top < 0 ? 0 : top / s + 1;
    first = std::max<int64_t>(low - tile, 0);
    last = std::min<int64_t>(high - tile, lanes);
  }
};

template <class T>
struct Pool {
  using A = compute_t<T>;
  using Tap = tap_t<T>;

  PoolGeometry g;
  Axis depth, height, width;
  std::vector<int64_t> tap_offsets;  // of every tap from the first one of its window, in elements of one channel
  bool inside = true;                // no window reaches over the border of the data

  explicit Pool(const PoolGeometry& geometry) : g(geometry), depth(g, 0), height(g, 1), width(g, 2) {
    for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
      for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
        for (int64_t kw = 0; kw < g.kernel[2]; ++kw) tap_offsets.push_back((kd * g.in[1] + kh) * g.in[2] + kw);
      }
    }
    for (int i = 0; i < 3; ++i) {
      inside = inside && g.pad[i] == 0 && (g.out[i] - 1) * g.stride[i] + g.kernel[i] <= g.in[i];
    }
  }

  // fn(offset of the tap in the data image for lane 0, tap number, first lane, last lane) for every tap of the windows
  // of one tile. `column` is the first result of the tile in its row.
  template <class Fn>
  void each_tap(int64_t od, int64_t oh, int64_t column, int64_t lanes, Fn fn) const {
    const int64_t step = g.channels_last ? g.channels : 1;
    for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
      const int64_t z = depth.windows[od].start + kd;
      if (z < 0 || z >= g.in[0]) continue;
      for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
        const int64_t y = height.windows[oh].start + kh;
        if (y < 0 || y >= g.in[1]) continue;
        const int64_t row = (z * g.in[1] + y) * g.in[2];
        for (int64_t kw = 0; kw < g.kernel[2]; ++kw) {
          const int64_t x = width.windows[column].start + kw;
          const int64_t tap = (kd * g.kernel[1] + kh) * g.kernel[2] + kw;
          if (g.channels_last) {
            if (x >= 0 && x < g.in[2]) fn((row + x) * step, tap, int64_t{0}, lanes);
          } else {
            const LaneRange range(g, kw, column, lanes);
            if (range.first < range.last) fn(row + x, tap, range.first, range.last);
          }
        }
      }
    }
  }

  int64_t lane_step() const { return g.channels_last ? 1 : g.stride[2]; }

  A divisor(int64_t od, int64_t oh, int64_t ow) const {
    return static_cast<A>(depth.windows[od].counted * height.windows[oh].counted * width.windows[ow].counted);
  }

  void max_tile(const T* x, int64_t od, int64_t oh, int64_t column, int64_t lanes, A* acc) const {
    for (int64_t i = 0; i < lanes; ++i) acc[i] = static_cast<A>(lowest());
    const int64_t step = lane_step();
    each_tap(od, oh, column, lanes, [&](int64_t at, int64_t, int64_t first, int64_t last) {
      const T* from = x + at;
      if (step == 1) {
        for (int64_t i = first; i < last; ++i) acc[i] = std::max(acc[i], static_cast<A>(from[i]));
      } else {
        for (int64_t i = first; i < last; ++i) acc[i] = std::max(acc[i], static_cast<A>(from[i * step]));
      }
    });
  }

  void max_tile_taps(const T* x, int64_t od, int64_t oh, int64_t column, int64_t lanes, A* acc, uint32_t* taps) const {
    for (int64_t i = 0; i < lanes; ++i) acc[i] = static_cast<A>(lowest()), taps[i] = std::numeric_limits<uint32_t>::max();
    const int64_t step = lane_step();
    each_tap(od, oh, column, lanes, [&](int64_t at, int64_t tap, int64_t first, int64_t last) {
      const T* from = x + at;
      const uint32_t number = static_cast<uint32_t>(tap);
      for (int64_t i = first; i < last; ++i) {
        const A v = static_cast<A>(from[i * step]);
        const bool better = v > acc[i];
        acc[i] = better ? v : acc[i];
        taps[i] = better ? number : taps[i];
      }
    });
  }

  void sum_tile(const T* x, int64_t od, int64_t oh, int64_t column, int64_t lanes, A* acc) const {
    for (int64_t i = 0; i < lanes; ++i) acc[i] = 0;
    const int64_t step = lane_step();
    const auto add = [&](auto map) {
      each_tap(od, oh, column, lanes, [&](int64_t at, int64_t, int64_t first, int64_t last) {
        const T* from = x + at;
        for (int64_t i = first; i < last; ++i) acc[i] += map(static_cast<A>(from[i * step]));
      });
    };
    if (g.type != PoolType::kLp || g.power == 1) {
      add([](A v) { return v; });
    } else if (g.power == 2) {
      add([](A v) { return v * v; });
    } else {
      add([](A v) { return v * v * v; });
    }
    if (g.type == PoolType::kAvg) {
      for (int64_t i = 0; i < lanes; ++i) {
        const A d = divisor(od, oh, g.channels_last ? column : column + i);
        acc[i] = d > 0 ? acc[i] / d : A(0);
      }
    } else if (g.type == PoolType::kLp && g.power > 1) {
      for (int64_t i = 0; i < lanes; ++i) acc[i] = g.power == 2 ? std::sqrt(acc[i]) : std::cbrt(acc[i]);
    }
  }

  static T lowest() {
    if constexpr (std::is_same_v<T, half>) return half(-65504.0f);
    else if constexpr (std::is_same_v<T, bfloat16>) return bfloat16(-3.38953139e38f);
    else return std::numeric_limits<T>::lowest();
  }

  // fn(image, channel offset, od, oh, column, lanes, index of lane 0 in the results) for every tile; in parallel over
  // images (and channel blocks), so that tiles of one image are visited in order.
  template <class Fn>
  void each_tile(Fn fn) const {
    const int64_t work = g.out_size() * g.kernel_size();
    if (!g.channels_last) {
      parallel_for(g.batch * g.channels, work, [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
          int64_t at = plane * g.out_size();
          for (int64_t od = 0; od < g.out[0]; ++od) {
            for (int64_t oh = 0; oh < g.out[1]; ++oh) {
              for (int64_t ow = 0; ow < g.out[2]; ow += kLanes) {
                const int64_t lanes = std::min(kLanes, g.out[2] - ow);
                fn(plane * g.in_size(), od, oh, ow, lanes, at);
                at += lanes;
              }
            }
          }
        }
      });
      return;
    }
    const int64_t blocks = (g.channels + kLanes - 1) / kLanes;
    parallel_for(g.batch * blocks, work * kLanes, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t n = b / blocks, c = b % blocks * kLanes;
        const int64_t lanes = std::min(kLanes, g.channels - c);
        int64_t at = n * g.out_size() * g.channels + c;
        for (int64_t od = 0; od < g.out[0]; ++od) {
          for (int64_t oh = 0; oh < g.out[1]; ++oh) {
            for (int64_t ow = 0; ow < g.out[2]; ++ow, at += g.channels) {
              fn(n * g.in_size() * g.channels + c, od, oh, ow, lanes, at);
            }
          }
        }
      }
    });
  }

  void forward(const T* x, T* y, Tap* taps, bool record) const {
    if (taps && !record && g.out_size() * g.batch * g.channels > 0) taps[0] = kNothingRecorded<Tap>;
    if (small_window(x, y, taps, record)) return;
    each_tile([&](int64_t image, int64_t od, int64_t oh, int64_t column, int64_t lanes, int64_t at) {
      A acc[kLanes];
      uint32_t numbers[kLanes];
      if (g.type != PoolType::kMax) {
        sum_tile(x + image, od, oh, column, lanes, acc);
      } else if (record) {
        max_tile_taps(x + image, od, oh, column, lanes, acc, numbers);
        for (int64_t i = 0; i < lanes; ++i) taps[at + i] = static_cast<Tap>(numbers[i]);
      } else {
        max_tile(x + image, od, oh, column, lanes, acc);
      }
      for (int64_t i = 0; i < lanes; ++i) y[at + i] = static_cast<T>(acc[i]);
    });
  }

  void clear(T* dx) const {
    const int64_t n = g.batch * g.channels * g.in_size();
    parallel_for(n, 1, [&](int64_t begin, int64_t end) { std::fill(dx + begin, dx + end, T(0)); });
  }

  // Offset in the data image of the first tap of the window (od, oh, ow); negative where it lies before the data.
  int64_t window_offset(int64_t od, int64_t oh, int64_t ow) const {
    return (depth.windows[od].start * g.in[1] + height.windows[oh].start) * g.in[2] + width.windows[ow].start;
  }

  // The maximum over small windows that lie inside, channels first: one result after another, all taps unrolled.
  template <int K, int step, bool record>
  void forward_small(const T* x, T* y, Tap* taps) const {
    parallel_for(g.batch * g.channels, g.out_size() * K * K, [&](int64_t begin, int64_t end) {
      const int64_t row = g.in[2], width = g.out[2];
      for (int64_t r = begin * g.out[1]; r < end * g.out[1]; ++r) {
        const T* __restrict from = x + r / g.out[1] * g.in_size() + r % g.out[1] * g.stride[1] * row;
        T* __restrict to = y + r * width;
        Tap* __restrict taken = record ? taps + r * width : nullptr;
        for (int64_t i = 0; i < width; ++i) {  // free of branches, so that it runs on vectors
          A best = static_cast<A>(from[i * step]);
          Tap number = best > static_cast<A>(lowest()) ? Tap(0) : kNoTap<Tap>;
          const auto look = [&](int k) {
            const A v = static_cast<A>(from[k / K * row + i * step + k % K]);
            const bool better = v > best;
            best = better ? v : best;
            number = better ? static_cast<Tap>(k) : number;
          };
          // Unrolled here: the vectoriser wants a loop without one inside.
          [&]<int... k>(std::integer_sequence<int, k...>) { (look(k + 1), ...); }(std::make_integer_sequence<int, K * K - 1>{});
          to[i] = static_cast<T>(best);
          if constexpr (record) taken[i] = number;
        }
      }
    });
  }

  // Whether forward_small has done the work.
  bool small_window(const T* x, T* y, Tap* taps, bool record) const {
    if (g.type != PoolType::kMax || g.channels_last || !inside || g.kernel[0] != 1 || g.kernel[1] != g.kernel[2] ||
        g.in[0] != 1) {
      return false;
    }
    const auto run = [&](auto kernel, auto step) {
      constexpr int k = decltype(kernel)::value, s = decltype(step)::value;
      record ? forward_small<k, s, true>(x, y, taps) : forward_small<k, s, false>(x, y, taps);
    };
    const std::integral_constant<int, 2> two{};
    const std::integral_constant<int, 3> three{};
    if (g.kernel[2] == 2 && g.stride[2] == 2) {
      run(two, two);
    } else if (g.kernel[2] == 3 && g.stride[2] == 2) {
      run(three, two);
    } else {
      return false;
    }
    return true;
  }

  void backward_max(const T* dy, const T* x, const Tap* taps, T* dx) const {
    clear(dx);
    if (taps && taps[0] == kNothingRecorded<Tap>) taps = nullptr;
    each_tile([&](int64_t image, int64_t od, int64_t oh, int64_t column, int64_t lanes, int64_t at) {
      uint32_t numbers[kLanes];
      if (taps) {
        for (int64_t i = 0; i < lanes; ++i) {
          numbers[i] = taps[at + i] == kNoTap<Tap> ? std::numeric_limits<uint32_t>::max() : taps[at + i];
        }
      } else {
        A acc[kLanes];
        max_tile_taps(x + image, od, oh, column, lanes, acc, numbers);
      }
      // Within a row of channels-first results only the column changes with the lane.
      const int64_t first = window_offset(od, oh, column), step = g.stride[2];
      for (int64_t i = 0; i < lanes; ++i) {
        if (numbers[i] == std::numeric_limits<uint32_t>::max()) continue;
        const int64_t offset = first + tap_offsets[numbers[i]];
        T& slot = g.channels_last ? dx[image + offset * g.channels + i] : dx[image + offset + i * step];
        slot = static_cast<T>(static_cast<A>(slot) + static_cast<A>(dy[at + i]));
      }
    });
  }

  void backward_sum(const T* dy, const T* x, const T* y, T* dx) const {
    clear(dx);
    const int64_t step = lane_step();
    const bool power = g.type == PoolType::kLp && g.power > 1;
    each_tile([&](int64_t image, int64_t od, int64_t oh, int64_t column, int64_t lanes, int64_t at) {
      A grad[kLanes], scale[kLanes];
      for (int64_t i = 0; i < lanes; ++i) {
        grad[i] = static_cast<A>(dy[at + i]);
        if (g.type == PoolType::kAvg) {
          const A d = divisor(od, oh, g.channels_last ? column : column + i);
          grad[i] = d > 0 ? grad[i] / d : A(0);
        }
        if (power) {  // d/dx (sum x^p)^(1/p) = (x / y)^(p-1)
          const A out = static_cast<A>(y[at + i]);
          scale[i] = out == A(0) ? A(0) : A(1) / out;
        }
      }
      each_tap(od, oh, column, lanes, [&](int64_t offset, int64_t, int64_t first, int64_t last) {
        T* to = dx + image + offset;
        const T* from = x + image + offset;
        if (!power) {
          for (int64_t i = first; i < last; ++i) to[i * step] = static_cast<T>(static_cast<A>(to[i * step]) + grad[i]);
          return;
        }
        for (int64_t i = first; i < last; ++i) {
          A ratio = static_cast<A>(from[i * step]) * scale[i];
          if (g.power == 3) ratio *= ratio;
          to[i * step] = static_cast<T>(static_cast<A>(to[i * step]) + grad[i] * ratio);
        }
      });
    });
  }
};

// The number of a tap must fit below the two marks.
bool taps_fit(const PoolGeometry& g) {
  return dtype_size(g.dtype) != 2 || g.kernel_size() < std::numeric_limits<uint16_t>::max() - 1;
}

}  // namespace

Kernel pool_forward(const PoolGeometry& g, bool taps, bool record) {
  return visit_float(g.dtype, "Pooling", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const bool write = taps && record && taps_fit(g);
    return {[pool = Pool<T>(g), taps, write](const KernelArgs& a) {
      pool.forward(a.input<T>(0), a.output<T>(0), taps ? a.output<tap_t<T>>(1) : nullptr, write);
    }};
  });
}

Kernel pool_backward(const PoolGeometry& g, bool taps) {
  return visit_float(g.dtype, "Pooling", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    if (g.type == PoolType::kMax) {
      return {[pool = Pool<T>(g), taps](const KernelArgs& a) {
        pool.backward_max(a.input<T>(0), a.input<T>(1), taps ? a.input<tap_t<T>>(2) : nullptr, a.output<T>(0));
      }};
    }
    const bool lp = g.type == PoolType::kLp;
    return {[pool = Pool<T>(g), lp](const KernelArgs& a) {
      pool.backward_sum(a.input<T>(0), a.input<T>(1), lp ? a.input<T>(2) : nullptr, a.output<T>(0));
    }};
  });
}

}  // namespace mxnet
