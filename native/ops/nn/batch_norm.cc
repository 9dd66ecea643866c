// BatchNorm and its older form BatchNorm_v1.
#include <cmath>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "kernels/norm_math.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct BatchNormParam {
  double eps = 1e-3f;
  float momentum = 0.9f;
  bool fix_gamma = true;
  bool use_global_stats = false;
  bool output_mean_var = false;
  int32_t axis = 1;
  bool cudnn_off = false;
  std::optional<float> min_calib_range;
  std::optional<float> max_calib_range;
};

struct BatchNormV1Param {
  float eps = 1e-3f;
  float momentum = 0.9f;
  bool fix_gamma = true;
  bool use_global_stats = false;
  bool output_mean_var = false;
};

const char* const kEpsDoc = "Added to the variance so that nothing is divided by zero.";
const char* const kMomentumDoc = "Weight of the old value in the moving averages.";
const char* const kFixGammaDoc = "Take gamma as one and give it no gradient.";
const char* const kGlobalDoc = "Normalise by the moving averages in training too.";
const char* const kOutputDoc = "Show mean and spread as outputs as well.";

ParamSchema schema() {
  return Params<BatchNormParam>()
      .field("eps", &BatchNormParam::eps, kEpsDoc)
      .field("momentum", &BatchNormParam::momentum, kMomentumDoc)
      .field("fix_gamma", &BatchNormParam::fix_gamma, kFixGammaDoc)
      .field("use_global_stats", &BatchNormParam::use_global_stats, kGlobalDoc)
      .field("output_mean_var", &BatchNormParam::output_mean_var, kOutputDoc)
      .field("axis", &BatchNormParam::axis, "The channel axis.")
      .field("cudnn_off", &BatchNormParam::cudnn_off, "Do not use cuDNN; a hint for GPUs.")
      .field("min_calib_range", &BatchNormParam::min_calib_range, "Lowest output value seen in calibration, for int8.")
      .field("max_calib_range", &BatchNormParam::max_calib_range, "Highest output value seen in calibration, for int8.");
}

ParamSchema schema_v1() {
  return Params<BatchNormV1Param>()
      .field("eps", &BatchNormV1Param::eps, kEpsDoc)
      .field("momentum", &BatchNormV1Param::momentum, kMomentumDoc)
      .field("fix_gamma", &BatchNormV1Param::fix_gamma, kFixGammaDoc)
      .field("use_global_stats", &BatchNormV1Param::use_global_stats, kGlobalDoc)
      .field("output_mean_var", &BatchNormV1Param::output_mean_var, kOutputDoc);
}

// Both forms as one set of settings. Their second statistic differs: BatchNorm gives 1 / sqrt(variance + eps), the
// older form the variance.
struct Settings {
  double eps;
  double momentum;
  bool fix_gamma, use_global_stats, output_mean_var;
  int axis;
  bool gives_variance;

  Settings(const Attrs& attrs, bool v1) : gives_variance(v1) {
    const auto take = [this](const auto& p) {
      eps = p.eps, momentum = p.momentum, fix_gamma = p.fix_gamma, use_global_stats = p.use_global_stats;
      output_mean_var = p.output_mean_var;
    };
    if (v1) {
      take(attrs.get<BatchNormV1Param>());
      axis = 1;
    } else {
      const auto& p = attrs.get<BatchNormParam>();
      take(p);
      axis = p.axis;
    }
  }
};

const char* op_name(bool v1) { return v1 ? "BatchNorm_v1" : "BatchNorm"; }

InferShapeFn infer_shape_with(bool v1) {
  return [v1](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
    const Settings s(attrs, v1);
    Shape& data = in[0];
    assign_shape(data, out[0], op_name(v1));
    if (!data.ndim_known()) return;
    const int axis = normalize_axis(s.axis, data.ndim(), op_name(v1));
    for (size_t i = 1; i < in.size(); ++i) {
      if (data[axis] < 0 && in[i].ndim() == 1) data[axis] = in[i][0];
    }
    const Shape channels{data[axis]};
    for (size_t i = 1; i < in.size(); ++i) assign_shape(in[i], channels, op_name(v1));
    for (size_t i = 1; i < out.size(); ++i) assign_shape(out[i], channels, op_name(v1));
    assign_shape(out[0], data, op_name(v1));
  };
}

