// Data-parallel loops on OpenMP, the only thread runtime of the library.
#pragma once

#include <cstdint>
#include <type_traits>

namespace mxnet {

// Work (in elementary operations, about a nanosecond each) below which a loop stays on the calling thread: starting
// and joining a team costs 5 to 50 us.
inline constexpr int64_t kParallelGrain = 1 << 15;

int max_threads();                // the team size that a loop may use now: 1 inside a parallel region or after fork
void set_max_threads(int count);  // MXSetNumOMPThreads; at least 1

namespace detail {
using RangeFn = void (*)(void* body, int64_t begin, int64_t end);
void parallel_ranges(int64_t n, int threads, RangeFn fn, void* body);
}  // namespace detail

// body(begin, end) over a static split of [0, n). `cost` is the work of one item in elementary operations.
// The body must not throw.
template <class Body>
void parallel_for(int64_t n, int64_t cost, Body&& body) {
  if (n <= 0) return;
  const int threads = n * cost < kParallelGrain || n == 1 ? 1 : max_threads();
  if (threads == 1) {
    body(int64_t{0}, n);
    return;
  }
  detail::parallel_ranges(
      n, threads,
      [](void* b, int64_t begin, int64_t end) { (*static_cast<std::remove_reference_t<Body>*>(b))(begin, end); },
      &body);
}

}  // namespace mxnet
