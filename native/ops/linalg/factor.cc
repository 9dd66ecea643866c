// LQ factors, symmetric eigenvalues, inverse and determinants.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/blas.h"
#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/registry.h"
#include "ops/linalg/common.h"

namespace mxnet::linalg {
namespace {

// A piece of workspace measured in elements of several types, each piece aligned.
struct Scratch {
  size_t bytes = 0;
  template <class T>
  size_t take(int64_t count) {
    const size_t at = bytes;
    bytes += (static_cast<size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return at;
  }
};

template <class T>
T* at(const KernelArgs& args, size_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(args.workspace) + offset);
}

Entry product(const GradientBuilder& g, const Entry& x, const Entry& y, bool tx, bool ty, double alpha = 1) {
  return g.op("_linalg_gemm2", {x, y},
              {{"transpose_a", flag(tx)}, {"transpose_b", flag(ty)}, {"alpha", exact_text(alpha)}});
}

// ---- gelqf -----------------------------------------------------------------------------------------------------------

void infer_gelqf(const Attrs&, ShapeVec& in, ShapeVec& out) {
  assign_shape(in[0], out[0], "linalg.gelqf");
  if (!in[0].ndim_known()) return;
  const Shape& a = in[0];
  require_matrix(a, "linalg.gelqf");
  const int nd = a.ndim();
  require(a[nd - 2] < 0 || a[nd - 1] < 0 || a[nd - 2] <= a[nd - 1],
          "linalg.gelqf: Input A shape wrong: Last dimension must be >= than second to last, given ", a);
  assign_shape(out[0], a, "linalg.gelqf");
  Shape factor = a;
  factor[nd - 1] = a[nd - 2];
  assign_shape(out[1], factor, "linalg.gelqf");
}

Kernel gelqf_kernel(const KernelContext& c) {
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg.gelqf", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const int64_t lwork = std::max<int64_t>(1, s.rows * 32);
    Scratch scratch;
    const size_t tau_at = scratch.take<T>(s.rows), work_at = scratch.take<T>(lwork);
    Kernel kernel;
    kernel.workspace_bytes = scratch.bytes;
    kernel.run = [=](const KernelArgs& args) {
      const int m = static_cast<int>(s.columns), n = static_cast<int>(s.rows);  // of the transpose, which LAPACK sees
      T* q = args.output<T>(0);
      std::copy_n(args.input<T>(0), s.count * s.size(), q);
      if (s.size() == 0) return;
      for (int64_t i = 0; i < s.count; ++i) {
        T* qi = q + i * s.size();
        T* l = args.output<T>(1) + i * s.rows * s.rows;
        // A^T = Q' R, so A = R^T Q'^T: the column-major Q' is the row-major Q.
        blas::geqrf(m, n, qi, m, at<T>(args, tau_at), at<T>(args, work_at), static_cast<int>(lwork));
        for (int64_t r = 0; r < s.rows; ++r) {
          for (int64_t k = 0; k < s.rows; ++k) l[r * s.rows + k] = k <= r ? qi[r * s.columns + k] : T(0);
        }
        blas::orgqr(m, n, n, qi, m, at<T>(args, tau_at), at<T>(args, work_at), static_cast<int>(lwork));
      }
    };
    return kernel;
  });
}

std::vector<Entry> gelqf_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const Entry q = g.output(0), l = g.output(1), dq = g.out_grad(0), dl = g.out_grad(1);
  // dA = L^-T (dQ + mirror(L^T dL - dQ Q^T) Q) (Seeger et al., "Auto-differentiating linear algebra", 2017).
  const Entry m = g.op("elemwise_sub", {product(g, l, dl, true, false), product(g, dq, q, false, true)});
  const Entry mirrored = g.op("_linalg_mirror_triangle", {m}, {{"lower", "True"}});
  const Entry inner = g.op("elemwise_add", {dq, product(g, mirrored, q, false, false)});
  return {g.op("_linalg_trsm", {l, inner}, {{"transpose", "True"}, {"lower", "True"}})};
}