// Half precision data has float32 parameters and statistics.
DType param_type(DType data) {
  return data == DType::kFloat16 || data == DType::kBfloat16 ? DType::kFloat32 : data;
}

InferTypeFn infer_type_with(bool v1) {
  return [v1](const Attrs&, DTypeVec& in, DTypeVec& out) {
    assign_type(in[0], out[0], op_name(v1));
    if (in[0] == DType::kUnknown) {
      // float64 parameters belong to float64 data only.
      for (size_t i = 1; i < in.size(); ++i) {
        if (in[i] == DType::kFloat64) assign_type(in[0], in[i]);
      }
    }
    if (in[0] == DType::kUnknown) return;
    require_float(in[0], op_name(v1));
    assign_type(out[0], in[0], op_name(v1));
    for (size_t i = 1; i < in.size(); ++i) assign_type(in[i], param_type(in[0]), op_name(v1));
    for (size_t i = 1; i < out.size(); ++i) assign_type(out[i], param_type(in[0]), op_name(v1));
  };
}

AxisView view_of(const Shape& data, int axis) {
  axis = axis < 0 ? axis + data.ndim() : axis;
  return {data.product(0, axis), data[axis], data.product(axis + 1, data.ndim())};
}

// Channels that are worked on together where they are neighbours in memory.
constexpr int64_t kBlock = 64;

// Adds value(x index, channel lane) over all elements of the channels [c, c + width) into total[lane].
template <class A, class Fn>
void channel_sums(const AxisView& v, int64_t c, int64_t width, double* total, Fn value) {
  for (int64_t j = 0; j < width; ++j) total[j] = 0;
  if (v.inner == 1) {
    constexpr int64_t kRows = 128;  // rows added in working precision before they join the total
    for (int64_t start = 0; start < v.outer; start += kRows) {
      const int64_t end = std::min(v.outer, start + kRows);
      A part[kBlock] = {};
      for (int64_t n = start; n < end; ++n) {
        for (int64_t j = 0; j < width; ++j) part[j] += value(n * v.channels + c + j, j);
      }
      for (int64_t j = 0; j < width; ++j) total[j] += static_cast<double>(part[j]);
    }
    return;
  }
  for (int64_t j = 0; j < width; ++j) {
    for (int64_t n = 0; n < v.outer; ++n) {
      const int64_t at = (n * v.channels + c + j) * v.inner;
      total[j] += static_cast<double>(lane_sum<A>(v.inner, [&](int64_t i) { return value(at + i, j); }));
    }
  }
}

template <class Fn>
void each_element(const AxisView& v, int64_t c, int64_t width, Fn fn) {
  if (v.inner == 1) {
    for (int64_t n = 0; n < v.outer; ++n) {
      for (int64_t j = 0; j < width; ++j) fn(n * v.channels + c + j, j);
    }
    return;
  }
  for (int64_t j = 0; j < width; ++j) {
    for (int64_t n = 0; n < v.outer; ++n) {
      const int64_t at = (n * v.channels + c + j) * v.inner;
      for (int64_t i = 0; i < v.inner; ++i) fn(at + i, j);
    }
  }
}

// fn(first channel, number of channels): one channel at a time, or blocks of neighbours.
template <class Fn>
void each_channel_block(const AxisView& v, Fn fn) {
  const int64_t width = v.inner == 1 ? kBlock : 1;
  const int64_t blocks = (v.channels + width - 1) / width;
  parallel_for(blocks, v.outer * v.inner * width * 2, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) fn(b * width, std::min(width, v.channels - b * width));
  });
}

