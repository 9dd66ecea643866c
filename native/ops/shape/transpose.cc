// transpose, SwapAxis, reverse, depth_to_space, space_to_depth: the same elements in another order.
#include <numeric>

#include "ops/shape/common.h"

namespace mxnet {
namespace {

struct TransposeParam {
  Shape axes = Shape::scalar();
};
struct SwapAxisParam {
  int dim1 = 0;
  int dim2 = 0;
};
struct ReverseParam {
  Shape axis;
};
struct BlockParam {
  int block_size;
};

std::vector<int> transpose_axes(const TransposeParam& p, int ndim) {
  std::vector<int> axes(static_cast<size_t>(ndim));
  if (p.axes.ndim() <= 0) {
    std::iota(axes.rbegin(), axes.rend(), 0);
    return axes;
  }
  require(p.axes.ndim() == ndim, "operator transpose: axes ", p.axes, " do not fit an array of ", ndim, " dimensions");
  std::vector<bool> seen(axes.size(), false);
  for (int i = 0; i < ndim; ++i) {
    axes[i] = normalize_axis(p.axes[i], ndim, "transpose");
    require(!seen[axes[i]], "operator transpose: axis ", axes[i], " is repeated in axes ", p.axes);
    seen[axes[i]] = true;
  }
  return axes;
}

void infer_transpose(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<TransposeParam>();
  const int ndim = in[0].ndim_known() ? in[0].ndim() : out[0].ndim();
  if (ndim < 0) return;
  const std::vector<int> axes = transpose_axes(p, ndim);
  Shape result = Shape::filled(ndim, -1);
  Shape source = result;
  for (int i = 0; i < ndim; ++i) {
    if (in[0].ndim_known()) result[i] = in[0][axes[i]];
  }
  assign_shape(out[0], result);
  for (int i = 0; i < ndim; ++i) source[axes[i]] = out[0][i];
  assign_shape(in[0], source);
}

std::vector<int> swap_axes(const SwapAxisParam& p, int ndim) {
  std::vector<int> axes(static_cast<size_t>(ndim));
  std::iota(axes.begin(), axes.end(), 0);
  if (ndim > 0)
    std::swap(axes[normalize_axis(p.dim1, ndim, "SwapAxis")], axes[normalize_axis(p.dim2, ndim, "SwapAxis")]);
  return axes;
}

void infer_swap(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<SwapAxisParam>();
  const auto forward = [&p](const Shape& from, Shape& to) {
    if (!from.ndim_known()) return;
    const std::vector<int> axes = swap_axes(p, from.ndim());
    Shape result = from;
    for (int i = 0; i < from.ndim(); ++i) result[i] = from[axes[i]];
    assign_shape(to, result);
  };
  forward(in[0], out[0]);
  forward(out[0], in[0]);
}

// The six loops of both block operators, as shapes of the side with the many channels and its order of axes.
// depth (n, b, b, c, h, w) <-> space (n, c, h, b, w, b).
Kernel block_kernel(const KernelContext& c, bool to_space) {
  const int64_t b = c.attrs.get<BlockParam>().block_size;
  const size_t width = dtype_size(c.in_types[0]);
  const Shape& s = c.in_shapes[0];
  if (to_space) {
    const Shape split{s[0], b, b, s[1] / (b * b), s[2], s[3]};
    return copy_kernel(transpose_copy(split, {0, 3, 4, 1, 5, 2}, width));
  }
  const Shape split{s[0], s[1], s[2] / b, b, s[3] / b, b};
  return copy_kernel(transpose_copy(split, {0, 3, 5, 1, 2, 4}, width));
}

void infer_block(const Attrs& attrs, ShapeVec& in, ShapeVec& out, bool to_space, const char* name) {
  const int64_t b = attrs.get<BlockParam>().block_size;
  require(b > 0, "operator ", name, ": block_size must be positive, not ", b);
  const auto check = [&](const Shape& s, bool depth) {
    if (!s.ndim_known()) return;
    require(s.ndim() == 4, "operator ", name, ": arrays must have 4 dimensions, not shape ", s);
    if (depth) {
      require(s[1] < 0 || s[1] % (b * b) == 0, "operator ", name, ": dimension 1 of shape ", s,
              " must be a multiple of block_size^2 = ", b * b);
    } else {
      require((s[2] < 0 || s[2] % b == 0) && (s[3] < 0 || s[3] % b == 0), "operator ", name,
              ": dimensions 2 and 3 of shape ", s, " must be multiples of block_size = ", b);
    }
  };
  const auto convert = [&](const Shape& s, bool depth) {
    Shape r = s;
    if (!s.ndim_known()) return r;
    for (int i = 1; i < 4; ++i) {
      if (s[i] < 0) continue;
      const int64_t factor = i == 1 ? b * b : b;
      r[i] = (i == 1) == depth ? s[i] / factor : s[i] * factor;
    }
    return r;
  };
  check(in[0], to_space);
  check(out[0], !to_space);
  assign_shape(out[0], convert(in[0], to_space));
  assign_shape(in[0], convert(out[0], !to_space));
}

}  // namespace

MXNET_REGISTER(transpose) {
  register_op("transpose")
      .doc("Reorders the axes of an array; without `axes` it reverses their order.")
      .params(Params<TransposeParam>().field("axes", &TransposeParam::axes,
                                             "Order of the axes of the result. Default: reversed."))
      .infer_shape(infer_transpose)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const auto& p = g.params<TransposeParam>();
        if (p.axes.ndim() <= 0) return std::vector<Entry>{g.op("transpose", {g.out_grad()})};
        const std::vector<int> axes = transpose_axes(p, p.axes.ndim());
        std::vector<int> inverse(axes.size());
        for (size_t i = 0; i < axes.size(); ++i) inverse[axes[i]] = static_cast<int>(i);
        return std::vector<Entry>{g.op("transpose", {g.out_grad()}, {{"axes", tuple_of(inverse)}})};
      })
      .kernel([](const KernelContext& c) {
        const std::vector<int> axes = transpose_axes(c.attrs.get<TransposeParam>(), c.in_shapes[0].ndim());
        return copy_kernel(transpose_copy(c.in_shapes[0], axes, dtype_size(c.in_types[0])));
      });
  register_op("SwapAxis")
      .alias({"swapaxes", "_npi_swapaxes"})
      .doc("Exchanges two axes of an array.")
      .params(Params<SwapAxisParam>()
                  .field("dim1", &SwapAxisParam::dim1, "The first axis.")
                  .field("dim2", &SwapAxisParam::dim2, "The second axis."))
      .infer_shape(infer_swap)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("SwapAxis", {g.out_grad()}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        const std::vector<int> axes = swap_axes(c.attrs.get<SwapAxisParam>(), c.in_shapes[0].ndim());
        return copy_kernel(transpose_copy(c.in_shapes[0], axes, dtype_size(c.in_types[0])));
      });
}

