#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace mxnet {
namespace {

std::atomic<int> g_thread_limit{0};  // 0: not set yet

// A forked child has no team any more and libgomp would wait for it forever, so it runs on one thread.
void child_after_fork() { g_thread_limit.store(1, std::memory_order_relaxed); }

int initial_limit() {
  pthread_atfork(nullptr, nullptr, child_after_fork);
  int limit = omp_get_max_threads();
  if (const char* text = std::getenv("MXNET_OMP_MAX_THREADS")) {
    if (const int wanted = std::atoi(text); wanted > 0) limit = std::min(limit, wanted);
  }
  return std::max(1, limit);
}

}  // namespace

int max_threads() {
  if (omp_in_parallel()) return 1;
  int limit = g_thread_limit.load(std::memory_order_relaxed);
  if (limit == 0) {
    static const int first = initial_limit();
    int unset = 0;
    g_thread_limit.compare_exchange_strong(unset, first);
    limit = g_thread_limit.load(std::memory_order_relaxed);
  }
  return limit;
}

void set_max_threads(int count) {
  max_threads();
  g_thread_limit.store(std::max(1, count), std::memory_order_relaxed);
  omp_set_num_threads(std::max(1, count));
}

namespace detail {

void parallel_ranges(int64_t n, int threads, RangeFn fn, void* body) {
  threads = static_cast<int>(std::min<int64_t>(threads, n));
#pragma omp parallel num_threads(threads)
  {
    const int64_t team = omp_get_num_threads();
    const int64_t rank = omp_get_thread_num();
    const int64_t begin = n * rank / team;
    const int64_t end = n * (rank + 1) / team;
    if (begin < end) fn(body, begin, end);
  }
}

}  // namespace detail
}  // namespace mxnet
