// LayerNorm: normalisation along one axis.
#include <cmath>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "kernels/norm_math.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct LayerNormParam {
  int32_t axis = -1;
  float eps = 1e-5f;
  bool output_mean_var = false;
};

ParamSchema schema() {
  return Params<LayerNormParam>()
      .field("axis", &LayerNormParam::axis, "The axis to normalise.")
      .field("eps", &LayerNormParam::eps, "Added to the variance so that nothing is divided by zero.")
      .field("output_mean_var", &LayerNormParam::output_mean_var, "Show mean and standard deviation as outputs as well.");
}

void infer_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<LayerNormParam>();
  Shape& data = in[0];
  assign_shape(data, out[0], "LayerNorm");
  if (!data.ndim_known()) return;
  const int axis = normalize_axis(p.axis, data.ndim(), "LayerNorm");
  for (int i = 1; i < 3; ++i) {
    if (data[axis] < 0 && in[i].ndim() == 1) data[axis] = in[i][0];
  }
  for (int i = 1; i < 3; ++i) assign_shape(in[i], Shape{data[axis]}, "LayerNorm");
  assign_shape(out[0], data, "LayerNorm");
  Shape moment = data;
  moment[axis] = 1;
  assign_shape(out[1], moment, "LayerNorm");
  assign_shape(out[2], moment, "LayerNorm");
}

AxisView view_of(const Shape& data, int axis) {
  axis = axis < 0 ? axis + data.ndim() : axis;
  return {data.product(0, axis), data[axis], data.product(axis + 1, data.ndim())};
}

// Positions beside the axis that are worked on together.
constexpr int64_t kTile = 32;

// fn(start element, row, lanes): every run of `lanes` neighbouring positions; rows count them in order.
template <class Fn>
void each_tile(const AxisView& v, Fn fn) {
  const int64_t tiles = (v.inner + kTile - 1) / kTile;
  parallel_for(v.outer * tiles, v.channels * std::min(v.inner, kTile) * 3, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t o = t / tiles, i = t % tiles * kTile;
      fn(o * v.channels * v.inner + i, o * v.inner + i, std::min(kTile, v.inner - i));
    }
  });
}

// total[lane] = sum over the axis of value(channel, lane).
template <class A, class Fn>
void axis_sums(const AxisView& v, int64_t lanes, A* total, Fn value) {
  if (v.inner == 1) {
    total[0] = lane_sum<A>(v.channels, [&](int64_t c) { return value(c, int64_t{0}); });
    return;
  }
  for (int64_t j = 0; j < lanes; ++j) total[j] = 0;
  for (int64_t c = 0; c < v.channels; ++c) {
    for (int64_t j = 0; j < lanes; ++j) total[j] += value(c, j);
  }
}

template <class Fn>
void each_element(const AxisView& v, int64_t lanes, Fn fn) {
  if (v.inner == 1) {
    for (int64_t c = 0; c < v.channels; ++c) fn(c, int64_t{0});
    return;
  }
  for (int64_t c = 0; c < v.channels; ++c) {
    for (int64_t j = 0; j < lanes; ++j) fn(c, j);
  }
}

template <class T>
Kernel forward_for(const AxisView& v, double eps) {
  using A = compute_t<T>;
  return {[v, eps](const KernelArgs& args) {
    const T* gamma = args.input<T>(1);
    const T* beta = args.input<T>(2);
    each_tile(v, [&](int64_t start, int64_t row, int64_t lanes) {
      const T* x = args.input<T>(0) + start;
      T* y = args.output<T>(0) + start;
      const int64_t step = v.inner;
      A mean[kTile], inverse[kTile];
      axis_sums(v, lanes, mean, [&](int64_t c, int64_t j) { return static_cast<A>(x[c * step + j]); });
      for (int64_t j = 0; j < lanes; ++j) mean[j] /= static_cast<A>(v.channels);
      axis_sums(v, lanes, inverse, [&](int64_t c, int64_t j) {
        const A d = static_cast<A>(x[c * step + j]) - mean[j];
        return d * d;
      });
      for (int64_t j = 0; j < lanes; ++j) {
        const A spread = std::sqrt(inverse[j] / static_cast<A>(v.channels) + static_cast<A>(eps));
        args.output<T>(1)[row + j] = static_cast<T>(mean[j]);
        args.output<T>(2)[row + j] = static_cast<T>(spread);
        inverse[j] = A(1) / spread;
      }
      each_element(v, lanes, [&](int64_t c, int64_t j) {
        y[c * step + j] = static_cast<T>((static_cast<A>(x[c * step + j]) - mean[j]) * inverse[j] *
                                             static_cast<A>(gamma[c]) + static_cast<A>(beta[c]));
      });
    });
  }};
}