MXNET_REGISTER(reverse) {
  register_op("reverse")
      .alias({"flip"})
      .doc("Reverses the order of the elements along the given axes.")
      .params(Params<ReverseParam>().required("axis", &ReverseParam::axis, "The axes to reverse."))
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("reverse", {g.out_grad()}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        const Shape& shape = c.in_shapes[0];
        std::vector<StrideDim> dims = row_major_dims(shape);
        std::vector<bool> flipped(dims.size(), false);
        for (int64_t axis : c.attrs.get<ReverseParam>().axis)
          flipped[normalize_axis(axis, shape.ndim(), "reverse")] = true;
        int64_t offset = 0;
        for (size_t i = 0; i < dims.size(); ++i) {
          if (!flipped[i]) continue;
          offset += (dims[i].size - 1) * dims[i].src;
          dims[i].src = -dims[i].src;
        }
        return copy_kernel(StridedCopy(std::move(dims), offset, 0, dtype_size(c.in_types[0])));
      });
}

MXNET_REGISTER(depth_space) {
  const auto declare = [](const char* name, const char* inverse, const char* doc, bool to_space) {
    register_op(name)
        .doc(doc)
        .params(Params<BlockParam>().required("block_size", &BlockParam::block_size, "Side of the square blocks."))
        .infer_shape([=](const Attrs& a, ShapeVec& in, ShapeVec& out) { infer_block(a, in, out, to_space, name); })
        .infer_type(infer_same_type)
        .gradient([=](const NodePtr& node, const std::vector<Entry>& ograds) {
          const GradientBuilder g(node, ograds);
          return std::vector<Entry>{g.op(inverse, {g.out_grad()}, g.parameters())};
        })
        .kernel([=](const KernelContext& c) { return block_kernel(c, to_space); });
  };
  declare("depth_to_space", "space_to_depth", "Moves blocks of channels of an NCHW array into height and width.", true);
  declare("space_to_depth", "depth_to_space", "Moves square blocks of an NCHW array into its channels.", false);
}

}  // namespace mxnet
