// dot and batch_dot.
#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct DotParam {
  bool transpose_a = false;
  bool transpose_b = false;
  int forward_stype = -1;
};

ParamSchema dot_schema() {
  return Params<DotParam>()
      .field("transpose_a", &DotParam::transpose_a, "Transpose the first operand before the product.")
      .field("transpose_b", &DotParam::transpose_b, "Transpose the second operand before the product.")
      .optional_enumeration("forward_stype", &DotParam::forward_stype,
                            {{"default", 0}, {"row_sparse", 1}, {"csr", 2}}, -1,
                            "Storage type wanted for the output; a hint.");
}

// The contracted axis is the last of a (the first when transposed) and the first of b (the last when transposed); the
// rest of a and the rest of b follow one another. A transposed array of rank above two keeps the order of its
// remaining axes.
void infer_dot(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<DotParam>();
  const Shape& a = in[0];
  const Shape& b = in[1];
  if (!a.ndim_known() || !b.ndim_known()) return;
  require(a.ndim() > 0 && b.ndim() > 0, "dot: operands need at least one axis, given ", a, " and ", b);
  require(a.ndim() > 1 || b.ndim() > 1 || (!p.transpose_a && !p.transpose_b), "dot: Cannot transpose vectors");
  const int axis_a = p.transpose_a ? 0 : a.ndim() - 1;
  const int axis_b = p.transpose_b ? b.ndim() - 1 : 0;
  if (a[axis_a] < 0) in[0][axis_a] = b[axis_b];
  if (b[axis_b] < 0) in[1][axis_b] = a[axis_a];
  require(a[axis_a] == b[axis_b], "dot shape error: ", a, " X ", b, ", transpose_a=", p.transpose_a,
          ", transpose_b=", p.transpose_b);
  std::vector<int64_t> dims;
  for (int i = 0; i < a.ndim(); ++i) {
    if (i != axis_a) dims.push_back(a[i]);
  }
  for (int i = 0; i < b.ndim(); ++i) {
    if (i != axis_b) dims.push_back(b[i]);
  }
  if (dims.empty()) dims.push_back(1);
  assign_shape(out[0], Shape(dims), "dot");
}

Kernel dot_kernel(const KernelContext& c) {
  require_float(c.in_types[0], "dot");
  const auto& p = c.attrs.get<DotParam>();
  const Shape& a = c.in_shapes[0];
  const Shape& b = c.in_shapes[1];
  Matmul product;
  product.dtype = c.in_types[0];
  product.trans_a = p.transpose_a;
  product.trans_b = p.transpose_b;
  product.k = p.transpose_a ? a[0] : a.back();
  product.m = p.transpose_a ? a.product(1, a.ndim()) : a.product(0, a.ndim() - 1);
  product.n = p.transpose_b ? b.product(0, b.ndim() - 1) : b.product(1, b.ndim());
  return {[product](const KernelArgs& args) { product.run(args.in[0], args.in[1], args.out[0], args.workspace); },
          product.workspace_bytes()};
}

// The gradient of one operand of dot: a product over the axes that the other operand does not share. Inputs: the
// output gradient, the other operand, the operand itself (for its shape). `which` is the operand.
template <int which>
Kernel dot_backward_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<DotParam>();
  const Shape& other = c.in_shapes[1];
  const Shape& self = c.out_shapes[0];
  // As matrices: out (m x n) = op(a) (m x k) op(b) (k x n).
  Matmul g;
  g.dtype = c.in_types[0];
  const int64_t k = which == 0 ? (p.transpose_b ? other.back() : other[0]) : (p.transpose_a ? other[0] : other.back());
  const int64_t rest_other = k == 0 ? 0 : other.size() / k;
  const int64_t rest_self = k == 0 ? 0 : self.size() / k;
  const int64_t m = which == 0 ? rest_self : rest_other;
  const int64_t n = which == 0 ? rest_other : rest_self;
  bool grad_first = true;  // the product is grad x other rather than other x grad
  if (which == 0) {
    if (!p.transpose_a) {  // m x k = grad (m x n) op(b)^T
      g.m = m, g.n = k, g.k = n;
      g.trans_b = !p.transpose_b;
    } else {  // k x m = op(b) grad^T
      grad_first = false;
      g.m = k, g.n = m, g.k = n;
      g.trans_a = p.transpose_b;
      g.trans_b = true;
    }
  } else {
    if (!p.transpose_b) {  // k x n = op(a)^T grad
      grad_first = false;
      g.m = k, g.n = n, g.k = m;
      g.trans_a = !p.transpose_a;
    } else {  // n x k = grad^T op(a)
      g.m = n, g.n = k, g.k = m;
      g.trans_a = true;
      g.trans_b = p.transpose_a;
    }
  }
  return {[g, grad_first](const KernelArgs& a) {
            g.run(a.in[grad_first ? 0 : 1], a.in[grad_first ? 1 : 0], a.out[0], a.workspace);
          },
          g.workspace_bytes()};
}