// Inputs: out_grad, data, gamma, mean, std.
template <class T>
Kernel backward_data_for(const AxisView& v) {
  using A = compute_t<T>;
  return {[v](const KernelArgs& args) {
    const T* gamma = args.input<T>(2);
    each_tile(v, [&](int64_t start, int64_t row, int64_t lanes) {
      const T* dy = args.input<T>(0) + start;
      const T* x = args.input<T>(1) + start;
      T* dx = args.output<T>(0) + start;
      const int64_t step = v.inner;
      const A n = static_cast<A>(v.channels);
      A mean[kTile], inverse[kTile], sum_g[kTile], sum_gx[kTile];
      for (int64_t j = 0; j < lanes; ++j) {
        mean[j] = static_cast<A>(args.input<T>(3)[row + j]);
        inverse[j] = A(1) / static_cast<A>(args.input<T>(4)[row + j]);
      }
      const auto grad = [&](int64_t c, int64_t j) { return static_cast<A>(dy[c * step + j]) * static_cast<A>(gamma[c]); };
      const auto unit = [&](int64_t c, int64_t j) { return (static_cast<A>(x[c * step + j]) - mean[j]) * inverse[j]; };
      axis_sums(v, lanes, sum_g, grad);
      axis_sums(v, lanes, sum_gx, [&](int64_t c, int64_t j) { return grad(c, j) * unit(c, j); });
      for (int64_t j = 0; j < lanes; ++j) sum_g[j] /= n, sum_gx[j] /= n;
      each_element(v, lanes, [&](int64_t c, int64_t j) {
        dx[c * step + j] = static_cast<T>((grad(c, j) - sum_g[j] - unit(c, j) * sum_gx[j]) * inverse[j]);
      });
    });
  }};
}

// Inputs: out_grad, data, mean, std; outputs: the gradients of gamma and beta.
template <class T>
Kernel backward_gamma_for(const AxisView& v) {
  using A = compute_t<T>;
  return {[v](const KernelArgs& args) {
    const T* dy = args.input<T>(0);
    const T* x = args.input<T>(1);
    const T* mean = args.input<T>(2);
    const T* spread = args.input<T>(3);
    T* dgamma = args.output<T>(0);
    T* dbeta = args.output<T>(1);
    const int64_t width = v.inner == 1 ? 64 : 1;
    const int64_t blocks = (v.channels + width - 1) / width;
    parallel_for(blocks, v.outer * v.inner * width * 2, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t c = b * width, lanes = std::min(width, v.channels - c);
        A g[64] = {}, s[64] = {};
        for (int64_t o = 0; o < v.outer; ++o) {
          if (v.inner == 1) {
            const T* py = dy + o * v.channels + c;
            const T* px = x + o * v.channels + c;
            const A m = static_cast<A>(mean[o]), inverse = A(1) / static_cast<A>(spread[o]);
            for (int64_t j = 0; j < lanes; ++j) {
              g[j] += static_cast<A>(py[j]) * ((static_cast<A>(px[j]) - m) * inverse);
              s[j] += static_cast<A>(py[j]);
            }
          } else {
            const int64_t at = (o * v.channels + c) * v.inner, row = o * v.inner;
            g[0] += lane_sum<A>(v.inner, [&](int64_t i) {
              return static_cast<A>(dy[at + i]) * (static_cast<A>(x[at + i]) - static_cast<A>(mean[row + i])) /
                     static_cast<A>(spread[row + i]);
            });
            s[0] += lane_sum<A>(v.inner, [&](int64_t i) { return static_cast<A>(dy[at + i]); });
          }
        }
        for (int64_t j = 0; j < lanes; ++j) {
          dgamma[c + j] = static_cast<T>(g[j]);
          dbeta[c + j] = static_cast<T>(s[j]);
        }
      }
    });
  }};
}

}  // namespace

MXNET_REGISTER(layer_norm) {
  register_op("LayerNorm")
      .alias({"_npx_layer_norm"})
      .doc("Normalises along one axis, then scales and shifts.")
      .params(schema())
      .inputs({"data", "gamma", "beta"})
      .outputs(3)
      .visible_outputs([](const Attrs& attrs) { return attrs.get<LayerNormParam>().output_mean_var ? 3 : 1; })
      .output_names({"output", "mean", "std"})
      .infer_shape(infer_shape)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const NodePtr affine = g.node("_backward_LayerNorm_gamma",
                                      {g.out_grad(), g.input(0), g.output(1), g.output(2)}, g.parameters());
        return std::vector<Entry>{g.op("_backward_LayerNorm",
                                       {g.out_grad(), g.input(0), g.input(1), g.output(1), g.output(2)}, g.parameters()),
                                  Entry{affine, 0, 0}, Entry{affine, 1, 0}};
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<LayerNormParam>();
        return visit_float(c.in_types[0], "LayerNorm", [&](auto tag) -> Kernel {
          return forward_for<typename decltype(tag)::type>(view_of(c.in_shapes[0], p.axis), p.eps);
        });
      });
  register_op("_backward_LayerNorm")
      .internal()
      .params(schema())
      .inputs({"out_grad", "data", "gamma", "mean", "std"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<LayerNormParam>();
        return visit_float(c.in_types[0], "LayerNorm", [&](auto tag) -> Kernel {
          return backward_data_for<typename decltype(tag)::type>(view_of(c.in_shapes[1], p.axis));
        });
      });
  register_op("_backward_LayerNorm_gamma")
      .internal()
      .params(schema())
      .inputs({"out_grad", "data", "mean", "std"})
      .outputs(2)
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[1].ndim_known()) return;
        const int axis = normalize_axis(attrs.get<LayerNormParam>().axis, in[1].ndim(), "LayerNorm");
        for (Shape& shape : out) assign_shape(shape, Shape{in[1][axis]});
      })
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<LayerNormParam>();
        return visit_float(c.in_types[0], "LayerNorm", [&](auto tag) -> Kernel {
          return backward_gamma_for<typename decltype(tag)::type>(view_of(c.in_shapes[1], p.axis));
        });
      });
}

}  // namespace mxnet
