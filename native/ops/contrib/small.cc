// Small operators of the contrib namespace.
#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

struct ArangeLikeParam {
  double start = 0, step = 1;
  int32_t repeat = 1;
  std::string ctx;
  std::optional<int32_t> axis;
};

struct QuadraticParam {
  float a = 0, b = 0, c = 0;
};

struct MultiplierParam {
  double scalar = 1;
  bool is_int = true;
};

struct AllcloseParam {
  float rtol = 1e-5f, atol = 1e-8f;
  bool equal_nan = true;
};

struct IndexArrayParam {
  std::optional<Shape> axes;
};

// y = fn(x) for every element, in the type that the element computes in.
template <class Fn>
Kernel map_kernel(const KernelContext& c, Fn fn) {
  const int64_t n = c.out_shapes[0].size();
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[n, fn](const KernelArgs& a) {
      const T* x = a.input<T>(0);
      T* y = a.output<T>(0);
      parallel_for(n, 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(fn(static_cast<double>(x[i])));
      });
    }, 0};
  });
}

OpDef& elementwise(const char* name, const char* doc) {
  return register_op(name).doc(doc).infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).pattern(
      Pattern::kElementwise);
}

// "Straight-through": the gradient passes as if the operator were not there.
std::vector<Entry> straight_through(const NodePtr&, const std::vector<Entry>& grads) { return {grads[0]}; }

MXNET_REGISTER(contrib_small) {
  elementwise("_contrib_div_sqrt_dim", "Divides by the square root of the last dimension's size.")
      .lenient()
      .gradient([](const NodePtr& node, const std::vector<Entry>& grads) {
        const GradientBuilder g(node, grads);
        return std::vector<Entry>{g.op("_contrib_div_sqrt_dim", {g.out_grad()})};
      })
      .kernel([](const KernelContext& c) {
        require(c.in_shapes[0].ndim() > 0, "div_sqrt_dim: data must have an axis");
        const double scale = 1 / std::sqrt(static_cast<double>(c.in_shapes[0].back()));
        return map_kernel(c, [scale](double x) { return x * scale; });
      });

  elementwise("_contrib_round_ste", "Rounds to the nearest integer; the gradient passes straight through.")
      .alias({"_sparse__contrib_round_ste"})
      .lenient()
      .gradient(straight_through)
      .kernel([](const KernelContext& c) { return map_kernel(c, [](double x) { return std::round(x); }); });

  elementwise("_contrib_sign_ste", "-1, 0 or 1 by sign; the gradient passes straight through.")
      .alias({"_sparse__contrib_sign_ste"})
      .lenient()
      .gradient(straight_through)
      .kernel([](const KernelContext& c) { return map_kernel(c, [](double x) { return double((x > 0) - (x < 0)); }); });

  elementwise("_contrib_quadratic", "a x^2 + b x + c.")
      .params(Params<QuadraticParam>()
                  .field("a", &QuadraticParam::a, "Coefficient of the square.")
                  .field("b", &QuadraticParam::b, "Coefficient of the linear term.")
                  .field("c", &QuadraticParam::c, "Constant term."))
      .gradient([](const NodePtr& node, const std::vector<Entry>& grads) {
        const GradientBuilder g(node, grads);
        const auto& p = g.params<QuadraticParam>();
        const Entry slope = g.op("_plus_scalar", {g.scale(g.input(0), 2.0 * p.a)}, {{"scalar", exact_text(p.b)}});
        return std::vector<Entry>{g.mul(g.out_grad(), slope)};
      })
      .kernel([](const KernelContext& c) {
        const auto p = c.attrs.get<QuadraticParam>();
        return map_kernel(c, [p](double x) { return (p.a * x + p.b) * x + p.c; });
      });

  register_op("_contrib_gradientmultiplier")
      .doc("The input unchanged; its gradient is multiplied by a number.")
      .params(Params<MultiplierParam>()
                  .field("scalar", &MultiplierParam::scalar, "Factor of the gradient.")
                  .field("is_int", &MultiplierParam::is_int, "Whether the factor was given as an integer."))
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .view()
      .gradient([](const NodePtr& node, const std::vector<Entry>& grads) {
        const GradientBuilder g(node, grads);
        return std::vector<Entry>{g.scale(g.out_grad(), g.params<MultiplierParam>().scalar)};
      });

  register_op("_contrib_allclose")
      .doc("1 where |a - b| <= atol + rtol |b| holds for every element, else 0.")
      .params(Params<AllcloseParam>()
                  .field("rtol", &AllcloseParam::rtol, "Relative tolerance.")
                  .field("atol", &AllcloseParam::atol, "Absolute tolerance.")
                  .field("equal_nan", &AllcloseParam::equal_nan, "Whether two NaN are equal."))
      .inputs({"a", "b"})
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        ShapeVec none;
        infer_same_shape(attrs, in, none);
        assign_shape(out[0], Shape::scalar());
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        DTypeVec none;
        infer_same_type(attrs, in, none);
        assign_type(out[0], DType::kUint8);
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const auto p = c.attrs.get<AllcloseParam>();
        const int64_t n = c.in_shapes[0].size();
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[p, n](const KernelArgs& args) {
            bool all = true;
            for (int64_t i = 0; i < n && all; ++i) {
              const double a = static_cast<double>(args.input<T>(0)[i]);
              const double b = static_cast<double>(args.input<T>(1)[i]);
              const bool near = a == b || std::fabs(a - b) <= p.atol + p.rtol * std::fabs(b);
              all = near || (p.equal_nan && std::isnan(a) && std::isnan(b));
            }
            *args.output<uint8_t>(0) = all;
          }, 0};
        });
      });
}

