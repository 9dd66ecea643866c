// Convolution as matrix products over unrolled patches.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/gemm.h"
#include "kernels/im2col.h"

namespace mxnet::reference {
namespace {

// Arrays enter and leave as the user has them and are worked on in channels-first float or double.
template <class T> using work_t = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Rearranges [outer, a, b] to [outer, b, a], converting elements.
template <class From, class To>
void transpose_convert(const From* from, To* to, int64_t outer, int64_t a, int64_t b) {
  parallel_for(outer * a, b, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t o = r / a, i = r % a;
      for (int64_t j = 0; j < b; ++j) to[(o * b + j) * a + i] = static_cast<To>(from[r * b + j]);
    }
  });
}

template <class T>
struct Plan {
  using W = work_t<T>;
  ConvGeometry g;
  ConvArgs args;
  bool direct = std::is_same_v<T, W>;  // user arrays can be used as they are
  bool pointwise = false;              // a patch is one element: nothing to unroll
  int64_t group_in = 0, group_out = 0, patch = 0, pixels = 0;
  int64_t data_count = 0, out_count = 0;
  size_t bytes = 0;
  size_t columns_at = 0, data_at = 0, weight_at = 0, out_at = 0;

  Plan(const ConvGeometry& geometry, ConvArgs a) : g(geometry), args(a) {
    group_in = g.in_channels / g.groups;
    group_out = g.out_channels / g.groups;
    patch = group_in * g.kernel_size();
    pixels = g.out_size();
    data_count = g.batch * g.in_channels * g.in_size();
    out_count = g.batch * g.out_channels * pixels;
    direct = direct && !g.channels_last;
    pointwise = g.kernel_size() == 1 && g.stride == std::array<int64_t, 3>{1, 1, 1} &&
                g.pad == std::array<int64_t, 3>{0, 0, 0};
    const auto place = [this](int64_t count) {
      const size_t at = bytes;
      bytes += (static_cast<size_t>(count) * sizeof(W) + 63) / 64 * 64;
      return at;
    };
    if (!pointwise) columns_at = place(patch * pixels);
    if (!direct) {
      data_at = place(data_count);
      weight_at = place(g.weight_count());
      out_at = place(out_count);
    }
  }

  W* at(const KernelArgs& a, size_t offset) const {
    return reinterpret_cast<W*>(static_cast<char*>(a.workspace) + offset);
  }
  W* columns(const KernelArgs& a) const { return at(a, columns_at); }

  // channels first <-> the user's order; count = outer * channels * inner.
  const W* load(const KernelArgs& a, const void* user, size_t offset, int64_t outer, int64_t channels,
                int64_t inner) const {
    if (direct) return static_cast<const W*>(user);
    W* to = at(a, offset);
    const T* from = static_cast<const T*>(user);
    if (g.channels_last) {
      transpose_convert(from, to, outer, inner, channels);
    } else {
      transpose_convert(from, to, 1, 1, outer * channels * inner);
    }
    return to;
  }
  W* target(const KernelArgs& a, void* user, size_t offset) const {
    return direct ? static_cast<W*>(user) : at(a, offset);
  }
  void store(const W* from, void* user, int64_t outer, int64_t channels, int64_t inner) const {
    if (direct) return;
    T* to = static_cast<T*>(user);
    if (g.channels_last) {
      transpose_convert(from, to, outer, channels, inner);
    } else {
      transpose_convert(from, to, 1, 1, outer * channels * inner);
    }
  }

  const W* load_data(const KernelArgs& a) const {
    return load(a, a.in[args.data], data_at, g.batch, g.in_channels, g.in_size());
  }
  const W* load_out(const KernelArgs& a) const {
    return load(a, a.in[args.out], out_at, g.batch, g.out_channels, pixels);
  }
  const W* load_weight(const KernelArgs& a) const {
    return load(a, a.in[args.weight], weight_at, g.out_channels, group_in, g.kernel_size());
  }
  const W* data_of(const W* data, int64_t n, int64_t group) const {
    return data + (n * g.in_channels + group * group_in) * g.in_size();
  }
  int64_t out_offset(int64_t n, int64_t group) const { return (n * g.out_channels + group * group_out) * pixels; }