template <class T>
Kernel forward_for(const Settings& s, const AxisView& v, bool batch_stats) {
  using A = compute_t<T>;
  return {[s, v, batch_stats](const KernelArgs& args) {
    const T* x = args.input<T>(0);
    const A* gamma = args.input<A>(1);
    const A* beta = args.input<A>(2);
    const A* moving_mean = args.input<A>(3);
    const A* moving_var = args.input<A>(4);
    T* y = args.output<T>(0);
    A* mean_out = args.output<A>(1);
    A* spread_out = args.output<A>(2);
    const double count = static_cast<double>(v.outer * v.inner);
    each_channel_block(v, [&](int64_t c, int64_t width) {
      A mean[kBlock], scale[kBlock], shift[kBlock];
      double total[kBlock];
      if (batch_stats) {
        channel_sums<A>(v, c, width, total, [&](int64_t at, int64_t) { return static_cast<A>(x[at]); });
        for (int64_t j = 0; j < width; ++j) mean[j] = static_cast<A>(count > 0 ? total[j] / count : 0);
        channel_sums<A>(v, c, width, total, [&](int64_t at, int64_t j) {
          const A d = static_cast<A>(x[at]) - mean[j];
          return d * d;
        });
      }
      for (int64_t j = 0; j < width; ++j) {
        double variance = batch_stats ? (count > 0 ? total[j] / count : 0) : static_cast<double>(moving_var[c + j]);
        if (!batch_stats) mean[j] = moving_mean[c + j];
        const double inverse = 1.0 / std::sqrt(variance + s.eps);
        mean_out[c + j] = mean[j];
        spread_out[c + j] = static_cast<A>(s.gives_variance ? variance : inverse);
        scale[j] = static_cast<A>(inverse * (s.fix_gamma ? 1.0 : static_cast<double>(gamma[c + j])));
        shift[j] = beta[c + j];
      }
      each_element(v, c, width, [&](int64_t at, int64_t j) {
        y[at] = static_cast<T>((static_cast<A>(x[at]) - mean[j]) * scale[j] + shift[j]);
      });
    });
  }};
}

// Inputs: out_grad, data, gamma, moving_mean, moving_var, mean, spread. The moving averages take up this batch here, in
// the backward pass, so that a forward pass alone leaves them as they are.
template <class T>
Kernel backward_for(const Settings& s, const AxisView& v, bool batch_stats) {
  using A = compute_t<T>;
  return {[s, v, batch_stats](const KernelArgs& args) {
    const T* dy = args.input<T>(0);
    const T* x = args.input<T>(1);
    const A* gamma = args.input<A>(2);
    A* moving_mean = args.input<A>(3);
    A* moving_var = args.input<A>(4);
    const A* mean_in = args.input<A>(5);
    const A* spread_in = args.input<A>(6);
    T* dx = args.output<T>(0);
    A* dgamma = args.output<A>(1);
    A* dbeta = args.output<A>(2);
    const double count = static_cast<double>(v.outer * v.inner);
    each_channel_block(v, [&](int64_t c, int64_t width) {
      A mean[kBlock], inverse[kBlock], factor[kBlock], of_x[kBlock], constant[kBlock];
      double sum_dy[kBlock], sum_dyx[kBlock];
      for (int64_t j = 0; j < width; ++j) {
        double variance;
        if (batch_stats) {
          const double spread = static_cast<double>(spread_in[c + j]);
          variance = s.gives_variance ? spread : 1.0 / (spread * spread) - s.eps;
          mean[j] = mean_in[c + j];
        } else {
          variance = static_cast<double>(moving_var[c + j]);
          mean[j] = moving_mean[c + j];
        }
        inverse[j] = static_cast<A>(1.0 / std::sqrt(variance + s.eps));
        if (batch_stats) {
          moving_mean[c + j] = static_cast<A>(moving_mean[c + j] * s.momentum + mean[j] * (1 - s.momentum));
          moving_var[c + j] = static_cast<A>(moving_var[c + j] * s.momentum + variance * (1 - s.momentum));
        }
      }
      channel_sums<A>(v, c, width, sum_dy, [&](int64_t at, int64_t) { return static_cast<A>(dy[at]); });
      channel_sums<A>(v, c, width, sum_dyx, [&](int64_t at, int64_t j) {
        return static_cast<A>(dy[at]) * (static_cast<A>(x[at]) - mean[j]);
      });
      for (int64_t j = 0; j < width; ++j) {
        dbeta[c + j] = static_cast<A>(sum_dy[j]);
        dgamma[c + j] = s.fix_gamma ? A(0) : static_cast<A>(sum_dyx[j] * inverse[j]);
        factor[j] = (s.fix_gamma ? A(1) : gamma[c + j]) * inverse[j];
        const double k = batch_stats && count > 0 ? 1.0 / count : 0.0;
        of_x[j] = static_cast<A>(sum_dyx[j] * k * inverse[j] * inverse[j]);
        constant[j] = static_cast<A>(sum_dy[j] * k);
      }
      each_element(v, c, width, [&](int64_t at, int64_t j) {
        const A centred = static_cast<A>(x[at]) - mean[j];
        dx[at] = static_cast<T>((static_cast<A>(dy[at]) - constant[j] - centred * of_x[j]) * factor[j]);
      });
    });
  }};
}

