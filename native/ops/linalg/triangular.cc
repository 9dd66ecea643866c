// Triangular products and solves, Cholesky factors, and the masks that their gradients need.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/blas.h"
#include "op/gradient.h"
#include "op/registry.h"
#include "ops/linalg/common.h"

namespace mxnet::linalg {
namespace {

struct TriangularParam {
  bool transpose = false;
  bool rightside = false;
  bool lower = true;
  double alpha = 1;
};

ParamSchema triangular_schema() {
  return Params<TriangularParam>()
      .field("transpose", &TriangularParam::transpose, "Use the transpose of A.")
      .field("rightside", &TriangularParam::rightside, "A stands on the right of B.")
      .field("lower", &TriangularParam::lower, "A is lower triangular, otherwise upper.")
      .field("alpha", &TriangularParam::alpha, "Factor of the result.");
}

struct LowerParam {
  bool lower = true;
};

// Undocumented in the reference, accepted all the same.
ParamSchema lower_schema() {
  return Params<LowerParam>().field("lower", &LowerParam::lower, "The triangle that is used.").hidden();
}

void infer_triangular(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<TriangularParam>();
  const char* name = "linalg triangular operator";
  assign_shape(in[1], out[0], name);
  assign_shape(out[0], in[1], name);
  Shape& a = in[0];
  const Shape& b = in[1];
  if (a.ndim_known()) require_square(a, name);
  if (!b.ndim_known()) return;
  require_matrix(b, name);
  const int nd = b.ndim();
  Shape wanted = b;
  wanted[nd - 1] = wanted[nd - 2] = b[p.rightside ? nd - 1 : nd - 2];
  assign_shape(a, wanted, text(name, ": A against B of shape ", b));
  for (int i = 0; i < nd - 2; ++i) in[1][i] = out[0][i] = a[i];
  in[1][p.rightside ? nd - 1 : nd - 2] = out[0][p.rightside ? nd - 1 : nd - 2] = a[nd - 1];
}

template <bool solve>
Kernel triangular_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<TriangularParam>();
  const Stack b(c.in_shapes[1]);
  const int64_t n = Stack(c.in_shapes[0]).rows;
  return visit_real(c.in_types[0], solve ? "linalg.trsm" : "linalg.trmm", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* matrix = args.input<T>(0);
      T* out = args.output<T>(0);
      if (out != args.input<T>(1)) std::copy_n(args.input<T>(1), b.count * b.size(), out);
      if (b.size() == 0) return;
      const int rows = static_cast<int>(b.rows), columns = static_cast<int>(b.columns), lead = static_cast<int>(n);
      parallel_for(b.count, b.size() * n / 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const auto call = solve ? static_cast<void (*)(bool, bool, bool, int, int, T, const T*, int, T*, int)>(&blas::trsm)
                                  : static_cast<void (*)(bool, bool, bool, int, int, T, const T*, int, T*, int)>(&blas::trmm);
          call(p.rightside, p.lower, p.transpose, rows, columns, static_cast<T>(p.alpha), matrix + i * n * n, lead,
               out + i * b.size(), columns);
        }
      });
    }};
  });
}

// Masks of a square matrix x around one triangle.
//   keep:   the triangle, zero elsewhere
//   mirror: the triangle and its mirror image
//   fold:   the triangle plus the mirror image of the other one, zero elsewhere (the transpose of `mirror` as a map)
enum class Mask { kKeep, kMirror, kFold };

Kernel mask_kernel(const KernelContext& c, Mask mask, bool lower) {
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg mask", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[s, mask, lower](const KernelArgs& args) {
      const int64_t n = s.rows;
      for (int64_t m = 0; m < s.count; ++m) {
        const T* x = args.input<T>(0) + m * s.size();
        T* y = args.output<T>(0) + m * s.size();
        for (int64_t i = 0; i < n; ++i) {
          y[i * n + i] = x[i * n + i];
          for (int64_t j = 0; j < i; ++j) {
            const int64_t inside = lower ? i * n + j : j * n + i, outside = lower ? j * n + i : i * n + j;
            y[inside] = x[inside] + (mask == Mask::kFold ? x[outside] : T(0));
            y[outside] = mask == Mask::kMirror ? x[inside] : T(0);
          }
        }
      }
    }};
  });
}