// ---- syevd -----------------------------------------------------------------------------------------------------------

void infer_syevd(const Attrs&, ShapeVec& in, ShapeVec& out) {
  assign_shape(in[0], out[0], "linalg.syevd");
  if (!in[0].ndim_known()) return;
  require_square(in[0], "linalg.syevd");
  assign_shape(out[0], in[0], "linalg.syevd");
  assign_shape(out[1], Shape(in[0].begin(), in[0].end() - 1), "linalg.syevd");
}

Kernel syevd_kernel(const KernelContext& c) {
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg.syevd", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const int64_t n = s.rows, lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    Scratch scratch;
    const size_t work_at = scratch.take<T>(lwork), iwork_at = scratch.take<int>(liwork);
    Kernel kernel;
    kernel.workspace_bytes = scratch.bytes;
    kernel.run = [=](const KernelArgs& args) {
      T* u = args.output<T>(0);
      std::copy_n(args.input<T>(0), s.count * s.size(), u);
      for (int64_t i = 0; i < s.count && n > 0; ++i) {
        T* ui = u + i * s.size();
        // Row-major: the lower triangle is LAPACK's upper one, and its column eigenvectors come out as rows.
        const int info = blas::syevd('U', static_cast<int>(n), ui, static_cast<int>(n), args.output<T>(1) + i * n,
                                     at<T>(args, work_at), static_cast<int>(lwork), at<int>(args, iwork_at),
                                     static_cast<int>(liwork));
        require(info == 0, "linalg.syevd: the eigenvalues did not converge (matrix ", i, ")");
        for (int64_t r = 0; r < n; ++r) {  // the largest component of an eigenvector is positive
          T* row = ui + r * n;
          int64_t top = 0;
          for (int64_t k = 1; k < n; ++k) {
            if (std::abs(row[k]) > std::abs(row[top])) top = k;
          }
          if (row[top] < 0) {
            for (int64_t k = 0; k < n; ++k) row[k] = -row[k];
          }
        }
      }
    };
    return kernel;
  });
}

// The middle of the gradient, from W = dU U^T, dL and L: (sym(W o E) + diag(dL)) with E_ij = 1 / (L_i - L_j), kept away
// from infinity where eigenvalues meet.
Kernel syevd_core_kernel(const KernelContext& c) {
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg.syevd", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[s](const KernelArgs& args) {
      const int64_t n = s.rows;
      for (int64_t m = 0; m < s.count; ++m) {
        const T* w = args.input<T>(0) + m * n * n;
        const T* dl = args.input<T>(1) + m * n;
        const T* l = args.input<T>(2) + m * n;
        T* out = args.output<T>(0) + m * n * n;
        const T least = std::max(std::numeric_limits<T>::min(), T(n) * std::numeric_limits<T>::epsilon());
        for (int64_t i = 0; i < n; ++i) {
          out[i * n + i] = dl[i];
          for (int64_t j = 0; j < i; ++j) {
            const T gap = std::max(l[i] - l[j], least * std::max(std::abs(l[i]), std::abs(l[j])));  // ascending
            const T value = gap > 0 ? (w[i * n + j] - w[j * n + i]) / (2 * gap) : T(0);
            out[i * n + j] = out[j * n + i] = value;
          }
        }
      }
    }};
  });
}

std::vector<Entry> syevd_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const Entry u = g.output(0), l = g.output(1);
  const Entry core = g.op("_backward_linalg_syevd", {product(g, g.out_grad(0), u, false, true), g.out_grad(1), l});
  return {product(g, product(g, u, core, true, false), u, false, false)};
}

// ---- inverse and determinants ----------------------------------------------------------------------------------------

void infer_inverse(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  infer_same_shape(attrs, in, out);
  if (in[0].ndim_known()) require_square(in[0], "linalg.inverse");
}

