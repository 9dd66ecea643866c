// Limits the threads that libraries below us (oneDNN) start from the calling thread.
#pragma once

#include <omp.h>

#include <algorithm>

#include "base/parallel.h"

namespace mxnet {

class ThreadLimit {
 public:
  explicit ThreadLimit(int threads) : saved_(omp_get_max_threads()) {
    threads = std::max(1, std::min(threads, max_threads()));
    changed_ = threads != saved_;
    if (changed_) omp_set_num_threads(threads);
  }
  ~ThreadLimit() {
    if (changed_) omp_set_num_threads(saved_);
  }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int saved_;
  bool changed_ = false;
};

}  // namespace mxnet
