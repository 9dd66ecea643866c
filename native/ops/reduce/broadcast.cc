// Broadcasting one array to a shape, and the sum that takes it back.
#include "kernels/elemwise.h"
#include "kernels/reduce.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

struct BroadcastAxisParam {
  Shape axis = Shape::scalar();
  Shape size = Shape::scalar();
};

struct BroadcastToParam {
  Shape shape = Shape::scalar();
};

struct BroadcastLikeParam {
  std::optional<Shape> lhs_axes;
  std::optional<Shape> rhs_axes;
};

Kernel make_spread_kernel(const KernelContext& c) {
  if (c.in_shapes[0] == c.out_shapes[0] && c.in_types[0] == c.out_types[0]) return make_copy_kernel(c);
  return make_broadcast_kernel(c.in_shapes[0], c.out_shapes[0], c.in_types[0], c.out_types[0], 1);
}

GradientFn sum_back() {
  return [](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    std::vector<Entry> grads(node->inputs.size());
    grads[0] = g.op("_backward_reduce_to", {g.out_grad(), g.input(0)});
    return grads;
  };
}

void infer_broadcast_axis(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<BroadcastAxisParam>();
  require(p.axis.ndim() == p.size.ndim(), "broadcast_axis: axis=", tuple_text(p.axis), " and size=", tuple_text(p.size),
          " must have the same length");
  if (!in[0].ndim_known()) return;
  Shape result = in[0];
  for (int i = 0; i < p.axis.ndim(); ++i) {
    const int axis = normalize_axis(p.axis[i], in[0].ndim(), "broadcast_axis");
    require(in[0][axis] == 1 || in[0][axis] == -1, "broadcast_axis: axis ", p.axis[i], " of shape ", in[0],
            " must have size 1");
    require(p.size[i] >= 0, "broadcast_axis: size ", p.size[i], " is negative");
    result[axis] = p.size[i];
  }
  assign_shape(out[0], result);
}

void infer_broadcast_to(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const Shape& target = attrs.get<BroadcastToParam>().shape;
  if (!in[0].ndim_known()) return;
  const int extra = target.ndim() - in[0].ndim();
  require(extra >= 0, "broadcast_to: an array of shape ", in[0], " cannot be broadcast to ", tuple_text(target));
  Shape result = target;
  for (int i = 0; i < target.ndim(); ++i) {
    const int64_t have = i < extra ? 1 : in[0][i - extra];
    if (target[i] == 0 && i >= extra) result[i] = have;
    require(have == result[i] || have == 1 || have == -1, "broadcast_to: an array of shape ", in[0],
            " cannot be broadcast to ", tuple_text(target));
  }
  assign_shape(out[0], result);
}

void infer_broadcast_like(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  if (!in[0].ndim_known() || !in[1].ndim_known()) return;
  const auto& p = attrs.get<BroadcastLikeParam>();
  Shape result = in[0];
  if (p.lhs_axes || p.rhs_axes) {
    require(p.lhs_axes && p.rhs_axes && p.lhs_axes->ndim() == p.rhs_axes->ndim() && p.lhs_axes->ndim() > 0,
            "broadcast_like: lhs_axes and rhs_axes must be given together and have the same length");
    for (int i = 0; i < p.lhs_axes->ndim(); ++i) {
      const int to = normalize_axis((*p.lhs_axes)[i], in[0].ndim(), "broadcast_like");
      const int from = normalize_axis((*p.rhs_axes)[i], in[1].ndim(), "broadcast_like");
      require(in[0][to] == 1 || in[0][to] == -1 || in[0][to] == in[1][from], "broadcast_like: axis ", to, " of lhs ",
              in[0], " cannot be broadcast to axis ", from, " of rhs ", in[1]);
      result[to] = in[1][from];
    }
  } else {
    const int extra = in[1].ndim() - in[0].ndim();
    bool fits = extra >= 0;
    for (int i = 0; fits && i < in[0].ndim(); ++i) {
      fits = in[0][i] == 1 || in[0][i] == -1 || in[1][i + extra] == -1 || in[0][i] == in[1][i + extra];
    }
    require(fits, "broadcast_like: lhs of shape ", in[0], " cannot be broadcast to rhs of shape ", in[1]);
    result = in[1];
  }
  assign_shape(out[0], result);
}

void infer_first_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  DTypeVec first{in[0]};
  infer_same_type(attrs, first, out);
  in[0] = first[0];
}

Kernel make_reduce_to_kernel(const KernelContext& c) {
  const Shape& from = c.in_shapes[0];
  const Shape& to = c.out_shapes[0];
  if (from == to) return make_copy_kernel(c);
  uint32_t axes = 0;
  for (int d = 0; d < from.ndim(); ++d) {
    const int i = d - (from.ndim() - to.ndim());
    if (i < 0 || (to[i] == 1 && from[d] != 1)) axes |= 1u << d;
  }
  return make_reduce_kernel(Reduce::kSum, Finish::kNone, from, axes, c.in_types[0], c.out_types[0]);
}

}  // namespace

MXNET_REGISTER(reduce_broadcast) {
  register_op("broadcast_axis").alias({"broadcast_axes"}).doc("Repeats axes of size one.")
      .params(Params<BroadcastAxisParam>()
                  .field("axis", &BroadcastAxisParam::axis, "Axes to repeat.")
                  .field("size", &BroadcastAxisParam::size, "Their new sizes."))
      .infer_shape(infer_broadcast_axis).infer_type(infer_same_type).gradient(sum_back()).kernel(make_spread_kernel);
  register_op("broadcast_to").doc("Repeats axes of size one up to a shape; a 0 in it keeps the axis.")
      .params(Params<BroadcastToParam>().field("shape", &BroadcastToParam::shape, "The shape to reach."))
      .infer_shape(infer_broadcast_to).infer_type(infer_same_type).gradient(sum_back()).kernel(make_spread_kernel);
  register_op("broadcast_like").doc("Repeats axes of size one up to the shape of rhs.").inputs({"lhs", "rhs"})
      .params(Params<BroadcastLikeParam>()
                  .field("lhs_axes", &BroadcastLikeParam::lhs_axes, "Axes of lhs to repeat; all by default.")
                  .field("rhs_axes", &BroadcastLikeParam::rhs_axes, "Axes of rhs that give their sizes."))
      .infer_shape(infer_broadcast_like).infer_type(infer_first_type).gradient(sum_back()).kernel(make_spread_kernel);
  register_op("_backward_reduce_to").internal().lenient().inputs({"data", "like"})
      .doc("Sums what was broadcast, so that the result has the shape of `like`.")
      .infer_shape(shape_like_inputs({1})).infer_type(infer_first_type).inplace(0, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("broadcast_like", {g.out_grad(), g.input(0)}), Entry{}};
      })
      .kernel(make_reduce_to_kernel);
}

}  // namespace mxnet
