// LRN (normalisation across neighbouring channels) and L2Normalization.
#include <cmath>

#include "base/parallel.h"
#include "kernels/norm_math.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct LrnParam {
  float alpha = 1e-4f;
  float beta = 0.75f;
  float knorm = 2.0f;
  uint32_t nsize = 0;
};

struct LrnView {
  int64_t batch, channels, pixels;
  int64_t before, after;  // channels of the window on both sides
  double scale;           // alpha / nsize
  double alpha, beta, knorm;
  LrnView(const Shape& data, const LrnParam& p) {
    batch = data[0], channels = data[1], pixels = data.product(2, data.ndim());
    before = p.nsize / 2;
    after = p.nsize - 1 - before;
    alpha = p.alpha, beta = p.beta, knorm = p.knorm;
    scale = alpha / p.nsize;
  }
};

// sum[i] = sum over the window around channel c of value(channel, pixel i), for pixels [first, last) of image n.
constexpr int64_t kPixels = 64;

template <class A, class Fn>
void window_sums(const LrnView& v, int64_t c, int64_t lanes, A* sum, Fn value) {
  for (int64_t i = 0; i < lanes; ++i) sum[i] = 0;
  const int64_t end = std::min(v.channels, c + v.after + 1);
  for (int64_t k = std::max<int64_t>(0, c - v.before); k < end; ++k) {
    for (int64_t i = 0; i < lanes; ++i) sum[i] += value(k, i);
  }
}

template <class Fn>
void each_pixel_run(const LrnView& v, Fn fn) {
  const int64_t runs = (v.pixels + kPixels - 1) / kPixels;
  parallel_for(v.batch * runs, v.channels * kPixels * 40, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t first = r % runs * kPixels;
      fn(r / runs * v.channels * v.pixels + first, std::min(kPixels, v.pixels - first));
    }
  });
}

template <class T>
Kernel lrn_forward(const LrnView& v) {
  using A = compute_t<T>;
  return {[v](const KernelArgs& args) {
    each_pixel_run(v, [&](int64_t start, int64_t lanes) {
      const T* x = args.input<T>(0) + start;
      T* y = args.output<T>(0) + start;
      T* norm = args.output<T>(1) + start;
      for (int64_t c = 0; c < v.channels; ++c) {
        A sum[kPixels];
        window_sums(v, c, lanes, sum, [&](int64_t k, int64_t i) {
          const A value = static_cast<A>(x[k * v.pixels + i]);
          return value * value;
        });
        for (int64_t i = 0; i < lanes; ++i) {
          const A base = static_cast<A>(v.knorm) + static_cast<A>(v.scale) * sum[i];
          norm[c * v.pixels + i] = static_cast<T>(base);
          y[c * v.pixels + i] = static_cast<T>(static_cast<A>(x[c * v.pixels + i]) * std::pow(base, static_cast<A>(-v.beta)));
        }
      }
    });
  }};
}

// Inputs: out_grad, data, norm. The window of the sum is turned round: channel c receives from every k whose window
// holds c.
template <class T>
Kernel lrn_backward(LrnView v) {
  using A = compute_t<T>;
  std::swap(v.before, v.after);
  return {[v](const KernelArgs& args) {
    each_pixel_run(v, [&](int64_t start, int64_t lanes) {
      const T* dy = args.input<T>(0) + start;
      const T* x = args.input<T>(1) + start;
      const T* norm = args.input<T>(2) + start;
      T* dx = args.output<T>(0) + start;
      for (int64_t c = 0; c < v.channels; ++c) {
        A sum[kPixels];
        window_sums(v, c, lanes, sum, [&](int64_t k, int64_t i) {
          const int64_t at = k * v.pixels + i;
          return static_cast<A>(dy[at]) * static_cast<A>(x[at]) *
                 std::pow(static_cast<A>(norm[at]), static_cast<A>(-v.beta - 1));
        });
        for (int64_t i = 0; i < lanes; ++i) {
          const int64_t at = c * v.pixels + i;
          dx[at] = static_cast<T>(static_cast<A>(dy[at]) * std::pow(static_cast<A>(norm[at]), static_cast<A>(-v.beta)) -
                                  static_cast<A>(2 * v.scale * v.beta) * static_cast<A>(x[at]) * sum[i]);
        }
      }
    });
  }};
}

