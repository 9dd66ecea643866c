// GroupNorm and InstanceNorm: each sample's groups of channels are normalised on their own.
#include <cmath>

#include "base/parallel.h"
#include "kernels/norm_math.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct GroupNormParam {
  int32_t num_groups = 1;
  float eps = 1e-5f;
  bool output_mean_var = false;
};

struct InstanceNormParam {
  float eps = 1e-3f;
};

// samples * groups rows of `length` neighbouring elements; a row's scale and shift are those of its group.
struct RowView {
  int64_t rows = 0, groups = 1, length = 0;
  RowView(const Shape& data, int64_t group_count) : groups(group_count) {
    rows = data[0] * groups;
    length = rows == 0 ? 0 : data.size() / rows;
  }
};

// `gives_std`: the third output is the standard deviation; otherwise the variance.
template <class T>
Kernel forward_for(const RowView& v, double eps, bool gives_std) {
  using A = compute_t<T>;
  return {[v, eps, gives_std](const KernelArgs& args) {
    parallel_for(v.rows, v.length * 3, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* x = args.input<T>(0) + r * v.length;
        T* y = args.output<T>(0) + r * v.length;
        const A n = static_cast<A>(v.length);
        const A mean = lane_sum<A>(v.length, [&](int64_t i) { return static_cast<A>(x[i]); }) / n;
        const A variance = lane_sum<A>(v.length, [&](int64_t i) {
                             const A d = static_cast<A>(x[i]) - mean;
                             return d * d;
                           }) / n;
        const A spread = std::sqrt(variance + static_cast<A>(eps));
        args.output<T>(1)[r] = static_cast<T>(mean);
        args.output<T>(2)[r] = static_cast<T>(gives_std ? spread : variance);
        const A scale = static_cast<A>(args.input<T>(1)[r % v.groups]) / spread;
        const A shift = static_cast<A>(args.input<T>(2)[r % v.groups]);
        for (int64_t i = 0; i < v.length; ++i) y[i] = static_cast<T>((static_cast<A>(x[i]) - mean) * scale + shift);
      }
    });
  }};
}

// Inputs: out_grad, data, gamma, mean, spread; outputs: the gradients of data, gamma, beta. Workspace: two numbers a row.
template <class T>
Kernel backward_for(const RowView& v, double eps, bool given_std) {
  using A = compute_t<T>;
  Kernel kernel;
  kernel.workspace_bytes = static_cast<size_t>(v.rows) * 2 * sizeof(A);
  kernel.run = [v, eps, given_std](const KernelArgs& args) {
    A* sums = static_cast<A*>(args.workspace);
    parallel_for(v.rows, v.length * 3, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* dy = args.input<T>(0) + r * v.length;
        const T* x = args.input<T>(1) + r * v.length;
        T* dx = args.output<T>(0) + r * v.length;
        const A n = static_cast<A>(v.length);
        const A mean = static_cast<A>(args.input<T>(3)[r]);
        const A given = static_cast<A>(args.input<T>(4)[r]);
        const A inverse = A(1) / (given_std ? given : std::sqrt(given + static_cast<A>(eps)));
        const A sum_dy = lane_sum<A>(v.length, [&](int64_t i) { return static_cast<A>(dy[i]); });
        const A sum_dyx = lane_sum<A>(v.length, [&](int64_t i) {
                            return static_cast<A>(dy[i]) * (static_cast<A>(x[i]) - mean);
                          }) * inverse;
        sums[2 * r] = sum_dyx;
        sums[2 * r + 1] = sum_dy;
        const A factor = static_cast<A>(args.input<T>(2)[r % v.groups]) * inverse;
        const A constant = sum_dy / n, of_x = sum_dyx * inverse / n;
        for (int64_t i = 0; i < v.length; ++i) {
          dx[i] = static_cast<T>((static_cast<A>(dy[i]) - constant - (static_cast<A>(x[i]) - mean) * of_x) * factor);
        }
      }
    });
    for (int64_t g = 0; g < v.groups; ++g) {
      A gamma = 0, beta = 0;
      for (int64_t r = g; r < v.rows; r += v.groups) gamma += sums[2 * r], beta += sums[2 * r + 1];
      args.output<T>(1)[g] = static_cast<T>(gamma);
      args.output<T>(2)[g] = static_cast<T>(beta);
    }
  };
  return kernel;
}

