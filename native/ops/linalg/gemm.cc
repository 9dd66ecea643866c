// linalg.gemm, gemm2 and syrk.
#include "kernels/gemm.h"

#include <cstring>

#include "op/gradient.h"
#include "op/registry.h"
#include "ops/linalg/common.h"

namespace mxnet::linalg {
namespace {

struct Gemm2Param {
  bool transpose_a = false;
  bool transpose_b = false;
  double alpha = 1;
  int32_t axis = -2;
};

struct GemmParam : Gemm2Param {
  double beta = 1;
};

const char* const kTransposeA = "Transpose A before the product.";
const char* const kTransposeB = "Transpose B before the product.";
const char* const kAlpha = "Factor of the product.";
const char* const kAxis = "Axis of the matrix rows; columns lie along the last axis.";

ParamSchema gemm_schema() {
  using P = GemmParam;
  return Params<P>()
      .field("transpose_a", static_cast<bool P::*>(&P::transpose_a), kTransposeA)
      .field("transpose_b", static_cast<bool P::*>(&P::transpose_b), kTransposeB)
      .field("alpha", static_cast<double P::*>(&P::alpha), kAlpha)
      .field("beta", &P::beta, "Factor of C.")
      .field("axis", static_cast<int32_t P::*>(&P::axis), kAxis);
}

ParamSchema gemm2_schema() {
  using P = Gemm2Param;
  return Params<P>()
      .field("transpose_a", &P::transpose_a, kTransposeA)
      .field("transpose_b", &P::transpose_b, kTransposeB)
      .field("alpha", &P::alpha, kAlpha)
      .field("axis", &P::axis, kAxis);
}

int row_axis(const Gemm2Param& p, int ndim, const char* name) {
  const int axis = normalize_axis(p.axis, ndim, name);
  require(axis < ndim - 1, name, ": axis ", p.axis, " is the last one, where the columns lie");
  return axis;
}

// Inputs A, B and, for gemm, C; C has the shape of the output.
void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<Gemm2Param>();
  const char* name = in.size() == 3 ? "linalg.gemm" : "linalg.gemm2";
  if (in.size() == 3) {
    assign_shape(out[0], in[2], name);
    assign_shape(in[2], out[0], name);
  }
  Shape& a = in[0];
  Shape& b = in[1];
  if (!a.ndim_known() || !b.ndim_known()) return;
  require_matrix(a, name);
  require(a.ndim() == b.ndim(), name, ": A and B must have the same number of dimensions, given ", a, " and ", b);
  const int nd = a.ndim(), row = row_axis(p, nd, name), column = nd - 1;
  const auto same = [&](int64_t& x, int64_t& y, const char* what) {
    if (x < 0) x = y;
    if (y < 0) y = x;
    require(x == y, name, ": ", what, ", given ", a, " and ", b, ", transpose_a=", p.transpose_a,
            ", transpose_b=", p.transpose_b);
  };
  for (int i = 0; i < nd; ++i) {
    if (i != row && i != column) same(a[i], b[i], "Shapes of inputs 0, 1 must be the same, except on row/col axis");
  }
  same(a[p.transpose_a ? row : column], b[p.transpose_b ? column : row], "Incompatible matrix dimensions for multiplication");
  Shape result = a;
  result[row] = a[p.transpose_a ? column : row];
  result[column] = b[p.transpose_b ? row : column];
  assign_shape(out[0], result, name);
  if (in.size() == 3) assign_shape(in[2], out[0], name);
}

Kernel make_kernel(const KernelContext& c, const Gemm2Param& p, bool with_c, double beta, const char* name) {
  require_real(c.in_types[0], name);
  const Shape &a = c.in_shapes[0], &b = c.in_shapes[1], &y = c.out_shapes[0];
  const int nd = y.ndim(), row = row_axis(p, nd, name);
  const int64_t outer = y.product(0, row), middle = y.product(row + 1, nd - 1);
  Matmul product;
  product.dtype = c.in_types[0];
  product.trans_a = p.transpose_a, product.trans_b = p.transpose_b;
  product.alpha = p.alpha;
  product.beta = with_c ? beta : 0;
  product.batch = middle;
  product.m = y[row], product.n = y[nd - 1], product.k = a[p.transpose_a ? row : nd - 1];
  const auto place = [&](const Shape& s, int64_t& lead, int64_t& stride) {
    lead = middle * s[nd - 1];
    stride = s[nd - 1];
    return s[row] * lead;
  };
  const size_t unit = dtype_size(c.in_types[0]);
  const int64_t step_a = place(a, product.lda, product.stride_a) * unit;
  const int64_t step_b = place(b, product.ldb, product.stride_b) * unit;
  const int64_t step_y = place(y, product.ldc, product.stride_c) * unit;
  return {[=](const KernelArgs& args) {
    if (with_c && args.out[0] != args.in[2]) std::memcpy(args.out[0], args.in[2], static_cast<size_t>(outer * step_y));
    for (int64_t o = 0; o < outer; ++o) {
      product.run(args.input<char>(0) + o * step_a, args.input<char>(1) + o * step_b, args.output<char>(0) + o * step_y,
                  args.workspace);
    }
  }};
}

// alpha * op(x) op(y) as a node.
Entry product(const GradientBuilder& g, const Entry& x, const Entry& y, bool tx, bool ty, double alpha, int axis) {
  return g.op("_linalg_gemm2", {x, y}, {{"transpose_a", flag(tx)}, {"transpose_b", flag(ty)},
                                        {"alpha", exact_text(alpha)}, {"axis", std::to_string(axis)}});
}

std::vector<Entry> operand_gradients(const GradientBuilder& g, const Gemm2Param& p) {
  const Entry dy = g.out_grad(), a = g.input(0), b = g.input(1);
  return {p.transpose_a ? product(g, b, dy, p.transpose_b, true, p.alpha, p.axis)
                        : product(g, dy, b, false, !p.transpose_b, p.alpha, p.axis),
          p.transpose_b ? product(g, dy, a, true, p.transpose_a, p.alpha, p.axis)
                        : product(g, a, dy, !p.transpose_a, false, p.alpha, p.axis)};
}

struct SyrkParam {
  bool transpose = false;
  double alpha = 1;
};

void infer_syrk(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<SyrkParam>();
  if (!in[0].ndim_known()) return;
  require_matrix(in[0], "linalg.syrk");
  Shape result = in[0];
  const int nd = result.ndim();
  result[nd - 2] = result[nd - 1] = in[0][p.transpose ? nd - 1 : nd - 2];
  assign_shape(out[0], result, "linalg.syrk");
}

}  // namespace