std::string flag(bool value) { return value ? "True" : "False"; }

void infer_batch_dot(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<DotParam>();
  Shape& a = in[0];
  Shape& b = in[1];
  if (!a.ndim_known() || !b.ndim_known()) return;
  const int nd = a.ndim();
  require(nd >= 3 && b.ndim() == nd, "batch_dot currently only support N-D*N-D array (N >= 3), given ", a, " v.s. ", b);
  const int row_a = p.transpose_a ? nd - 1 : nd - 2, col_a = 2 * nd - 3 - row_a;
  const int row_b = p.transpose_b ? nd - 1 : nd - 2, col_b = 2 * nd - 3 - row_b;
  const auto same = [&](int64_t& x, int64_t& y, const char* what) {
    if (x < 0) x = y;
    if (y < 0) y = x;
    require(x == y, "batch_dot shape error (", what, " must be equal): ", a, " X ", b, " trans_a=", p.transpose_a,
            " trans_b=", p.transpose_b);
  };
  for (int i = 0; i < nd - 2; ++i) same(a[i], b[i], "the leading batch dimensions");
  same(a[col_a], b[row_b], "the contracted dimensions");
  Shape result = a;
  result[nd - 2] = a[row_a];
  result[nd - 1] = b[col_b];
  assign_shape(out[0], result, "batch_dot");
  if (out[0].ndim_known()) {  // and back
    for (int i = 0; i < nd - 2; ++i) a[i] = b[i] = out[0][i];
    a[row_a] = out[0][nd - 2];
    b[col_b] = out[0][nd - 1];
  }
}

Kernel batch_dot_kernel(const KernelContext& c) {
  require_float(c.in_types[0], "batch_dot");
  const auto& p = c.attrs.get<DotParam>();
  const Shape& a = c.in_shapes[0];
  const Shape& y = c.out_shapes[0];
  const int nd = y.ndim();
  Matmul product;
  product.dtype = c.in_types[0];
  product.trans_a = p.transpose_a;
  product.trans_b = p.transpose_b;
  product.batch = y.product(0, nd - 2);
  product.m = y[nd - 2];
  product.n = y[nd - 1];
  product.k = a[p.transpose_a ? nd - 2 : nd - 1];
  return {[product](const KernelArgs& args) { product.run(args.in[0], args.in[1], args.out[0], args.workspace); },
          product.workspace_bytes()};
}

}  // namespace

MXNET_REGISTER(dot) {
  register_op("dot")
      .alias({"_sparse_dot"})
      .doc("Product over the last axis of lhs and the first axis of rhs (the other end where transposed).")
      .params(dot_schema())
      .inputs({"lhs", "rhs"})
      .infer_shape(infer_dot)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("_backward_dot_lhs", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()),
            g.op("_backward_dot_rhs", {g.out_grad(), g.input(0), g.input(1)}, g.parameters())};
      })
      .kernel(dot_kernel);
  // The operands' gradients are apart, so that one that nobody asks for is never computed. Each is bilinear again:
  // with h the gradient of the lhs gradient, the output gradient receives h . rhs and rhs receives the rhs gradient
  // that h would have as lhs.
  register_op("_backward_dot_lhs")
      .internal()
      .params(dot_schema())
      .inputs({"out_grad", "rhs", "lhs"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("dot", {g.out_grad(), g.input(1)}, g.parameters()),
            g.op("_backward_dot_rhs", {g.input(0), g.out_grad(), g.input(1)}, g.parameters()),
            Entry{}};
      })
      .kernel(dot_backward_kernel<0>);
  register_op("_backward_dot_rhs")
      .internal()
      .params(dot_schema())
      .inputs({"out_grad", "lhs", "rhs"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("dot", {g.input(1), g.out_grad()}, g.parameters()),
            g.op("_backward_dot_lhs", {g.input(0), g.out_grad(), g.input(1)}, g.parameters()),
            Entry{}};
      })
      .kernel(dot_backward_kernel<1>);

  register_op("batch_dot")
      .alias({"_npx_batch_dot"})
      .doc("Matrix products over the last two axes, one for each index of the axes before them.")
      .params(dot_schema())
      .inputs({"lhs", "rhs"})
      .infer_shape(infer_batch_dot)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const auto& p = g.params<DotParam>();
        const Entry dy = g.out_grad(), a = g.input(0), b = g.input(1);
        const auto product = [&](const Entry& x, const Entry& y, bool tx, bool ty) {
          return g.op("batch_dot", {x, y}, {{"transpose_a", flag(tx)}, {"transpose_b", flag(ty)}});
        };
        return std::vector<Entry>{p.transpose_a ? product(b, dy, p.transpose_b, true) : product(dy, b, false, !p.transpose_b),
                                  p.transpose_b ? product(dy, a, true, p.transpose_a) : product(a, dy, !p.transpose_a, false)};
      })
      .kernel(batch_dot_kernel);
}

}  // namespace mxnet