MXNET_REGISTER(contrib_positions) {
  register_op("_contrib_arange_like")
      .alias({"_npx_arange_like"})
      .doc("Evenly spaced numbers in the shape of the input, or as long as one of its axes.")
      .params(Params<ArangeLikeParam>()
                  .field("start", &ArangeLikeParam::start, "First number.")
                  .field("step", &ArangeLikeParam::step, "Distance between numbers.")
                  .field("repeat", &ArangeLikeParam::repeat, "How often each number is repeated.")
                  .field("ctx", &ArangeLikeParam::ctx, "Context of the result when called imperatively.")
                  .field("axis", &ArangeLikeParam::axis, "Axis whose length to take; None: the shape of the input."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].known()) return;
        const auto& axis = attrs.get<ArangeLikeParam>().axis;
        if (axis) {
          assign_shape(out[0], Shape{in[0][normalize_axis(*axis, in[0].ndim(), "arange_like")]});
        } else {
          assign_shape(out[0], in[0]);
        }
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel([](const KernelContext& c) -> Kernel {
        const auto p = c.attrs.get<ArangeLikeParam>();
        require(p.repeat > 0, "arange_like: repeat must be positive, got ", p.repeat);
        const int64_t n = c.out_shapes[0].size();
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[p, n](const KernelArgs& a) {
            for (int64_t i = 0; i < n; ++i) a.output<T>(0)[i] = static_cast<T>(p.start + double(i / p.repeat) * p.step);
          }, 0};
        });
      });

  register_op("_contrib_index_array")
      .doc("The position of every element, as vectors of indices along all axes or those asked for.")
      .params(Params<IndexArrayParam>().field("axes", &IndexArrayParam::axes, "Axes to report; None for all."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].known()) return;
        Shape shape = in[0];
        const auto& axes = attrs.get<IndexArrayParam>().axes;
        shape.push_back(axes ? axes->ndim() : in[0].ndim());
        assign_shape(out[0], shape);
      })
      .infer_type([](const Attrs&, DTypeVec&, DTypeVec& out) { assign_type(out[0], DType::kInt64); })
      .zero_gradient()
      .kernel([](const KernelContext& c) -> Kernel {
        const Shape shape = c.in_shapes[0];
        const auto& axes = c.attrs.get<IndexArrayParam>().axes;
        std::vector<int> wanted;
        const int count = axes ? axes->ndim() : shape.ndim();
        for (int i = 0; i < count; ++i) {
          wanted.push_back(axes ? normalize_axis((*axes)[i], shape.ndim(), "index_array") : i);
        }
        const auto strides = row_major_strides(shape);
        return {[shape, strides, wanted, n = shape.size()](const KernelArgs& a) {
          int64_t* out = a.output<int64_t>(0);
          for (int64_t i = 0; i < n; ++i) {
            for (int axis : wanted) *out++ = i / strides[axis] % shape[axis];
          }
        }, 0};
      });
}

}  // namespace
}  // namespace mxnet