Kernel make_kernel(const KernelContext& c, bool v1, bool backward) {
  const Settings s(c.attrs, v1);
  const AxisView v = view_of(c.out_shapes[0], s.axis);
  const bool batch_stats = c.is_train && !s.use_global_stats;
  return visit_float(c.in_types[0], op_name(v1), [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return backward ? backward_for<T>(s, v, batch_stats) : forward_for<T>(s, v, batch_stats);
  });
}

void register_batch_norm(bool v1, ParamSchema params, std::initializer_list<const char*> aliases) {
  const char* backward = v1 ? "_backward_BatchNorm_v1" : "_backward_BatchNorm";
  OpDef& op = register_op(op_name(v1));
  op.alias(aliases)
      .doc("Normalises each channel over the batch, then scales and shifts it.")
      .params(params)
      .inputs({"data", "gamma", "beta", "moving_mean", "moving_var"})
      .mutates({3, 4})
      .auto_input_attr("moving_mean", "__init__", "[\"zero\", {}]")
      .auto_input_attr("moving_var", "__init__", "[\"one\", {}]")
      .outputs(3)
      .visible_outputs([v1](const Attrs& attrs) { return Settings(attrs, v1).output_mean_var ? 3 : 1; })
      .output_names({"output", "mean", "var"})
      .infer_shape(infer_shape_with(v1))
      .infer_type(infer_type_with(v1))
      .inplace(0, 0)
      .gradient([backward](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return g.spread(g.node(backward, {g.out_grad(), g.input(0), g.input(1), g.input(3), g.input(4), g.output(1), g.output(2)},
                               g.parameters()));
      })
      .kernel([v1](const KernelContext& c) { return make_kernel(c, v1, false); });
  if (v1) {
    op.documented_inputs({{"data", "NDArray-or-Symbol"}, {"gamma", "NDArray-or-Symbol"}, {"beta", "NDArray-or-Symbol"}});
  }

  register_op(backward)
      .internal()
      .params(params)
      .inputs({"out_grad", "data", "gamma", "moving_mean", "moving_var", "mean", "var"})
      .mutates({3, 4})
      .outputs(3)
      .infer_shape(shape_like_inputs({1, 2, 2}))
      .infer_type(type_like_inputs({1, 2, 2}))
      .inplace(0, 0)
      .kernel([v1](const KernelContext& c) { return make_kernel(c, v1, true); });
}

}  // namespace

MXNET_REGISTER(batch_norm) {
  register_batch_norm(false, schema(), {"_npx_batch_norm"});
  register_batch_norm(true, schema_v1(), {});
}

}  // namespace mxnet
