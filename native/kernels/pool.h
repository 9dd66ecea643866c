// Pooling kernels in 1 to 3 spatial dimensions, channels first or last.
#pragma once

#include <array>

#include "op/kernel.h"

namespace mxnet {

enum class PoolType { kMax = 0, kAvg = 1, kSum = 2, kLp = 3 };

struct PoolGeometry {
  PoolType type = PoolType::kMax;
  int power = 2;                // of kLp: 1, 2 or 3
  bool count_include_pad = true;
  bool fixed_divisor = false;   // kAvg divides by the size of the whole window wherever it lies
  bool channels_last = false;
  int64_t batch = 0, channels = 0;
  std::array<int64_t, 3> in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, pad{0, 0, 0};
  DType dtype = DType::kFloat32;

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// Input: data. Outputs: result and, with `taps`, for each result which tap of its window was the greatest (kMax only),
// written with `record`; without it, a mark that says that nothing was recorded.
Kernel pool_forward(const PoolGeometry& g, bool taps, bool record);
// Inputs: out_grad, data, then what the type needs: kMax the recorded taps where `taps`, kLp the forward result.
Kernel pool_backward(const PoolGeometry& g, bool taps);

}  // namespace mxnet
