// Sums, products, extremes, means and norms over axes.
#include "kernels/reduce.h"

#include "base/parallel.h"
#include "op/infer.h"
#include "ops/elemwise/graph_math.h"
#include "ops/reduce/reduce_param.h"

namespace mxnet {

ParamSchema reduce_schema() {
  return Params<ReduceParam>()
      .field("axis", &ReduceParam::axis, "Axis or axes to reduce; all by default.")
      .field("keepdims", &ReduceParam::keepdims, "Keep reduced axes with size one.")
      .field("exclude", &ReduceParam::exclude, "Reduce the axes that are not listed.");
}

uint32_t reduced_axes(const std::optional<Shape>& axis, bool exclude, int ndim, std::string_view op_name) {
  const uint32_t all = ndim >= 32 ? ~0u : (1u << ndim) - 1;
  if (!axis || axis->ndim() <= 0) return all;
  uint32_t axes = 0;
  for (int64_t a : *axis) {
    const uint32_t bit = 1u << normalize_axis(a, ndim, op_name);
    require(!(axes & bit), op_name, ": axis ", a, " is listed twice in axis=", tuple_text(*axis));
    axes |= bit;
  }
  return exclude ? all & ~axes : axes;
}

Shape reduced_shape(const Shape& in, uint32_t axes, bool keepdims) {
  Shape out = Shape::scalar();
  for (int d = 0; d < in.ndim(); ++d) {
    if (!(axes >> d & 1)) out.push_back(in[d]);
    else if (keepdims) out.push_back(1);
  }
  if (out.ndim() == 0) out.push_back(1);
  return out;
}

namespace {

struct NormParam {
  int ord = 2;
  std::optional<Shape> axis;
  int out_dtype = -1;
  bool keepdims = false;
};

using ReduceGradFn = Entry (*)(const GraphMath& m);

struct ReduceRowDef {
  const char* name;
  std::vector<const char*> aliases;
  Reduce op;
  Finish finish;
  const char* doc;
  ReduceGradFn gradient;
};

// Puts an array of the output's shape back over the input's.
Entry spread_back(const GraphMath& m, Entry x) {
  AttrDict dict;
  for (const char* key : {"axis", "keepdims", "exclude"}) {
    if (const auto it = m.g.dict().find(key); it != m.g.dict().end()) dict.insert(*it);
  }
  return m.g.op("_backward_sum", {std::move(x), m.g.input(0)}, dict);
}

Entry extreme_gradient(const GraphMath& m) {  // every element that equals the extreme gets the whole gradient
  const Entry mask = m.g.op("_equal", {m.g.input(0), spread_back(m, m.g.output(0))});
  return m.mul(spread_back(m, m.g.out_grad()), mask);
}

const std::vector<ReduceRowDef>& rows() {
  static const std::vector<ReduceRowDef> table = {
      {"sum", {"_sparse_sum", "sum_axis"}, Reduce::kSum, Finish::kNone, "Sum over axes.",
       [](const GraphMath& m) { return spread_back(m, m.g.out_grad()); }},
      {"mean", {"_sparse_mean"}, Reduce::kSum, Finish::kMean, "Mean over axes.",
       [](const GraphMath& m) { return m.g.op("_backward_mean", {m.g.out_grad(), m.g.input(0)}, m.g.parameters()); }},
      {"prod", {}, Reduce::kProd, Finish::kNone, "Product over axes.",
       [](const GraphMath& m) {
         return m.g.op("_backward_prod", {m.g.out_grad(), m.g.input(0)}, m.g.parameters());
       }},
      {"nansum", {}, Reduce::kNanSum, Finish::kNone, "Sum over axes; NaN counts as zero.",
       [](const GraphMath& m) {
         return m.mul(spread_back(m, m.g.out_grad()), m.g.op("_equal", {m.g.input(0), m.g.input(0)}));
       }},
      {"nanprod", {}, Reduce::kNanProd, Finish::kNone, "Product over axes; NaN counts as one.",
       [](const GraphMath& m) {
         return m.g.op("_backward_nanprod", {m.g.out_grad(), m.g.input(0)}, m.g.parameters());
       }},
      {"max", {"max_axis"}, Reduce::kMax, Finish::kNone, "Maximum over axes; NaN if one is there.", extreme_gradient},
      {"min", {"min_axis"}, Reduce::kMin, Finish::kNone, "Minimum over axes; NaN if one is there.", extreme_gradient},
      {"_square_sum", {}, Reduce::kSumSquares, Finish::kNone, "Sum of squares over axes.",
       [](const GraphMath& m) { return m.mul(m.scale(m.g.input(0), 2), spread_back(m, m.g.out_grad())); }},
  };
  return table;
}

uint32_t axes_of(const ReduceParam& p, const Shape& in, const char* name) {
  return reduced_axes(p.axis, p.exclude, in.ndim(), name);
}

void declare_row(const ReduceRowDef& row) {
  OpDef& def = register_op(row.name).doc(row.doc).params(reduce_schema()).infer_type(infer_same_type)
                   .pattern(Pattern::kReduce);
  for (const char* alias : row.aliases) def.alias({alias});
  const char* name = row.name;
  def.infer_shape([name](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
    if (!in[0].ndim_known()) return;
    const auto& p = attrs.get<ReduceParam>();
    assign_shape(out[0], reduced_shape(in[0], axes_of(p, in[0], name), p.keepdims));
  });
  def.kernel([name, op = row.op, finish = row.finish](const KernelContext& c) {
    const uint32_t axes = axes_of(c.attrs.get<ReduceParam>(), c.in_shapes[0], name);
    return make_reduce_kernel(op, finish, c.in_shapes[0], axes, c.in_types[0], c.out_types[0]);
  });
  def.gradient([fn = row.gradient](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    return std::vector<Entry>{fn(GraphMath{g})};
  });
}

// ograd over the shape of `data`, for a mean divided by the number of elements.
void declare_spread(const char* name, bool mean) {
  register_op(name).internal().params(reduce_schema()).inputs({"ograd", "data"})
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[1]);
        assign_shape(in[1], out[0]);
      })
      .infer_type(type_like_inputs({1})).pattern(Pattern::kBroadcast)
      .gradient([mean](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op(mean ? "mean" : "sum", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([name, mean](const KernelContext& c) {
        const Shape& out = c.out_shapes[0];
        const uint32_t axes = axes_of(c.attrs.get<ReduceParam>(), out, name);
        double scale = 1;
        if (mean) {
          for (int d = 0; d < out.ndim(); ++d) scale *= axes >> d & 1 ? static_cast<double>(out[d]) : 1.0;
          scale = scale > 0 ? 1 / scale : 1;
        }
        return make_broadcast_kernel(keep_dims(out, axes), out, c.in_types[0], c.out_types[0], scale);
      });
}

// The gradient of a product is the product of the other elements, right also where some are zero.
Kernel make_prod_grad_kernel(const KernelContext& c, const char* name, bool skip_nan) {
  const Shape& shape = c.out_shapes[0];
  const ReducePlan plan(shape, axes_of(c.attrs.get<ReduceParam>(), shape, name));
  const int64_t columns = plan.inner_reduced ? 1 : plan.inner;
  const int64_t row = plan.inner_reduced ? plan.inner : 1;
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* ograd = args.input<T>(0);
      const T* x = args.input<T>(1);
      T* y = args.output<T>(0);
      parallel_for(plan.kept_outer * columns, 4 * plan.reduced_outer * row, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          const int64_t base = plan.kept_offset(o / columns) + o % columns;
          const auto each = [&](auto&& fn) {
            for (int64_t r = 0; r < plan.reduced_outer; ++r) {
              const int64_t offset = base + plan.reduced_offset(r);
              for (int64_t i = 0; i < row; ++i) fn(offset + i);
            }
          };
          double product = 1;  // of the elements that are not zero
          int64_t zeros = 0;
          each([&](int64_t i) {
            const auto v = static_cast<double>(x[i]);
            if (v == 0) ++zeros;
            else if (!(skip_nan && v != v)) product *= v;
          });
          const auto g = static_cast<double>(ograd[o]);
          each([&](int64_t i) {
            const auto v = static_cast<double>(x[i]);
            double others = 0;
            if (v == 0) others = zeros == 1 ? product : 0;
            else if (zeros == 0) others = product / v;
            y[i] = static_cast<T>(skip_nan && v != v ? 0.0 : g * others);
          });
        }
      });
    }};
  });
}