  void forward(const KernelArgs& a) const {
    const W* data = load_data(a);
    const W* weight = load_weight(a);
    W* out = target(a, a.out[args.out], out_at);
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t group = 0; group < g.groups; ++group) {
        const W* x = data_of(data, n, group);
        if (!pointwise) im2col(g, group_in, x, columns(a));
        gemm(false, false, group_out, pixels, patch, W(1), weight + group * group_out * patch, patch,
             pointwise ? x : columns(a), pixels, W(0), out + out_offset(n, group), pixels);
      }
    }
    if (args.bias >= 0) {
      const T* bias = a.input<T>(args.bias);
      parallel_for(g.batch * g.out_channels, pixels, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const W b = static_cast<W>(bias[i % g.out_channels]);
          for (int64_t j = 0; j < pixels; ++j) out[i * pixels + j] += b;
        }
      });
    }
    store(out, a.out[args.out], g.batch, g.out_channels, pixels);
  }

  void backward_data(const KernelArgs& a) const {
    const W* out = load_out(a);
    const W* weight = load_weight(a);
    W* data = target(a, a.out[args.data], data_at);
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t group = 0; group < g.groups; ++group) {
        W* x = const_cast<W*>(data_of(data, n, group));
        gemm(true, false, patch, pixels, group_out, W(1), weight + group * group_out * patch, patch,
             out + out_offset(n, group), pixels, W(0), pointwise ? x : columns(a), pixels);
        if (!pointwise) col2im(g, group_in, columns(a), x);
      }
    }
    if (args.bias >= 0) {
      const T* bias = a.input<T>(args.bias);
      const int64_t size = g.in_size();
      parallel_for(g.batch * g.in_channels, size, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const W b = static_cast<W>(bias[i % g.in_channels]);
          for (int64_t j = 0; j < size; ++j) data[i * size + j] += b;
        }
      });
    }
    store(data, a.out[args.data], g.batch, g.in_channels, g.in_size());
  }

  void backward_weight(const KernelArgs& a) const {
    const W* data = load_data(a);
    const W* out = load_out(a);
    W* weight = target(a, a.out[args.weight], weight_at);
    std::fill_n(weight, g.weight_count(), W(0));
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t group = 0; group < g.groups; ++group) {
        const W* x = data_of(data, n, group);
        if (!pointwise) im2col(g, group_in, x, columns(a));
        gemm(false, true, group_out, patch, pixels, W(1), out + out_offset(n, group), pixels,
             pointwise ? x : columns(a), pixels, W(1), weight + group * group_out * patch, patch);
      }
    }
    if (args.bias >= 0) {
      T* bias = a.output<T>(args.bias);
      parallel_for(g.out_channels, g.batch * pixels, [&](int64_t begin, int64_t end) {
        for (int64_t ch = begin; ch < end; ++ch) {
          W sum = 0;
          for (int64_t n = 0; n < g.batch; ++n) {
            const W* row = out + (n * g.out_channels + ch) * pixels;
            for (int64_t j = 0; j < pixels; ++j) sum += row[j];
          }
          bias[ch] = static_cast<T>(sum);
        }
      });
    }
    store(weight, a.out[args.weight], g.out_channels, group_in, g.kernel_size());
  }
};

template <class Method>
Kernel make(const ConvGeometry& g, ConvArgs args, Method method) {
  return visit_float(g.dtype, "convolution", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const Plan<T> plan(g, args);
    return {[plan, method](const KernelArgs& a) { method(plan, a); }, plan.bytes};
  });
}

}  // namespace

Kernel conv_forward(const ConvGeometry& g, ConvArgs args) {
  return make(g, args, [](const auto& plan, const KernelArgs& a) { plan.forward(a); });
}

Kernel conv_backward_data(const ConvGeometry& g, ConvArgs args) {
  return make(g, args, [](const auto& plan, const KernelArgs& a) { plan.backward_data(a); });
}

Kernel conv_backward_weight(const ConvGeometry& g, ConvArgs args) {
  return make(g, args, [](const auto& plan, const KernelArgs& a) { plan.backward_weight(a); });
}

}  // namespace mxnet::reference