struct L2Param {
  float eps = 1e-10f;
  int mode = 0;
};
enum L2Mode { kInstance = 0, kChannel = 1, kSpatial = 2 };

AxisView l2_view(const Shape& data, int mode) {
  const int nd = data.ndim();
  if (mode == kInstance) return {data[0], data.product(1, nd), 1};
  if (mode == kChannel) return {data[0], data[1], data.product(2, nd)};
  return {data[0] * data[1], data.product(2, nd), 1};
}

void infer_l2(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<L2Param>();
  Shape& data = in[0];
  assign_shape(data, out[0], "L2Normalization");
  if (!data.ndim_known()) return;
  require(data.ndim() >= (p.mode == kInstance ? 2 : 3), "L2Normalization: At least ", p.mode == kInstance ? 2 : 3,
          " dimensions required in ", p.mode == kInstance ? "instance" : p.mode == kChannel ? "channel" : "spatial",
          " mode, given ", data);
  assign_shape(out[0], data, "L2Normalization");
  Shape norm{data[0]};
  if (p.mode == kSpatial) norm.push_back(data[1]);
  if (p.mode == kChannel) {
    for (int i = 2; i < data.ndim(); ++i) norm.push_back(data[i]);
  }
  assign_shape(out[1], norm, "L2Normalization");
}

constexpr int64_t kLanes = 32;

// fn(start, row, lanes) for every run of neighbouring positions beside the reduced axis.
template <class Fn>
void each_run(const AxisView& v, Fn fn) {
  const int64_t tiles = (v.inner + kLanes - 1) / kLanes;
  parallel_for(v.outer * tiles, v.channels * std::min(v.inner, kLanes) * 2, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t o = t / tiles, i = t % tiles * kLanes;
      fn(o * v.channels * v.inner + i, o * v.inner + i, std::min(kLanes, v.inner - i));
    }
  });
}

template <class A, class Fn>
void axis_sums(const AxisView& v, int64_t lanes, A* sum, Fn value) {
  if (v.inner == 1) {
    sum[0] = lane_sum<A>(v.channels, [&](int64_t c) { return value(c, int64_t{0}); });
    return;
  }
  for (int64_t j = 0; j < lanes; ++j) sum[j] = 0;
  for (int64_t c = 0; c < v.channels; ++c) {
    for (int64_t j = 0; j < lanes; ++j) sum[j] += value(c, j);
  }
}

template <class T>
Kernel l2_forward(const AxisView& v, double eps) {
  using A = compute_t<T>;
  return {[v, eps](const KernelArgs& args) {
    each_run(v, [&](int64_t start, int64_t row, int64_t lanes) {
      const T* x = args.input<T>(0) + start;
      T* y = args.output<T>(0) + start;
      A norm[kLanes];
      axis_sums(v, lanes, norm, [&](int64_t c, int64_t j) {
        const A value = static_cast<A>(x[c * v.inner + j]);
        return value * value;
      });
      for (int64_t j = 0; j < lanes; ++j) {
        norm[j] = std::sqrt(norm[j] + static_cast<A>(eps));
        args.output<T>(1)[row + j] = static_cast<T>(norm[j]);
      }
      for (int64_t c = 0; c < v.channels; ++c) {
        for (int64_t j = 0; j < lanes; ++j) y[c * v.inner + j] = static_cast<T>(static_cast<A>(x[c * v.inner + j]) / norm[j]);
      }
    });
  }};
}

