// Patches of an image as the columns of a matrix, and back.
#pragma once

#include <algorithm>

#include "base/parallel.h"
#include "kernels/conv.h"

namespace mxnet {

// data [channels, in] -> columns [channels * kernel, out]; what lies in the padding is zero.
template <class T>
void im2col(const ConvGeometry& g, int64_t channels, const T* data, T* columns) {
  const int64_t ks = g.kernel_size();
  parallel_for(channels * ks, g.out_size(), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* plane = data + row / ks * g.in_size();
      int64_t tap = row % ks;
      const int64_t kw = tap % g.kernel[2];
      tap /= g.kernel[2];
      const int64_t kh = tap % g.kernel[1], kd = tap / g.kernel[1];
      T* to = columns + row * g.out_size();
      for (int64_t d = 0; d < g.out[0]; ++d) {
        const int64_t z = d * g.stride[0] - g.pad[0] + kd * g.dilate[0];
        for (int64_t h = 0; h < g.out[1]; ++h, to += g.out[2]) {
          const int64_t y = h * g.stride[1] - g.pad[1] + kh * g.dilate[1];
          if (z < 0 || z >= g.in[0] || y < 0 || y >= g.in[1]) {
            std::fill_n(to, g.out[2], T(0));
            continue;
          }
          const T* from = plane + (z * g.in[1] + y) * g.in[2];
          int64_t x = kw * g.dilate[2] - g.pad[2];
          for (int64_t w = 0; w < g.out[2]; ++w, x += g.stride[2]) to[w] = x >= 0 && x < g.in[2] ? from[x] : T(0);
        }
      }
    }
  });
}

// columns [channels * kernel, out] -> data [channels, in], adding where patches overlap.
template <class T>
void col2im(const ConvGeometry& g, int64_t channels, const T* columns, T* data) {
  const int64_t ks = g.kernel_size();
  parallel_for(channels, ks * g.out_size(), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      T* plane = data + c * g.in_size();
      std::fill_n(plane, g.in_size(), T(0));
      const T* from = columns + c * ks * g.out_size();
      for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
        for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
          for (int64_t kw = 0; kw < g.kernel[2]; ++kw) {
            for (int64_t d = 0; d < g.out[0]; ++d) {
              const int64_t z = d * g.stride[0] - g.pad[0] + kd * g.dilate[0];
              for (int64_t h = 0; h < g.out[1]; ++h, from += g.out[2]) {
                const int64_t y = h * g.stride[1] - g.pad[1] + kh * g.dilate[1];
                if (z < 0 || z >= g.in[0] || y < 0 || y >= g.in[1]) continue;
                T* to = plane + (z * g.in[1] + y) * g.in[2];
                int64_t x = kw * g.dilate[2] - g.pad[2];
                for (int64_t w = 0; w < g.out[2]; ++w, x += g.stride[2]) {
                  if (x >= 0 && x < g.in[2]) to[x] = static_cast<T>(to[x] + from[w]);
                }
              }
            }
          }
        }
      }
    }
  });
}

}  // namespace mxnet
