// The BLAS and LAPACK routines that the kernels call, under the symbol prefix of the library that was found.
#pragma once

#include <cstdint>

#define MXNET_BLAS_PASTE2(a, b) a##b
#define MXNET_BLAS_PASTE(a, b) MXNET_BLAS_PASTE2(a, b)
#define MXNET_BLAS(name) MXNET_BLAS_PASTE(MXNET_BLAS_PREFIX, name)

extern "C" {
void MXNET_BLAS(cblas_sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a,
                             int lda, const float* b, int ldb, float beta, float* c, int ldc);
void MXNET_BLAS(cblas_dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a,
                             int lda, const double* b, int ldb, double beta, double* c, int ldc);
void MXNET_BLAS(cblas_strsm)(int order, int side, int uplo, int trans, int diag, int m, int n, float alpha,
                             const float* a, int lda, float* b, int ldb);
void MXNET_BLAS(cblas_dtrsm)(int order, int side, int uplo, int trans, int diag, int m, int n, double alpha,
                             const double* a, int lda, double* b, int ldb);
void MXNET_BLAS(cblas_strmm)(int order, int side, int uplo, int trans, int diag, int m, int n, float alpha,
                             const float* a, int lda, float* b, int ldb);
void MXNET_BLAS(cblas_dtrmm)(int order, int side, int uplo, int trans, int diag, int m, int n, double alpha,
                             const double* a, int lda, double* b, int ldb);

void MXNET_BLAS(spotrf_)(const char* uplo, const int* n, float* a, const int* lda, int* info);
void MXNET_BLAS(dpotrf_)(const char* uplo, const int* n, double* a, const int* lda, int* info);
void MXNET_BLAS(spotri_)(const char* uplo, const int* n, float* a, const int* lda, int* info);
void MXNET_BLAS(dpotri_)(const char* uplo, const int* n, double* a, const int* lda, int* info);
void MXNET_BLAS(sgetrf_)(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info);
void MXNET_BLAS(dgetrf_)(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void MXNET_BLAS(sgetri_)(const int* n, float* a, const int* lda, const int* pivots, float* work, const int* lwork,
                         int* info);
void MXNET_BLAS(dgetri_)(const int* n, double* a, const int* lda, const int* pivots, double* work, const int* lwork,
                         int* info);
void MXNET_BLAS(sgeqrf_)(const int* m, const int* n, float* a, const int* lda, float* tau, float* work,
                         const int* lwork, int* info);
void MXNET_BLAS(dgeqrf_)(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
                         const int* lwork, int* info);
void MXNET_BLAS(sorgqr_)(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau,
                         float* work, const int* lwork, int* info);
void MXNET_BLAS(dorgqr_)(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
                         double* work, const int* lwork, int* info);
void MXNET_BLAS(ssyevd_)(const char* job, const char* uplo, const int* n, float* a, const int* lda, float* w,
                         float* work, const int* lwork, int* iwork, const int* liwork, int* info);
void MXNET_BLAS(dsyevd_)(const char* job, const char* uplo, const int* n, double* a, const int* lda, double* w,
                         double* work, const int* lwork, int* iwork, const int* liwork, int* info);
// OpenBLAS's own; absent from other libraries.
void MXNET_BLAS(openblas_set_num_threads)(int count) __attribute__((weak));
}

namespace mxnet::blas {

inline constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112;
inline constexpr int kUpper = 121, kLower = 122, kNonUnit = 131, kLeft = 141, kRight = 142;

// The library computes on the calling thread only: threads are OpenMP's, so that there is one pool.
inline void use_one_thread() {
  static const bool done = [] {
    if (&MXNET_BLAS(openblas_set_num_threads)) MXNET_BLAS(openblas_set_num_threads)(1);
    return true;
  }();
  (void)done;
}

#define MXNET_BLAS_OVERLOAD(T, p)                                                                                  \
  inline void gemm(bool ta, bool tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,       \
                   T beta, T* c, int ldc) {                                                                        \
    use_one_thread();                                                                                              \
    MXNET_BLAS(cblas_##p##gemm)                                                                                    \
    (kRowMajor, ta ? kTrans : kNoTrans, tb ? kTrans : kNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);     \
  }                                                                                                                \
  /* b = alpha * op(a)^-1 b, or alpha * b op(a)^-1 when right; row-major, b is m x n. */                           \
  inline void trsm(bool right, bool lower, bool trans, int m, int n, T alpha, const T* a, int lda, T* b,           \
                   int ldb) {                                                                                      \
    use_one_thread();                                                                                              \
    MXNET_BLAS(cblas_##p##trsm)                                                                                    \
    (kRowMajor, right ? kRight : kLeft, lower ? kLower : kUpper, trans ? kTrans : kNoTrans, kNonUnit, m, n, alpha, \
     a, lda, b, ldb);                                                                                              \
  }                                                                                                                \
  inline void trmm(bool right, bool lower, bool trans, int m, int n, T alpha, const T* a, int lda, T* b,           \
                   int ldb) {                                                                                      \
    use_one_thread();                                                                                              \
    MXNET_BLAS(cblas_##p##trmm)                                                                                    \
    (kRowMajor, right ? kRight : kLeft, lower ? kLower : kUpper, trans ? kTrans : kNoTrans, kNonUnit, m, n, alpha, \
     a, lda, b, ldb);                                                                                              \
  }                                                                                                                \
  /* LAPACK below is column-major: a row-major lower triangle is its upper one. Each returns `info`. */            \
  inline int potrf(char uplo, int n, T* a, int lda) {                                                              \
    use_one_thread();                                                                                              \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##potrf_)(&uplo, &n, a, &lda, &info);                                                              \
    return info;                                                                                                   \
  }                                                                                                                \
  inline int potri(char uplo, int n, T* a, int lda) {                                                              \
    use_one_thread();                                                                                              \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##potri_)(&uplo, &n, a, &lda, &info);                                                              \
    return info;                                                                                                   \
  }                                                                                                                \
  inline int getrf(int m, int n, T* a, int lda, int* pivots) {                                                     \
    use_one_thread();                                                                                              \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##getrf_)(&m, &n, a, &lda, pivots, &info);                                                         \
    return info;                                                                                                   \
  }                                                                                                                \
  inline int getri(int n, T* a, int lda, const int* pivots, T* work, int lwork) {                                  \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##getri_)(&n, a, &lda, pivots, work, &lwork, &info);                                               \
    return info;                                                                                                   \
  }                                                                                                                \
  inline int geqrf(int m, int n, T* a, int lda, T* tau, T* work, int lwork) {                                      \
    use_one_thread();                                                                                              \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##geqrf_)(&m, &n, a, &lda, tau, work, &lwork, &info);                                              \
    return info;                                                                                                   \
  }                                                                                                                \
  inline int orgqr(int m, int n, int k, T* a, int lda, const T* tau, T* work, int lwork) {                         \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##orgqr_)(&m, &n, &k, a, &lda, tau, work, &lwork, &info);                                          \
    return info;                                                                                                   \
  }                                                                                                                \
  inline int syevd(char uplo, int n, T* a, int lda, T* w, T* work, int lwork, int* iwork, int liwork) {            \
    use_one_thread();                                                                                              \
    const char job = 'V';                                                                                          \
    int info = 0;                                                                                                  \
    MXNET_BLAS(p##syevd_)(&job, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info);                       \
    return info;                                                                                                   \
  }
MXNET_BLAS_OVERLOAD(float, s)
MXNET_BLAS_OVERLOAD(double, d)
#undef MXNET_BLAS_OVERLOAD

}  // namespace mxnet::blas