void register_mask(const char* name, Mask mask, const char* transpose) {
  register_op(name)
      .internal()
      .params(lower_schema())
      .inputs({"A"})
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .gradient([transpose](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op(transpose, {g.out_grad()}, g.parameters())};
      })
      .kernel([mask](const KernelContext& c) { return mask_kernel(c, mask, c.attrs.get<LowerParam>().lower); });
}

AttrDict triangular_dict(bool transpose, bool rightside, bool lower, double alpha) {
  return {{"transpose", flag(transpose)}, {"rightside", flag(rightside)}, {"lower", flag(lower)}, {"alpha", exact_text(alpha)}};
}

Entry product(const GradientBuilder& g, const Entry& x, const Entry& y, bool tx, bool ty, double alpha) {
  return g.op("_linalg_gemm2", {x, y},
              {{"transpose_a", flag(tx)}, {"transpose_b", flag(ty)}, {"alpha", exact_text(alpha)}});
}

std::vector<Entry> trmm_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const auto& p = g.params<TriangularParam>();
  const Entry dy = g.out_grad(), a = g.input(0), b = g.input(1);
  // Y = alpha op(A) B: d op(A) = alpha dY B^T; Y = alpha B op(A): d op(A) = alpha B^T dY.
  const Entry da = p.rightside != p.transpose
                       ? (p.rightside ? product(g, b, dy, true, false, p.alpha) : product(g, b, dy, false, true, p.alpha))
                       : (p.rightside ? product(g, dy, b, true, false, p.alpha) : product(g, dy, b, false, true, p.alpha));
  return {g.op("_linalg_keep_triangle", {da}, {{"lower", flag(p.lower)}}),
          g.op("_linalg_trmm", {a, dy}, triangular_dict(!p.transpose, p.rightside, p.lower, p.alpha))};
}

std::vector<Entry> trsm_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const auto& p = g.params<TriangularParam>();
  const Entry dy = g.out_grad(), a = g.input(0), y = g.output(0);
  // Y = alpha op(A)^-1 B: dB = alpha op(A)^-T dY, d op(A) = -(op(A)^-T dY) Y^T.
  const Entry solved = g.op("_linalg_trsm", {a, dy}, triangular_dict(!p.transpose, p.rightside, p.lower, 1));
  Entry da;
  if (p.rightside) {
    da = p.transpose ? product(g, solved, y, true, false, -1) : product(g, y, solved, true, false, -1);
  } else {
    da = p.transpose ? product(g, y, solved, false, true, -1) : product(g, solved, y, false, true, -1);
  }
  return {g.op("_linalg_keep_triangle", {da}, {{"lower", flag(p.lower)}}), g.scale(solved, p.alpha)};
}

Kernel potrf_kernel(const KernelContext& c) {
  const bool lower = c.attrs.get<LowerParam>().lower;
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg.potrf", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[s, lower](const KernelArgs& args) {
      const int64_t n = s.rows;
      T* out = args.output<T>(0);
      if (out != args.input<T>(0)) std::copy_n(args.input<T>(0), s.count * s.size(), out);
      for (int64_t m = 0; m < s.count && n > 0; ++m) {
        T* y = out + m * s.size();
        const int info = blas::potrf(lower ? 'U' : 'L', static_cast<int>(n), y, static_cast<int>(n));
        require(info == 0, "linalg.potrf: the input matrix is not symmetric positive definite (leading minor ", info,
                ", matrix ", m, ")");
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = i + 1; j < n; ++j) (lower ? y[i * n + j] : y[j * n + i]) = T(0);
        }
      }
    }};
  });
}

std::vector<Entry> potrf_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const bool lower = g.params<LowerParam>().lower;
  const Entry factor = g.output(0), dy = g.out_grad();
  // dA = 1/2 L^-T mirror(L^T dL) L^-1 (Murray, "Differentiation of the Cholesky decomposition", 2016); for an upper
  // factor all products stand on the other side.
  const Entry inner = g.op("_linalg_mirror_triangle",
                           {g.op("_linalg_trmm", {factor, dy}, triangular_dict(true, !lower, lower, 1))},
                           {{"lower", flag(lower)}});
  const Entry half = g.op("_linalg_trsm", {factor, inner}, triangular_dict(lower, false, lower, 1));
  return {g.op("_linalg_trsm", {factor, half}, triangular_dict(!lower, true, lower, 0.5))};
}

