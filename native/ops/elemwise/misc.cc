// Elementwise operators with shapes or parameters of their own.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "op/infer.h"
#include "ops/elemwise/graph_math.h"
#include "ops/elemwise/scalar_param.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

struct CountParam {
  int num_args = 1;
};

struct ClipParam {
  float a_min = 0, a_max = 0;
};

struct HardSigmoidParam {
  float alpha = 0.2f, beta = 0.5f;
};

struct StorageParam {
  int stype = 0;
};

// ---- add_n ----------------------------------------------------------------------------------------------------------
Kernel make_add_n_kernel(const KernelContext& c) {
  const BinaryLoop add(Binary::kAdd, c.out_types[0]);
  const int64_t n = c.out_shapes[0].size();
  const auto size = static_cast<int64_t>(dtype_size(c.out_types[0]));
  const size_t count = c.in_shapes.size();
  if (count == 1) return make_copy_kernel(c);
  constexpr int64_t kBlock = 4096;  // the running sum stays in the nearest cache
  return {[=](const KernelArgs& args) {
    char* y = args.output<char>(0);
    parallel_for((n + kBlock - 1) / kBlock, kBlock * static_cast<int64_t>(count), [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const int64_t at = block * kBlock * size, width = std::min(kBlock, n - block * kBlock);
        add(args.input<char>(0) + at, args.input<char>(1) + at, y + at, width, kStepBoth);
        for (size_t i = 2; i < count; ++i) add(y + at, args.input<char>(i) + at, y + at, width, kStepBoth);
      }
    });
  }};
}

// ---- clip -----------------------------------------------------------------------------------------------------------
// Bounds as numbers of the element type; those beyond its range bind nothing.
template <class T>
compute_t<T> bound(float value) {
  using C = compute_t<T>;
  if constexpr (std::is_integral_v<T>) {
    if (value >= 9.2e18f) return std::numeric_limits<C>::max();
    if (value <= -9.2e18f) return std::numeric_limits<C>::lowest();
    const int64_t whole = static_cast<int64_t>(value);
    return static_cast<C>(std::clamp<int64_t>(whole, std::numeric_limits<C>::lowest(), std::numeric_limits<C>::max()));
  } else {
    return static_cast<C>(value);
  }
}

Kernel make_clip_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ClipParam>();
  const int64_t n = c.out_shapes[0].size();
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const C low = bound<T>(p.a_min), high = bound<T>(p.a_max);
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C v = static_cast<C>(x[i]);
          const C raised = v < low ? low : v;
          y[i] = static_cast<T>(raised > high ? high : raised);
        }
      });
    }};
  });
}

Kernel make_clip_grad_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ClipParam>();
  const int64_t n = c.out_shapes[0].size();
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const C low = bound<T>(p.a_min), high = bound<T>(p.a_max);
    return {[=](const KernelArgs& args) {
      const T* g = args.input<T>(0);
      const T* x = args.input<T>(1);
      T* y = args.output<T>(0);
      parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C v = static_cast<C>(x[i]);
          y[i] = v >= low && v <= high ? g[i] : T(0);
        }
      });
    }};
  });
}

ParamSchema clip_schema() {
  return Params<ClipParam>().required("a_min", &ClipParam::a_min, "Lowest value.")
      .required("a_max", &ClipParam::a_max, "Highest value.");
}

// ---- hard_sigmoid ---------------------------------------------------------------------------------------------------
Kernel make_hard_sigmoid_kernel(const KernelContext& c, bool backward) {
  const auto p = c.attrs.get<HardSigmoidParam>();
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.out_types[0], "hard_sigmoid", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const C alpha = p.alpha, beta = p.beta;
    if (!backward) {
      return {[=](const KernelArgs& args) {
        const T* x = args.input<T>(0);
        T* y = args.output<T>(0);
        parallel_for(n, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const C v = alpha * static_cast<C>(x[i]) + beta;
            const C raised = v < C(0) ? C(0) : v;
            y[i] = static_cast<T>(raised > C(1) ? C(1) : raised);
          }
        });
      }};
    }
    return {[=](const KernelArgs& args) {
      const T* g = args.input<T>(0);
      const T* out = args.input<T>(1);
      T* y = args.output<T>(0);
      parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C v = static_cast<C>(out[i]);
          y[i] = v > C(0) && v < C(1) ? static_cast<T>(alpha * static_cast<C>(g[i])) : T(0);
        }
      });
    }};
  });
}