Kernel inverse_kernel(const KernelContext& c) {
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg.inverse", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const int64_t n = s.rows, lwork = std::max<int64_t>(1, n * 32);
    Scratch scratch;
    const size_t pivots_at = scratch.take<int>(n), work_at = scratch.take<T>(lwork);
    Kernel kernel;
    kernel.workspace_bytes = scratch.bytes;
    kernel.run = [=](const KernelArgs& args) {
      T* out = args.output<T>(0);
      if (out != args.input<T>(0)) std::copy_n(args.input<T>(0), s.count * s.size(), out);
      for (int64_t i = 0; i < s.count && n > 0; ++i) {
        T* y = out + i * s.size();
        int* pivots = at<int>(args, pivots_at);
        int info = blas::getrf(static_cast<int>(n), static_cast<int>(n), y, static_cast<int>(n), pivots);
        if (info == 0) {
          info = blas::getri(static_cast<int>(n), y, static_cast<int>(n), pivots, at<T>(args, work_at),
                             static_cast<int>(lwork));
        }
        require(info == 0, "linalg.inverse: the input matrix is singular (matrix ", i, ")");
      }
    };
    return kernel;
  });
}

// Outputs of det: the determinant, LU, pivots; of slogdet: sign, log |det|, LU, pivots. LU and pivots are LAPACK's for
// the transposed matrix.
void infer_det(const Attrs&, ShapeVec& in, ShapeVec& out) {
  if (!in[0].ndim_known()) return;
  require_square(in[0], "linalg.det");
  const size_t lu = out.size() - 2;
  for (size_t i = 0; i < lu; ++i) assign_shape(out[i], per_matrix(in[0]), "linalg.det");
  assign_shape(out[lu], in[0], "linalg.det");
  assign_shape(out[lu + 1], Shape(in[0].begin(), in[0].end() - 1), "linalg.det");
}

void infer_det_type(const Attrs&, DTypeVec& in, DTypeVec& out) {
  assign_type(in[0], out[0], "linalg.det");
  for (size_t i = 0; i + 1 < out.size(); ++i) assign_type(out[i], in[0], "linalg.det");
  assign_type(out.back(), DType::kInt32, "linalg.det");
}

Kernel det_kernel(const KernelContext& c, bool logarithm) {
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], logarithm ? "linalg.slogdet" : "linalg.det", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[s, logarithm](const KernelArgs& args) {
      const int64_t n = s.rows;
      T* lu = args.output<T>(logarithm ? 2 : 1);
      int* pivots = args.output<int>(logarithm ? 3 : 2);
      std::copy_n(args.input<T>(0), s.count * s.size(), lu);
      for (int64_t i = 0; i < s.count; ++i) {
        T* y = lu + i * s.size();
        int* p = pivots + i * n;
        if (n > 0) blas::getrf(static_cast<int>(n), static_cast<int>(n), y, static_cast<int>(n), p);
        T sign = 1, product = 1, sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          const T d = y[k * n + k];
          if (p[k] != k + 1) sign = -sign, product = -product;
          product *= d;
          if (logarithm) {
            sign *= d > 0 ? T(1) : d < 0 ? T(-1) : T(0);
            sum += std::log(std::abs(d));
          }
        }
        args.output<T>(0)[i] = logarithm ? sign : product;
        if (logarithm) args.output<T>(1)[i] = sum;
      }
    }};
  });
}

