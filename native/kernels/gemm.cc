#include "kernels/gemm.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/blas.h"
#include "kernels/threads.h"

#ifdef MXNET_USE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace mxnet {
namespace {

// Multiply-adds below which a product stays on one thread.
constexpr int64_t kParallelProducts = 1 << 19;

template <class T>
void scale_rows(int64_t m, int64_t n, T beta, T* c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * ldc + j] = beta == T(0) ? T(0) : c[i * ldc + j] * beta;
  }
}

// The BLAS library on one thread a piece of c, split along its longer side.
template <class T>
void blas_gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b,
               int64_t ldb, T beta, T* c, int64_t ldc) {
  const bool by_rows = m >= n;
  const int64_t length = by_rows ? m : n;
  const int64_t cost = m * n * k < kParallelProducts ? 0 : std::max<int64_t>(1, m * n * k / length / 8);
  parallel_for(length, cost, [&](int64_t begin, int64_t end) {
    const int rows = static_cast<int>(by_rows ? end - begin : m);
    const int columns = static_cast<int>(by_rows ? n : end - begin);
    const T* pa = by_rows ? a + (ta ? begin : begin * lda) : a;
    const T* pb = by_rows ? b : b + (tb ? begin * ldb : begin);
    blas::gemm(ta, tb, rows, columns, static_cast<int>(k), alpha, pa, static_cast<int>(lda), pb,
               static_cast<int>(ldb), beta, c + (by_rows ? begin * ldc : begin), static_cast<int>(ldc));
  });
}

template <class T>
void convert(const T* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace

void gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  if (m == 0 || n == 0) return;
  if (k == 0) return scale_rows(m, n, beta, c, ldc);
#ifdef MXNET_USE_ONEDNN
  // Below some size the library's own bookkeeping costs more than the product.
  if (m * n * k > 16 * 16 * 16) {
    const ThreadLimit limit(m * n * k < kParallelProducts ? 1 : max_threads());
    dnnl_sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return;
  }
#endif
  blas_gemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  if (m == 0 || n == 0) return;
  if (k == 0) return scale_rows(m, n, beta, c, ldc);
  blas_gemm(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

namespace {

// Resolved distances of a Matmul.
struct Layout {
  int64_t lda, ldb, ldc, stride_a, stride_b, stride_c;
  explicit Layout(const Matmul& p) {
    lda = p.lda >= 0 ? p.lda : (p.trans_a ? p.m : p.k);
    ldb = p.ldb >= 0 ? p.ldb : (p.trans_b ? p.k : p.n);
    ldc = p.ldc >= 0 ? p.ldc : p.n;
    stride_a = p.stride_a >= 0 ? p.stride_a : p.m * p.k;
    stride_b = p.stride_b >= 0 ? p.stride_b : p.k * p.n;
    stride_c = p.stride_c >= 0 ? p.stride_c : p.m * p.n;
    lda = std::max<int64_t>(lda, 1);
    ldb = std::max<int64_t>(ldb, 1);
    ldc = std::max<int64_t>(ldc, 1);
  }
  // Elements from the first to past the last one of the whole batch.
  int64_t span_a(const Matmul& p) const { return span(p.batch, stride_a, p.trans_a ? p.k : p.m, lda, p.trans_a ? p.m : p.k); }
  int64_t span_b(const Matmul& p) const { return span(p.batch, stride_b, p.trans_b ? p.n : p.k, ldb, p.trans_b ? p.k : p.n); }
  static int64_t span(int64_t batch, int64_t stride, int64_t rows, int64_t lead, int64_t columns) {
    return rows == 0 || columns == 0 ? 0 : (batch - 1) * stride + (rows - 1) * lead + columns;
  }
};

template <class T>
void run_batch(const Matmul& p, const Layout& l, const T* a, const T* b, T* c) {
  const auto one = [&](int64_t i) {
    gemm(p.trans_a, p.trans_b, p.m, p.n, p.k, static_cast<T>(p.alpha), a + i * l.stride_a, l.lda, b + i * l.stride_b,
         l.ldb, static_cast<T>(p.beta), c + i * l.stride_c, l.ldc);
  };
  // Many products: one thread each. Few and large ones: all threads together.
  if (p.batch >= max_threads()) {
    parallel_for(p.batch, std::max<int64_t>(1, p.m * p.n * p.k / 8), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) one(i);
    });
  } else {
    for (int64_t i = 0; i < p.batch; ++i) one(i);
  }
}

template <class T>
void run_half(const Matmul& p, const Layout& l, const T* a, const T* b, T* c, float* workspace) {
  const int64_t count_a = l.span_a(p), count_b = l.span_b(p);
  float* fa = workspace;
  float* fb = fa + count_a;
  float* fc = fb + count_b;
  convert(a, fa, count_a);
  convert(b, fb, count_b);
  Matmul dense = p;
  dense.stride_c = dense.ldc = -1;
  const Layout inner(dense);
  const auto each = [&](auto fn) {
    for (int64_t i = 0; i < p.batch; ++i) {
      for (int64_t r = 0; r < p.m; ++r) {
        for (int64_t j = 0; j < p.n; ++j) fn(fc[(i * p.m + r) * p.n + j], c[i * l.stride_c + r * l.ldc + j]);
      }
    }
  };
  if (p.beta != 0) each([](float& f, const T& t) { f = static_cast<float>(t); });
  run_batch(dense, inner, fa, fb, fc);
  each([](float& f, T& t) { t = f; });
}

}  // namespace

size_t Matmul::workspace_bytes() const {
  if (dtype == DType::kFloat32 || dtype == DType::kFloat64 || batch * m * n == 0) return 0;
  const Layout l(*this);
  return static_cast<size_t>(l.span_a(*this) + l.span_b(*this) + batch * m * n) * sizeof(float);
}

void Matmul::run(const void* a, const void* b, void* c, void* workspace) const {
  if (batch * m * n == 0) return;
  const Layout l(*this);
  switch (dtype) {
    case DType::kFloat32:
      return run_batch(*this, l, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(c));
    case DType::kFloat64:
      return run_batch(*this, l, static_cast<const double*>(a), static_cast<const double*>(b),
                       static_cast<double*>(c));
    case DType::kFloat16:
      return run_half(*this, l, static_cast<const half*>(a), static_cast<const half*>(b), static_cast<half*>(c),
                      static_cast<float*>(workspace));
    default:
      return run_half(*this, l, static_cast<const bfloat16*>(a), static_cast<const bfloat16*>(b),
                      static_cast<bfloat16*>(c), static_cast<float*>(workspace));
  }
}

void require_float(DType dtype, const char* op_name) {
  if (!is_float(dtype)) {
    fail_as(ErrorKind::kTypeError, op_name, ": This operation only support floating point types, not ", dtype);
  }
}

}  // namespace mxnet