ParamSchema hard_sigmoid_schema() {
  return Params<HardSigmoidParam>().field("alpha", &HardSigmoidParam::alpha, "Slope of the linear piece.")
      .field("beta", &HardSigmoidParam::beta, "Its value at zero.");
}

// ---- where ----------------------------------------------------------------------------------------------------------
void infer_where_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  ShapeVec values{in[1], in[2]};
  infer_same_shape(attrs, values, out);
  in[1] = in[2] = values[0];
  if (!in[0].ndim_known() || !out[0].ndim_known()) return;
  if (in[0].ndim() == 1 && out[0].ndim() != 1) {  // one condition for each row
    require(in[0][0] < 0 || out[0].ndim() == 0 || out[0][0] < 0 || in[0][0] == out[0][0],
            "where: a condition of shape ", in[0], " does not fit the first axis of ", out[0]);
    return;
  }
  assign_shape(in[0], out[0], "where: condition");
  assign_shape(out[0], in[0], "where: condition");
}

void infer_where_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  DTypeVec values{in[1], in[2]};
  infer_same_type(attrs, values, out);
  in[1] = in[2] = values[0];
  if (in[0] == DType::kUnknown) in[0] = values[0];
}

Kernel make_where_kernel(const KernelContext& c) {
  const int64_t n = c.out_shapes[0].size();
  const int64_t run = c.in_shapes[0] == c.out_shapes[0] || n == 0 ? 1 : n / c.out_shapes[0][0];
  // Elements are only moved, so types of one width share a kernel.
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using Condition = typename decltype(tag)::type;
    const auto move = [&](auto word) -> Kernel {
      using W = decltype(word);
      return {[=](const KernelArgs& args) {
        const Condition* condition = args.input<Condition>(0);
        const W* a = args.input<W>(1);
        const W* b = args.input<W>(2);
        W* y = args.output<W>(0);
        parallel_for(n / run, run, [&](int64_t begin, int64_t end) {
          if (run == 1) {
            for (int64_t i = begin; i < end; ++i) y[i] = static_cast<bool>(condition[i] != Condition(0)) ? a[i] : b[i];
            return;
          }
          for (int64_t r = begin; r < end; ++r) {
            const W* from = condition[r] != Condition(0) ? a : b;
            std::copy(from + r * run, from + (r + 1) * run, y + r * run);
          }
        });
      }};
    };
    switch (dtype_size(c.out_types[0])) {
      case 1: return move(uint8_t{});
      case 2: return move(uint16_t{});
      case 4: return move(uint32_t{});
      default: return move(uint64_t{});
    }
  });
}

// ---- finiteness -----------------------------------------------------------------------------------------------------
struct FiniteParam {
  bool init_output = true;
};
struct MultiFiniteParam {
  int num_arrays = 1;
  bool init_output = true;
};

// 1 when every element of every input is finite. Without init_output a 0 that is there already stays.
Kernel make_all_finite_kernel(const KernelContext& c, bool init_output) {
  std::vector<int64_t> sizes;
  for (const Shape& s : c.in_shapes) sizes.push_back(s.size());
  const std::vector<DType> types = c.in_types;
  return {[sizes, types, init_output](const KernelArgs& args) {
    bool finite = true;
    for (size_t a = 0; a < sizes.size() && finite; ++a) {
      visit_dtype(types[a], [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* x = args.input<T>(a);
        for (int64_t i = 0; i < sizes[a] && finite; ++i) finite = std::isfinite(static_cast<double>(x[i]));
      });
    }
    float& y = *args.output<float>(0);
    if (!finite) y = 0.0f;
    else if (init_output) y = 1.0f;
  }};
}