void infer_group_norm(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<GroupNormParam>();
  Shape& data = in[0];
  assign_shape(data, out[0], "GroupNorm");
  if (!data.ndim_known()) return;
  require(data.ndim() >= 3, "GroupNorm: data needs at least 3 axes, given ", data);
  require(p.num_groups > 0, "GroupNorm: num_groups must be positive, given ", p.num_groups);
  require(data[1] < 0 || data[1] % p.num_groups == 0, "GroupNorm: # of channels must be divisible by # of groups: ",
          data[1], " channels, ", p.num_groups, " groups");
  for (int i = 1; i < 3; ++i) assign_shape(in[i], Shape{p.num_groups}, "GroupNorm");
  assign_shape(out[0], data, "GroupNorm");
  for (int i = 1; i < 3; ++i) assign_shape(out[i], Shape{data[0], p.num_groups}, "GroupNorm");
}

void infer_instance_norm(const Attrs&, ShapeVec& in, ShapeVec& out) {
  Shape& data = in[0];
  assign_shape(data, out[0], "InstanceNorm");
  if (!data.ndim_known()) return;
  require(data.ndim() >= 3, "InstanceNorm only supports input tensors of rank >= 3, given ", data);
  for (int i = 1; i < 3; ++i) {
    if (data[1] < 0 && in[i].ndim() == 1) data[1] = in[i][0];
  }
  for (int i = 1; i < 3; ++i) assign_shape(in[i], Shape{data[1]}, "InstanceNorm");
  assign_shape(out[0], data, "InstanceNorm");
  for (int i = 1; i < 3; ++i) assign_shape(out[i], Shape{data[0], data[1]}, "InstanceNorm");
}

GradientFn gradient_by(const char* backward) {
  return [backward](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    return g.spread(g.node(backward, {g.out_grad(), g.input(0), g.input(1), g.output(1), g.output(2)}, g.parameters()));
  };
}

OpDef& register_backward(const char* name, ParamSchema params) {
  return register_op(name)
      .internal()
      .params(std::move(params))
      .inputs({"out_grad", "data", "gamma", "mean", "spread"})
      .outputs(3)
      .infer_shape(shape_like_inputs({1, 2, 2}))
      .infer_type(infer_same_type)
      .inplace(0, 0);
}

}  // namespace

MXNET_REGISTER(group_norm) {
  const ParamSchema schema =
      Params<GroupNormParam>()
          .field("num_groups", &GroupNormParam::num_groups, "Number of groups that channels are split into.")
          .field("eps", &GroupNormParam::eps, "Added to the variance so that nothing is divided by zero.")
          .field("output_mean_var", &GroupNormParam::output_mean_var, "Show mean and standard deviation as outputs as well.");
  register_op("GroupNorm")
      .doc("Normalises each sample's groups of channels, then scales and shifts each group.")
      .params(schema)
      .inputs({"data", "gamma", "beta"})
      .outputs(3)
      .visible_outputs([](const Attrs& attrs) { return attrs.get<GroupNormParam>().output_mean_var ? 3 : 1; })
      .output_names({"output", "mean", "std"})
      .infer_shape(infer_group_norm)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient(gradient_by("_backward_GroupNorm"))
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<GroupNormParam>();
        return visit_float(c.in_types[0], "GroupNorm", [&](auto tag) -> Kernel {
          return forward_for<typename decltype(tag)::type>(RowView(c.in_shapes[0], p.num_groups), p.eps, true);
        });
      });
  register_backward("_backward_GroupNorm", schema).kernel([](const KernelContext& c) -> Kernel {
    const auto& p = c.attrs.get<GroupNormParam>();
    return visit_float(c.in_types[0], "GroupNorm", [&](auto tag) -> Kernel {
      return backward_for<typename decltype(tag)::type>(RowView(c.in_shapes[1], p.num_groups), p.eps, true);
    });
  });
}

MXNET_REGISTER(instance_norm) {
  const ParamSchema schema = Params<InstanceNormParam>().field(
      "eps", &InstanceNormParam::eps, "Added to the variance so that nothing is divided by zero.");
  register_op("InstanceNorm")
      .doc("Normalises each channel of each sample, then scales and shifts each channel.")
      .params(schema)
      .inputs({"data", "gamma", "beta"})
      .outputs(3)
      .visible_outputs(1)
      .output_names({"output", "mean", "var"})
      .infer_shape(infer_instance_norm)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient(gradient_by("_backward_InstanceNorm"))
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<InstanceNormParam>();
        return visit_float(c.in_types[0], "InstanceNorm", [&](auto tag) -> Kernel {
          return forward_for<typename decltype(tag)::type>(RowView(c.in_shapes[0], c.in_shapes[0][1]), p.eps, false);
        });
      });
  register_backward("_backward_InstanceNorm", schema).kernel([](const KernelContext& c) -> Kernel {
    const auto& p = c.attrs.get<InstanceNormParam>();
    return visit_float(c.in_types[0], "InstanceNorm", [&](auto tag) -> Kernel {
      return backward_for<typename decltype(tag)::type>(RowView(c.in_shapes[1], c.in_shapes[1][1]), p.eps, false);
    });
  });
}

}  // namespace mxnet