void declare_prod_grad(const char* name, bool skip_nan) {
  register_op(name).internal().params(reduce_schema()).inputs({"ograd", "data"}).infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([name, skip_nan](const KernelContext& c) { return make_prod_grad_kernel(c, name, skip_nan); });
}

void declare_norm() {
  register_op("norm").alias({"_sparse_norm"}).doc("L1 or L2 norm over axes.")
      .params(Params<NormParam>()
                  .field("ord", &NormParam::ord, "1 or 2.").range(1, 2)
                  .field("axis", &NormParam::axis, "Axis or axes of the norm; all by default.")
                  .optional_enumeration("out_dtype", &NormParam::out_dtype, dtype_choices({2, 0, 1, 4, 6, 5}), -1,
                                        "Type of the output; the input's by default.")
                  .field("keepdims", &NormParam::keepdims, "Keep reduced axes with size one."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        const auto& p = attrs.get<NormParam>();
        assign_shape(out[0], reduced_shape(in[0], reduced_axes(p.axis, false, in[0].ndim(), "norm"), p.keepdims));
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        const int wanted = attrs.get<NormParam>().out_dtype;
        if (wanted >= 0) {
          assign_type(out[0], static_cast<DType>(wanted));
        } else {
          infer_same_type(attrs, in, out);
        }
      })
      .pattern(Pattern::kReduce)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const GraphMath m{g};
        if (g.params<NormParam>().ord == 1) {
          return std::vector<Entry>{m.mul(m.call("sign", g.input(0)), spread_back(m, g.out_grad()))};
        }
        return std::vector<Entry>{m.mul(g.input(0), spread_back(m, m.div(g.out_grad(), g.output(0))))};
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<NormParam>();
        const uint32_t axes = reduced_axes(p.axis, false, c.in_shapes[0].ndim(), "norm");
        return make_reduce_kernel(p.ord == 1 ? Reduce::kSumAbs : Reduce::kSumSquares,
                                  p.ord == 1 ? Finish::kNone : Finish::kSqrt, c.in_shapes[0], axes, c.in_types[0],
                                  c.out_types[0]);
      });
}

}  // namespace

MXNET_REGISTER(reduce) {
  for (const ReduceRowDef& row : rows()) declare_row(row);
  declare_spread("_backward_sum", false);
  declare_spread("_backward_mean", true);
  declare_prod_grad("_backward_prod", false);
  declare_prod_grad("_backward_nanprod", true);
  declare_norm();
}

}  // namespace mxnet
