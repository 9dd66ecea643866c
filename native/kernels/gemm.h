// Matrix products of every float type. Matrices are row-major.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace mxnet {

// c = alpha * op(a) * op(b) + beta * c, where op(a) is m x k, op(b) k x n and op transposes when asked. A beta of zero
// never reads c. Runs on several threads when the work pays for them and the caller is not in a parallel loop.
void gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
void gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc);

// `batch` products of packed matrices lying one after another, in any float type; half types compute in float.
struct Matmul {
  DType dtype = DType::kFloat32;
  int64_t batch = 1;
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  double alpha = 1, beta = 0;
  // Distances between the batch's matrices in elements; negative: packed.
  int64_t stride_a = -1, stride_b = -1, stride_c = -1;
  // Leading dimensions; negative: packed.
  int64_t lda = -1, ldb = -1, ldc = -1;

  size_t workspace_bytes() const;
  void run(const void* a, const void* b, void* c, void* workspace) const;
};

// Error unless `dtype` is a float type; names the operator.
void require_float(DType dtype, const char* op_name);

}  // namespace mxnet