void infer_finite_shape(const Attrs&, ShapeVec&, ShapeVec& out) { assign_shape(out[0], Shape{1}); }
void infer_finite_type(const Attrs&, DTypeVec&, DTypeVec& out) { assign_type(out[0], DType::kFloat32); }

// Inputs: data, indices. Rows that are not listed become zero.
Kernel make_retain_kernel(const KernelContext& c) {
  const Shape& shape = c.out_shapes[0];
  const int64_t rows = shape[0], count = c.in_shapes[1].size();
  const int64_t row_bytes = shape.product(1, shape.ndim()) * static_cast<int64_t>(dtype_size(c.out_types[0]));
  const DType index_type = c.in_types[1];
  const auto index_size = static_cast<int64_t>(dtype_size(index_type));
  if (rows * row_bytes == 0) return {[](const KernelArgs&) {}};
  return {[=](const KernelArgs& args) {
    const char* x = args.input<char>(0);
    const char* indices = args.input<char>(1);
    char* y = args.output<char>(0);
    std::memset(y, 0, static_cast<size_t>(rows * row_bytes));
    for (int64_t i = 0; i < count; ++i) {
      int64_t row = 0;
      convert_elements(indices + i * index_size, index_type, &row, DType::kInt64, 1);
      if (row < 0 || row >= rows) continue;
      std::memcpy(y + row * row_bytes, x + row * row_bytes, static_cast<size_t>(row_bytes));
    }
  }};
}

void infer_retain_shape(const Attrs&, ShapeVec& in, ShapeVec& out) {
  assign_shape(out[0], in[0]);
  assign_shape(in[0], out[0]);
  require(!in[0].ndim_known() || in[0].ndim() > 0, "_sparse_retain: data must have rows");
  if (in[1].ndim_known()) require(in[1].ndim() == 1, "_sparse_retain: indices must have one axis, got ", in[1]);
}

ParamSchema smooth_l1_schema() {
  return Params<ScalarParam>().field("scalar", &ScalarParam::scalar, "Sigma.").shown_as("float")
      .field("is_int", &ScalarParam::is_int, "Ignored.").hidden();
}

// The transition point of smooth_l1 is 1 / scalar^2.
Kernel make_smooth_l1_kernel(const KernelContext& c, Binary op) {
  return make_scalar_kernel(op, c.attrs.get<ScalarParam>().scalar, false, c);
}

}  // namespace