Kernel potri_kernel(const KernelContext& c) {
  const bool lower = c.attrs.get<LowerParam>().lower;
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg.potri", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[s, lower](const KernelArgs& args) {
      const int64_t n = s.rows;
      T* out = args.output<T>(0);
      if (out != args.input<T>(0)) std::copy_n(args.input<T>(0), s.count * s.size(), out);
      for (int64_t m = 0; m < s.count && n > 0; ++m) {
        T* y = out + m * s.size();
        const int info = blas::potri(lower ? 'U' : 'L', static_cast<int>(n), y, static_cast<int>(n));
        require(info == 0, "linalg.potri: the input matrix is not a Cholesky factor (zero on the diagonal, row ", info - 1,
                ", matrix ", m, ")");
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = i + 1; j < n; ++j) {
            if (lower) {
              y[i * n + j] = y[j * n + i];
            } else {
              y[j * n + i] = y[i * n + j];
            }
          }
        }
      }
    }};
  });
}

std::vector<Entry> potri_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const bool lower = g.params<LowerParam>().lower;
  const Entry dy = g.out_grad(), b = g.output(0), factor = g.input(0);
  // B = (L L^T)^-1: dL = -B (dB + dB^T) B L = -B (dB + dB^T) L^-T, of which the triangle counts. For B = (U^T U)^-1 it
  // is dU = -U^-T (dB + dB^T) B.
  const auto half = [&](bool flipped) {
    return lower ? product(g, b, dy, false, flipped, -1) : product(g, dy, b, flipped, false, -1);
  };
  const Entry side = g.op("elemwise_add", {half(false), half(true)});
  const Entry full = g.op("_linalg_trsm", {factor, side}, triangular_dict(true, lower, lower, 1));
  return {g.op("_linalg_keep_triangle", {full}, {{"lower", flag(lower)}})};
}

void infer_square(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  infer_same_shape(attrs, in, out);
  if (in[0].ndim_known()) require_square(in[0], "linalg Cholesky operator");
}

}  // namespace

MXNET_REGISTER(linalg_triangular) {
  register_op("_linalg_trmm")
      .alias({"linalg_trmm"})
      .doc("alpha * op(A) B, or alpha * B op(A), with a triangular A.")
      .params(triangular_schema())
      .inputs({"A", "B"})
      .infer_shape(infer_triangular)
      .infer_type(infer_same_type)
      .inplace(1, 0)
      .gradient(trmm_gradient)
      .kernel(triangular_kernel<false>);
  register_op("_linalg_trsm")
      .alias({"linalg_trsm"})
      .doc("Solves op(A) X = alpha * B, or X op(A) = alpha * B, with a triangular A.")
      .params(triangular_schema())
      .inputs({"A", "B"})
      .infer_shape(infer_triangular)
      .infer_type(infer_same_type)
      .inplace(1, 0)
      .gradient(trsm_gradient)
      .kernel(triangular_kernel<true>);
  register_op("_linalg_potrf")
      .alias({"linalg_potrf"})
      .doc("Cholesky factor of symmetric positive definite matrices.")
      .params(lower_schema())
      .inputs({"A"})
      .infer_shape(infer_square)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient(potrf_gradient)
      .kernel(potrf_kernel);
  register_op("_linalg_potri")
      .alias({"linalg_potri"})
      .doc("Inverse of the matrices whose Cholesky factors are given.")
      .params(lower_schema())
      .inputs({"A"})
      .infer_shape(infer_square)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient(potri_gradient)
      .kernel(potri_kernel);
  register_mask("_linalg_keep_triangle", Mask::kKeep, "_linalg_keep_triangle");
  register_mask("_linalg_mirror_triangle", Mask::kMirror, "_linalg_fold_triangle");
  register_mask("_linalg_fold_triangle", Mask::kFold, "_linalg_mirror_triangle");
}

}  // namespace mxnet::linalg
