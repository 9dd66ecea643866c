// Moving rows by index: the engine behind take, Embedding, gather_nd and their gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/parallel.h"
#include "tensor/dtype.h"

namespace mxnet {

enum IndexMode { kClipIndex, kWrapIndex, kRaiseIndex };

// Reads `count` indices of any type (numbers are cut towards zero) and brings them into [0, length) as `mode` says;
// kRaiseIndex throws for indices outside. With length 0 the result is 0 and must not be used.
void read_indices(const void* source, DType type, int64_t count, int64_t length, IndexMode mode,
                  std::string_view op_name, int64_t* indices);

// out[o][n] = data[o][indices[n]], rows of `row_bytes` bytes, data of shape (outer, length, row).
void gather_rows(const void* data, const int64_t* indices, void* out, int64_t outer, int64_t length, int64_t count,
                 int64_t row_bytes);

// out[o][v] = sum of grad[o][n] over the n with indices[n] == v, in the order of n whatever the number of threads.
template <class T>
void scatter_add_rows(const T* grad, const int64_t* indices, T* out, int64_t outer, int64_t length, int64_t count,
                      int64_t row) {
  if (outer * length * row == 0) return;
  const int64_t work = outer * row * (1 + count / length);
  parallel_for(length, work, [=](int64_t begin, int64_t end) {
    for (int64_t o = 0; o < outer; ++o) {
      T* base = out + o * length * row;
      std::fill(base + begin * row, base + end * row, T(0));
      const T* g = grad + o * count * row;
      for (int64_t n = 0; n < count; ++n, g += row) {
        if (indices[n] < begin || indices[n] >= end) continue;
        T* to = base + indices[n] * row;
        for (int64_t i = 0; i < row; ++i)
          to[i] = static_cast<T>(static_cast<compute_t<T>>(to[i]) + static_cast<compute_t<T>>(g[i]));
      }
    }
  });
}

}  // namespace mxnet