MXNET_REGISTER(elemwise_misc) {
  register_op("add_n").alias({"ElementWiseSum", "_sparse_ElementWiseSum", "_sparse_add_n"}).doc("Sum of all inputs.")
      .params(Params<CountParam>().required("num_args", &CountParam::num_args, "Number of inputs.").at_least(1).hidden())
      .variadic("args", "num_args", [](const Attrs& attrs) { return attrs.get<CountParam>().num_args; })
      .explicit_inputs().infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0)
      .pattern(Pattern::kElementwise)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>(node->inputs.size(), g.out_grad());
      })
      .kernel(make_add_n_kernel);

  register_op("clip").alias({"_npi_clip", "_sparse_clip"}).doc("Limits each element to [a_min, a_max].")
      .params(clip_schema()).infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0)
      .pattern(Pattern::kElementwise).gradient(backward_op("_backward_clip", {0}, {0}, {})).kernel(make_clip_kernel);
  register_op("_backward_clip").internal().params(clip_schema()).inputs({"ograd", "data"}).infer_shape(infer_same_shape)
      .infer_type(infer_same_type).inplace(0, 0).inplace(1, 0).pattern(Pattern::kElementwise)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_clip", {g.out_grad(), g.input(1)}, g.parameters()), Entry{}};
      })
      .kernel(make_clip_grad_kernel);

  register_op("hard_sigmoid").doc("alpha * x + beta, limited to [0, 1].").params(hard_sigmoid_schema())
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).pattern(Pattern::kElementwise)
      .gradient(backward_op("_backward_hard_sigmoid", {0}, {}, {0}))
      .kernel([](const KernelContext& c) { return make_hard_sigmoid_kernel(c, false); });
  register_op("_backward_hard_sigmoid").internal().params(hard_sigmoid_schema()).inputs({"ograd", "output"})
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).inplace(1, 0)
      .pattern(Pattern::kElementwise)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_hard_sigmoid", {g.out_grad(), g.input(1)}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) { return make_hard_sigmoid_kernel(c, true); });

  register_op("where").alias({"_sparse_where"}).doc("x where the condition is nonzero, else y.").lenient()
      .inputs({"condition", "x", "y"}).infer_shape(infer_where_shape).infer_type(infer_where_type)
      .inplace(1, 0).inplace(2, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const Entry zero = g.op("zeros_like", {g.out_grad()});
        return std::vector<Entry>{Entry{}, g.op("where", {g.input(0), g.out_grad(), zero}),
                                  g.op("where", {g.input(0), zero, g.out_grad()})};
      })
      .kernel(make_where_kernel);

  register_op("smooth_l1").alias({"_npx_smooth_l1"})
      .doc("(sigma x)^2 / 2 where |x| < 1 / sigma^2, |x| - 1 / (2 sigma^2) elsewhere; sigma is the scalar.")
      .params(smooth_l1_schema()).infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0)
      .pattern(Pattern::kElementwise)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.mul(g.out_grad(), g.op("_backward_smooth_l1", {g.input(0)}, g.parameters()))};
      })
      .kernel([](const KernelContext& c) { return make_smooth_l1_kernel(c, Binary::kSmoothL1); });
  register_op("_backward_smooth_l1").internal().params(scalar_schema()).infer_shape(infer_same_shape)
      .infer_type(infer_same_type).inplace(0, 0).pattern(Pattern::kElementwise)
      .doc("Derivative of smooth_l1.")
      .kernel([](const KernelContext& c) { return make_smooth_l1_kernel(c, Binary::kSmoothL1Grad); });

  register_op("all_finite").doc("1 when every element is finite, else 0.")
      .documented_inputs({{"data", "NDArray"}})
      .params(Params<FiniteParam>().field("init_output", &FiniteParam::init_output, "Start from 1, not from what the output holds."))
      .infer_shape(infer_finite_shape).infer_type(infer_finite_type)
      .kernel([](const KernelContext& c) { return make_all_finite_kernel(c, c.attrs.get<FiniteParam>().init_output); });
  register_op("multi_all_finite").doc("1 when every element of every input is finite, else 0.")
      .params(Params<MultiFiniteParam>()
                  .field("num_arrays", &MultiFiniteParam::num_arrays, "Number of inputs.").at_least(1)
                  .field("init_output", &MultiFiniteParam::init_output, "Start from 1, not from what the output holds."))
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names;
        for (int i = 0; i < attrs.get<MultiFiniteParam>().num_arrays; ++i) names.push_back("array_" + std::to_string(i));
        return names;
      })
      .documented_inputs({{"data", "NDArray-or-Symbol[]"}}).explicit_inputs()
      .infer_shape(infer_finite_shape).infer_type(infer_finite_type)
      .kernel([](const KernelContext& c) { return make_all_finite_kernel(c, c.attrs.get<MultiFiniteParam>().init_output); });

  register_op("_sparse_retain").doc("The listed rows of the data; zeros elsewhere.").lenient().inputs({"data", "indices"})
      .infer_shape(infer_retain_shape).infer_type(type_like_inputs({0}))
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_sparse_retain", {g.out_grad(), g.input(1)}), Entry{}};
      })
      .kernel(make_retain_kernel);

  register_op("cast_storage").alias({"_sparse_cast_storage"}).doc("The same array in another storage form; arrays here are dense.")
      .params(Params<StorageParam>().required_enumeration("stype", &StorageParam::stype,
                                                          {{"default", 0}, {"row_sparse", 1}, {"csr", 2}}, "Storage form."))
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0)
      .gradient([](const NodePtr&, const std::vector<Entry>& ograds) { return ograds; })
      .kernel(make_copy_kernel);
}

}  // namespace mxnet