// Inputs: the gradient of det or log |det|, that output (det) or sign (slogdet), LU, pivots. Output: dA = g A^-T, with g
// the gradient times det for det; zero for a singular matrix.
Kernel det_backward_kernel(const KernelContext& c, bool logarithm) {
  const Stack s(c.in_shapes[2]);
  return visit_real(c.in_types[0], "linalg.det", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const int64_t n = s.rows, lwork = std::max<int64_t>(1, n * 32);
    Scratch scratch;
    const size_t work_at = scratch.take<T>(lwork), lu_at = scratch.take<T>(s.size());
    Kernel kernel;
    kernel.workspace_bytes = scratch.bytes;
    kernel.run = [=](const KernelArgs& args) {
      for (int64_t i = 0; i < s.count && n > 0; ++i) {
        T* out = args.output<T>(0) + i * s.size();
        T* inverse = at<T>(args, lu_at);
        const T value = args.input<T>(1)[i];
        const T factor = args.input<T>(0)[i] * (logarithm ? T(1) : value);
        std::copy_n(args.input<T>(2) + i * s.size(), s.size(), inverse);
        const int info = value == 0 ? 1
                                    : blas::getri(static_cast<int>(n), inverse, static_cast<int>(n),
                                                  args.input<int>(3) + i * n, at<T>(args, work_at),
                                                  static_cast<int>(lwork));
        // Row-major this is A^-1; its transpose is wanted.
        for (int64_t r = 0; r < n; ++r) {
          for (int64_t k = 0; k < n; ++k) out[r * n + k] = info == 0 ? factor * inverse[k * n + r] : T(0);
        }
      }
    };
    return kernel;
  });
}

void register_det(const char* name, std::initializer_list<const char*> aliases, bool logarithm, const char* backward,
                  const char* doc) {
  const int visible = logarithm ? 2 : 1;
  register_op(name)
      .alias(aliases)
      .doc(doc)
      .lenient()
      .inputs({"A"})
      .outputs(visible + 2)
      .visible_outputs(visible)
      .infer_shape(infer_det)
      .infer_type(infer_det_type)
      .gradient([=](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op(backward, {g.out_grad(visible - 1), g.output(0), g.output(visible), g.output(visible + 1)})};
      })
      .kernel([logarithm](const KernelContext& c) { return det_kernel(c, logarithm); });
  register_op(backward)
      .internal()
      .inputs({"out_grad", "value", "LU", "pivot"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        for (int i = 0; i < 3; ++i) assign_type(out[0], in[i]);
        for (int i = 0; i < 3; ++i) assign_type(in[i], out[0]);
        assign_type(in[3], DType::kInt32);
      })
      .kernel([logarithm](const KernelContext& c) { return det_backward_kernel(c, logarithm); });
}

}  // namespace

MXNET_REGISTER(linalg_factor) {
  register_op("_linalg_gelqf")
      .alias({"linalg_gelqf"})
      .doc("Factors A = L Q with a lower triangular L and orthonormal rows in Q; gives Q, L.")
      .lenient()
      .inputs({"A"})
      .outputs(2)
      .infer_shape(infer_gelqf)
      .infer_type(infer_same_type)
      .gradient(gelqf_gradient)
      .kernel(gelqf_kernel);
  register_op("_linalg_syevd")
      .doc("Factors symmetric A = U^T diag(L) U; gives U, whose rows are the eigenvectors, and L, ascending.")
      .lenient()
      .inputs({"A"})
      .outputs(2)
      .infer_shape(infer_syevd)
      .infer_type(infer_same_type)
      .gradient(syevd_gradient)
      .kernel(syevd_kernel);
  register_op("_backward_linalg_syevd")
      .internal()
      .inputs({"W", "dL", "L"})
      .infer_shape(shape_like_inputs({0}))
      .infer_type(infer_same_type)
      .kernel(syevd_core_kernel);
  register_op("_linalg_inverse")
      .alias({"_npi_inv", "linalg_inverse"})
      .doc("Inverse of each square matrix.")
      .lenient()
      .inputs({"A"})
      .infer_shape(infer_inverse)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const Entry b = g.output(0);
        return std::vector<Entry>{product(g, product(g, b, g.out_grad(), true, false, -1), b, false, true)};
      })
      .kernel(inverse_kernel);
  register_det("_linalg_det", {"_npi_det", "linalg_det"}, false, "_backward_linalg_det", "Determinant of each square matrix.");
  register_det("_linalg_slogdet", {"_npi_slogdet", "linalg_slogdet"}, true, "_backward_linalg_slogdet",
               "Sign and logarithm of the absolute value of the determinant of each square matrix.");
}

}  // namespace mxnet::linalg
