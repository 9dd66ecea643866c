// LeakyReLU and its family: leaky, prelu, elu, selu, gelu, rrelu.
#include <cmath>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "op/infer.h"
#include "ops/elemwise/graph_math.h"

namespace mxnet {
namespace {

enum LeakyType { kLeaky, kPRelu, kElu, kSelu, kGelu, kRRelu };

struct LeakyParam {
  int act_type = kLeaky;
  float slope = 0.25f;
  float lower_bound = 0.125f;
  float upper_bound = 0.334f;
};

// Klambauer et al., "Self-normalizing neural networks" (2017)
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;

ParamSchema leaky_schema() {
  return Params<LeakyParam>()
      .enumeration("act_type", &LeakyParam::act_type,
                   {{"elu", kElu}, {"gelu", kGelu}, {"leaky", kLeaky}, {"prelu", kPRelu}, {"rrelu", kRRelu}, {"selu", kSelu}},
                   "The function.")
      .field("slope", &LeakyParam::slope, "Slope of leaky and elu for negative elements.")
      .field("lower_bound", &LeakyParam::lower_bound, "Lowest random slope of rrelu.")
      .field("upper_bound", &LeakyParam::upper_bound, "Highest random slope of rrelu.");
}

int type_of(const Attrs& attrs) { return attrs.get<LeakyParam>().act_type; }

// The negative side is scale * x or scale * (exp(x) - 1); the positive one gain * x.
struct Sides {
  double gain, scale;
  bool exponential;
};

Sides sides_of(const LeakyParam& p) {
  switch (p.act_type) {
    case kElu: return {1, p.slope, true};
    case kSelu: return {kSeluScale, kSeluScale * kSeluAlpha, true};
    default: return {1, p.slope, false};
  }
}

template <class T>
Kernel make_sides_kernel(const Sides& sides, int64_t n) {
  using C = compute_t<T>;
  const C gain = static_cast<C>(sides.gain), scale = static_cast<C>(sides.scale);
  if (!sides.exponential) {
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C v = static_cast<C>(x[i]);
          y[i] = static_cast<T>(v > C(0) ? v : scale * v);
        }
      });
    }};
  }
  constexpr int64_t kTile = 256;
  const UnaryLoop expm1(Unary::kExpm1, DTypeOf<C>::value);
  return {[=](const KernelArgs& args) {
    const T* x = args.input<T>(0);
    T* y = args.output<T>(0);
    parallel_for(n, 3, [&](int64_t begin, int64_t end) {
      C tile[kTile], tail[kTile];
      for (int64_t start = begin; start < end; start += kTile) {
        const int64_t width = std::min(kTile, end - start);
        for (int64_t i = 0; i < width; ++i) tile[i] = static_cast<C>(x[start + i]);
        expm1(tile, tail, width);
        for (int64_t i = 0; i < width; ++i) y[start + i] = static_cast<T>(tile[i] > C(0) ? gain * tile[i] : scale * tail[i]);
      }
    });
  }};
}

// One slope for each channel (axis 1), or one for all.
int64_t slope_count(const Shape& gamma) { return gamma.size(); }

struct Channels {
  int64_t outer, count, inner;
};
Channels channels_of(const Shape& data, const Shape& gamma) {
  const int64_t count = slope_count(gamma);
  if (count == 1) return {1, 1, data.size()};
  const int axis = data.ndim() > 1 ? 1 : 0;
  return {data.product(0, axis), count, data.product(axis + 1, data.ndim())};
}

template <class T>
Kernel make_prelu_kernel(const Channels& ch) {
  using C = compute_t<T>;
  return {[=](const KernelArgs& args) {
    const T* x = args.input<T>(0);
    const T* gamma = args.input<T>(1);
    T* y = args.output<T>(0);
    const auto piece = [&](int64_t slope, int64_t begin, int64_t end) {
      const C s = static_cast<C>(gamma[slope]);
      for (int64_t i = begin; i < end; ++i) {
        const C v = static_cast<C>(x[i]);
        y[i] = static_cast<T>(v > C(0) ? v : s * v);
      }
    };
    if (ch.count == 1) {
      parallel_for(ch.inner, 1, [&](int64_t begin, int64_t end) { piece(0, begin, end); });
      return;
    }
    parallel_for(ch.outer * ch.count, ch.inner, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) piece(r % ch.count, r * ch.inner, (r + 1) * ch.inner);
    });
  }};
}