// Inputs: out_grad, output, norm.
template <class T>
Kernel l2_backward(const AxisView& v) {
  using A = compute_t<T>;
  return {[v](const KernelArgs& args) {
    each_run(v, [&](int64_t start, int64_t row, int64_t lanes) {
      const T* dy = args.input<T>(0) + start;
      const T* y = args.input<T>(1) + start;
      T* dx = args.output<T>(0) + start;
      A dot[kLanes], norm[kLanes];
      axis_sums(v, lanes, dot, [&](int64_t c, int64_t j) {
        return static_cast<A>(dy[c * v.inner + j]) * static_cast<A>(y[c * v.inner + j]);
      });
      for (int64_t j = 0; j < lanes; ++j) norm[j] = static_cast<A>(args.input<T>(2)[row + j]);
      for (int64_t c = 0; c < v.channels; ++c) {
        for (int64_t j = 0; j < lanes; ++j) {
          const int64_t at = c * v.inner + j;
          dx[at] = static_cast<T>((static_cast<A>(dy[at]) - static_cast<A>(y[at]) * dot[j]) / norm[j]);
        }
      }
    });
  }};
}

}  // namespace

MXNET_REGISTER(lrn) {
  const ParamSchema schema = Params<LrnParam>()
                                 .field("alpha", &LrnParam::alpha, "Weight of the mean square of the window.")
                                 .field("beta", &LrnParam::beta, "Exponent.")
                                 .field("knorm", &LrnParam::knorm, "Constant part of the base.")
                                 .required("nsize", &LrnParam::nsize, "Number of channels of the window.")
                                 .at_least(1);
  register_op("LRN")
      .doc("Divides by (knorm + alpha / nsize * sum of squares over neighbouring channels) ^ beta.")
      .params(schema)
      .outputs(2)
      .visible_outputs(1)
      .output_names({"output", "tmp_norm"})
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        infer_same_shape(attrs, in, out);
        require(!in[0].ndim_known() || in[0].ndim() == 4, "LRN: Input data should be 4D in batch-channel-y-x, given ",
                in[0]);
      })
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_LRN", {0}, {0}, {1}))
      .kernel([](const KernelContext& c) -> Kernel {
        const LrnView v(c.in_shapes[0], c.attrs.get<LrnParam>());
        return visit_float(c.in_types[0], "LRN", [&](auto tag) { return lrn_forward<typename decltype(tag)::type>(v); });
      });
  register_op("_backward_LRN")
      .internal()
      .params(schema)
      .inputs({"out_grad", "data", "norm"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) -> Kernel {
        const LrnView v(c.in_shapes[1], c.attrs.get<LrnParam>());
        return visit_float(c.in_types[0], "LRN", [&](auto tag) { return lrn_backward<typename decltype(tag)::type>(v); });
      });
}

MXNET_REGISTER(l2_normalization) {
  const ParamSchema schema =
      Params<L2Param>()
          .field("eps", &L2Param::eps, "Added to the sum of squares so that nothing is divided by zero.")
          .enumeration("mode", &L2Param::mode, {{"channel", kChannel}, {"instance", kInstance}, {"spatial", kSpatial}},
                       "What has unit length: a sample, a pixel across channels, or a channel of a sample.");
  register_op("L2Normalization")
      .doc("Divides by the Euclidean norm of a sample, of a pixel across channels, or of a channel.")
      .params(schema)
      .outputs(2)
      .visible_outputs(1)
      .output_names({"output", "norm"})
      .infer_shape(infer_l2)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient(backward_op("_backward_L2Normalization", {0}, {}, {0, 1}))
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<L2Param>();
        const AxisView v = l2_view(c.in_shapes[0], p.mode);
        return visit_float(c.in_types[0], "L2Normalization",
                           [&](auto tag) { return l2_forward<typename decltype(tag)::type>(v, p.eps); });
      });
  register_op("_backward_L2Normalization")
      .internal()
      .params(schema)
      .inputs({"out_grad", "output", "norm"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel([](const KernelContext& c) -> Kernel {
        const AxisView v = l2_view(c.in_shapes[1], c.attrs.get<L2Param>().mode);
        return visit_float(c.in_types[0], "L2Normalization",
                           [&](auto tag) { return l2_backward<typename decltype(tag)::type>(v); });
      });
}

}  // namespace mxnet