MXNET_REGISTER(linalg_gemm) {
  register_op("_linalg_gemm")
      .alias({"linalg_gemm"})
      .doc("alpha * op(A) op(B) + beta * C for stacks of matrices.")
      .params(gemm_schema())
      .inputs({"A", "B", "C"})
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .inplace(2, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> grads = operand_gradients(g, g.params<Gemm2Param>());
        grads.push_back(g.scale(g.out_grad(), g.params<GemmParam>().beta));
        return grads;
      })
      .kernel([](const KernelContext& c) {
        return make_kernel(c, c.attrs.get<Gemm2Param>(), true, c.attrs.get<GemmParam>().beta, "linalg.gemm");
      });
  register_op("_linalg_gemm2")
      .alias({"linalg_gemm2"})
      .doc("alpha * op(A) op(B) for stacks of matrices.")
      .params(gemm2_schema())
      .inputs({"A", "B"})
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return operand_gradients(g, g.params<Gemm2Param>());
      })
      .kernel([](const KernelContext& c) { return make_kernel(c, c.attrs.get<Gemm2Param>(), false, 0, "linalg.gemm2"); });
  register_op("_linalg_syrk")
      .alias({"linalg_syrk"})
      .doc("alpha * A A^T, or alpha * A^T A with transpose.")
      .params(Params<SyrkParam>()
                  .field("transpose", &SyrkParam::transpose, "Multiply from the other side.")
                  .field("alpha", &SyrkParam::alpha, kAlpha))
      .inputs({"A"})
      .infer_shape(infer_syrk)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const auto& p = g.params<SyrkParam>();
        const Entry dy = g.out_grad(), a = g.input(0);
        // (dY + dY^T) A, or A (dY + dY^T).
        const auto half = [&](bool flipped) {
          return p.transpose ? product(g, a, dy, false, flipped, p.alpha, -2) : product(g, dy, a, flipped, false, p.alpha, -2);
        };
        return std::vector<Entry>{g.op("elemwise_add", {half(false), half(true)})};
      })
      .kernel([](const KernelContext& c) -> Kernel {
        require_real(c.in_types[0], "linalg.syrk");
        const auto& p = c.attrs.get<SyrkParam>();
        const Stack a(c.in_shapes[0]);
        Matmul product;
        product.dtype = c.in_types[0];
        product.batch = a.count;
        product.m = product.n = p.transpose ? a.columns : a.rows;
        product.k = p.transpose ? a.rows : a.columns;
        product.trans_a = p.transpose, product.trans_b = !p.transpose;
        product.alpha = p.alpha;
        return {[product](const KernelArgs& args) { product.run(args.in[0], args.in[0], args.out[0], args.workspace); }};
      });
}

}  // namespace mxnet::linalg