// Inputs ograd, data, gamma; outputs the gradients of data and gamma.
template <class T>
Kernel make_prelu_grad_kernel(const Channels& ch) {
  using C = compute_t<T>;
  return {[=](const KernelArgs& args) {
    const T* g = args.input<T>(0);
    const T* x = args.input<T>(1);
    const T* gamma = args.input<T>(2);
    T* dx = args.output<T>(0);
    T* dgamma = args.output<T>(1);
    parallel_for(ch.count, 2 * ch.outer * ch.inner, [&](int64_t begin, int64_t end) {
      for (int64_t channel = begin; channel < end; ++channel) {
        const C s = static_cast<C>(gamma[channel]);
        double total = 0;
        for (int64_t o = 0; o < ch.outer; ++o) {
          const int64_t base = (o * ch.count + channel) * ch.inner;
          for (int64_t i = base; i < base + ch.inner; ++i) {
            const C v = static_cast<C>(x[i]);
            const C grad = static_cast<C>(g[i]);
            dx[i] = static_cast<T>(v > C(0) ? grad : s * grad);
            total += v > C(0) ? 0.0 : static_cast<double>(grad) * static_cast<double>(v);
          }
        }
        dgamma[channel] = static_cast<T>(total);
      }
    });
  }};
}

// rrelu: a random slope for each negative element while training, the middle one otherwise; kept in the output `mask`.
template <class T>
Kernel make_rrelu_kernel(const LeakyParam& p, int64_t n, bool is_train) {
  using C = compute_t<T>;
  const C low = static_cast<C>(p.lower_bound), span = static_cast<C>(p.upper_bound - p.lower_bound);
  return {[=](const KernelArgs& args) {
    const T* x = args.input<T>(0);
    T* y = args.output<T>(0);
    T* mask = args.output<T>(1);
    const Philox stream = is_train ? args.random->take(static_cast<uint64_t>((n + 3) / 4)) : Philox(0, 0);
    parallel_for((n + 3) / 4, 20, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        std::array<uint32_t, 4> bits{};
        if (is_train) bits = stream.block(static_cast<uint64_t>(b));
        for (int64_t i = b * 4; i < std::min(n, b * 4 + 4); ++i) {
          const C u = is_train ? static_cast<C>(Philox::unit_float(bits[static_cast<size_t>(i % 4)])) : C(0.5);
          const C v = static_cast<C>(x[i]);
          const C slope = v > C(0) ? C(1) : low + span * u;
          mask[i] = static_cast<T>(slope);
          y[i] = static_cast<T>(v * slope);
        }
      }
    });
  }};
}

Kernel make_leaky_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<LeakyParam>();
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.in_types[0], "LeakyReLU", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    switch (p.act_type) {
      case kGelu: return make_unary_kernel(Unary::kGelu, c);
      case kPRelu: return make_prelu_kernel<T>(channels_of(c.in_shapes[0], c.in_shapes[1]));
      case kRRelu: return make_rrelu_kernel<T>(p, n, c.is_train);
      default: return make_sides_kernel<T>(sides_of(p), n);
    }
  });
}

// leaky, elu, selu; inputs ograd, data, output.
Kernel make_leaky_grad_kernel(const KernelContext& c) {
  const Sides sides = sides_of(c.attrs.get<LeakyParam>());
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.out_types[0], "LeakyReLU", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const C gain = static_cast<C>(sides.gain), scale = static_cast<C>(sides.scale);
    const C from_output = sides.exponential ? C(1) : C(0);  // (scale (e^x - 1))' = output + scale
    return {[=](const KernelArgs& args) {
      const T* g = args.input<T>(0);
      const T* x = args.input<T>(1);
      const T* out = args.input<T>(2);
      T* y = args.output<T>(0);
      parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C grad = static_cast<C>(g[i]);
          const C negative = scale + from_output * static_cast<C>(out[i]);
          y[i] = static_cast<T>(static_cast<C>(x[i]) > C(0) ? grad * gain : grad * negative);
        }
      });
    }};
  });
}

