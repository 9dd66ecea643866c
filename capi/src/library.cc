// Errors, version, features, devices, environment.
#include <array>
#include <atomic>
#include <cstdlib>

#include "base/parallel.h"
#include "engine/engine.h"
#include "generated/impl.h"
#include "guard.h"
#include "tensor/context.h"
#include "tensor/storage.h"
#include "thread_store.h"

namespace mxnet::capi::impl {
namespace {

constexpr int kVersion = 11000;

#ifdef MXNET_USE_ONEDNN
constexpr bool kOneDnn = true;
#else
constexpr bool kOneDnn = false;
#endif

#if defined(__x86_64__)
#define MXNET_CPU_HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define MXNET_CPU_HAS(feature) false
#endif

const std::array<LibFeature, 32>& features() {
  static const std::array<LibFeature, 32> list = {{
      {"CUDA", false},
      {"CUDNN", false},
      {"NCCL", false},
      {"CUDA_RTC", false},
      {"TENSORRT", false},
      {"CPU_SSE", MXNET_CPU_HAS("sse")},
      {"CPU_SSE2", MXNET_CPU_HAS("sse2")},
      {"CPU_SSE3", MXNET_CPU_HAS("sse3")},
      {"CPU_SSE4_1", MXNET_CPU_HAS("sse4.1")},
      {"CPU_SSE4_2", MXNET_CPU_HAS("sse4.2")},
      {"CPU_SSE4A", MXNET_CPU_HAS("sse4a")},
      {"CPU_AVX", MXNET_CPU_HAS("avx")},
      {"CPU_AVX2", MXNET_CPU_HAS("avx2")},
      {"OPENMP", true},
      {"SSE", false},
      {"F16C", false},
      {"JEMALLOC", false},
      {"BLAS_OPEN", true},
      {"BLAS_ATLAS", false},
      {"BLAS_MKL", false},
      {"BLAS_APPLE", false},
      {"LAPACK", true},
      {"MKLDNN", kOneDnn},
      {"OPENCV", false},
      {"CAFFE", false},
      {"PROFILER", false},
      {"DIST_KVSTORE", false},
      {"CXX14", true},
      {"INT64_TENSOR_SIZE", true},
      {"SIGNAL_HANDLER", false},
      {"DEBUG", false},
      {"TVM_OP", false},
  }};
  return list;
}

std::atomic<int> g_bulk_size{15};

}  // namespace

void MXLibInfoFeatures(const LibFeature** libFeature, size_t* size) {
  *libFeature = features().data();
  *size = features().size();
}

void MXNotifyShutdown() { wait_all(); }

void MXGetGPUCount(int* out) { *out = gpu_count(); }

void MXGetVersion(int* out) { *out = kVersion; }

void MXEngineSetBulkSize(int bulk_size, int* prev_bulk_size) { *prev_bulk_size = g_bulk_size.exchange(bulk_size); }

void MXSetNumOMPThreads(int thread_num) {
  if (thread_num < 1) fail_as(ErrorKind::kValueError, "The number of threads must be at least 1, not ", thread_num);
  set_max_threads(thread_num);
}

void MXGetGPUMemoryInformation64(int dev, uint64_t* free_mem, uint64_t* total_mem) {
  require_device(Context::from_codes(static_cast<int>(DeviceType::kGPU), dev));
  *free_mem = 0;
  *total_mem = 0;
}

void MXGetGPUMemoryInformation(int dev, int* free_mem, int* total_mem) {
  uint64_t free64 = 0;
  uint64_t total64 = 0;
  MXGetGPUMemoryInformation64(dev, &free64, &total64);
  *free_mem = static_cast<int>(free64);
  *total_mem = static_cast<int>(total64);
}

void MXStorageEmptyCache(int dev_type, int dev_id) {
  require_device(Context::from_codes(dev_type, dev_id));
  release_pooled_storage();
}

void MXGetEnv(const char* name, const char** value) { *value = std::getenv(name); }

void MXSetEnv(const char* name, const char* value) {
  const int failed = value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  if (failed != 0) fail_as(ErrorKind::kValueError, "'", name, "' is not a valid name of an environment variable");
}

}  // namespace mxnet::capi::impl
