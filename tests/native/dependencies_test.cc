// The libraries that the build found are the ones the code was compiled against, and they answer.
#include <gtest/gtest.h>
#include <omp.h>

#ifdef MXNET_USE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

#define MXNET_PASTE2(a, b) a##b
#define MXNET_PASTE(a, b) MXNET_PASTE2(a, b)
extern "C" double MXNET_PASTE(MXNET_BLAS_PREFIX, cblas_ddot)(int n, const double* x, int incx, const double* y, int incy);

TEST(Dependencies, OpenBlasComputesADotProduct) {
  const double x[3] = {1, 2, 3};
  const double y[3] = {4, 5, 6};
  EXPECT_EQ(MXNET_PASTE(MXNET_BLAS_PREFIX, cblas_ddot)(3, x, 1, y, 1), 32.0);
}

TEST(Dependencies, OpenMpRunsEveryIterationOnce) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= 100; ++i) sum += i;
  EXPECT_EQ(sum, 5050);
  EXPECT_GE(omp_get_max_threads(), 1);
}

#ifdef MXNET_USE_ONEDNN
TEST(Dependencies, OneDnnIsTheVersionOfItsHeaders) {
  const dnnl_version_t* version = dnnl_version();
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(version->major, DNNL_VERSION_MAJOR);
  EXPECT_EQ(version->minor, DNNL_VERSION_MINOR);
}
#endif