void infer_leaky_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  ShapeVec data{in[0]};
  infer_same_shape(attrs, data, out);
  in[0] = data[0];
  if (type_of(attrs) != kPRelu || !in[0].ndim_known()) return;
  const int64_t channels = in[0].ndim() > 1 ? in[0][1] : in[0].ndim() == 1 ? in[0][0] : 1;
  if (!in[1].ndim_known()) {
    assign_shape(in[1], Shape{channels});
    return;
  }
  if (in[1].known() && in[1].size() == 1) return;
  if (in[1].known() && channels >= 0) {
    require(in[1].size() == channels, "LeakyReLU: gamma of shape ", in[1], " does not fit data of shape ", in[0],
            ": expected 1 or ", channels, " slopes");
  } else {
    assign_shape(in[1], Shape{channels});
  }
}

std::vector<Entry> leaky_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  switch (type_of(node->attrs)) {
    case kGelu: return {g.op("_backward_gelu", {g.out_grad(), g.input(0)})};
    case kRRelu: return {g.mul(g.out_grad(), g.output(1))};
    case kPRelu: return g.spread(g.node("_backward_prelu", {g.out_grad(), g.input(0), g.input(1)}));
    default: return {g.op("_backward_LeakyReLU", {g.out_grad(), g.input(0), g.output(0)}, g.parameters())};
  }
}

}  // namespace

MXNET_REGISTER(leaky_relu) {
  register_op("LeakyReLU").alias({"_npx_leaky_relu"})
      .doc("Rectifiers with a slope for negative elements: fixed (leaky), learned (prelu), random in training (rrelu), "
           "exponential (elu, selu), or the Gaussian error linear unit (gelu).")
      .params(leaky_schema())
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"data"};
        if (type_of(attrs) == kPRelu) names.push_back("gamma");
        return names;
      })
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"gamma", "NDArray-or-Symbol"}})
      .auto_input_attr("gamma", "__init__", "[\"Constant\", {\"value\": 0.25}]")
      .outputs([](const Attrs& attrs) { return type_of(attrs) == kRRelu ? 2 : 1; })
      .output_names([](const Attrs& attrs) {
        return type_of(attrs) == kRRelu ? std::vector<std::string>{"output", "mask"} : std::vector<std::string>{"output"};
      })
      .infer_shape(infer_leaky_shape).infer_type(infer_same_type).inplace(0, 0).random()
      .gradient(leaky_gradient).kernel(make_leaky_kernel);

  register_op("_backward_LeakyReLU").internal().params(leaky_schema()).inputs({"ograd", "data", "output"})
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).inplace(1, 0).inplace(2, 0)
      .pattern(Pattern::kElementwise)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const GraphMath m{g};
        Entry by_output;
        if (sides_of(g.params<LeakyParam>()).exponential) {
          by_output = m.mul(m.mul(g.out_grad(), g.input(0)), m.with_scalar("_lesser_equal_scalar", g.input(1), 0));
        }
        return std::vector<Entry>{g.op("_backward_LeakyReLU", {g.out_grad(), g.input(1), g.input(2)}, g.parameters()),
                                  Entry{}, by_output};
      })
      .kernel(make_leaky_grad_kernel);

  register_op("_backward_prelu").internal().lenient().inputs({"ograd", "data", "gamma"}).outputs(2)
      .infer_shape(shape_like_inputs({1, 2})).infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        return visit_float(c.out_types[0], "LeakyReLU", [&](auto tag) -> Kernel {
          return make_prelu_grad_kernel<typename decltype(tag)::type>(channels_of(c.in_shapes[1], c.in_shapes[2]));
        });
      });
}

}  // namespace mxnet
