// The pieces of LAMB that the single- and multi-tensor operators share. You et al. (ICLR 2020).
#pragma once

#include "ops/optimizer/update.h"

namespace mxnet {

// The direction of the step; the states are the means of the gradients and of their squares.
struct LambStep {
  float beta1, beta2, epsilon, wd, rescale, bound;
  BiasCorrection correction1, correction2;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale, bound);
    state[0] = beta1 * state[0] + (1 - beta1) * g;
    state[1] = beta2 * state[1] + (1 - beta2) * g * g;
    return state[0] / correction1.get<C>() / (std::sqrt(state[1] / correction2.get<C>()) + epsilon) + wd * weight;
  }
};

inline BiasCorrection beta_correction(float beta, int64_t t, bool wanted) {
  return wanted ? BiasCorrection(beta, t) : BiasCorrection();
}

// The factor of the learning rate: |weight| (within its bounds; a negative bound is none) over |direction|.
inline float trust_ratio(float weight_norm, float step_norm, float lower_bound, float upper_bound) {
  if (lower_bound >= 0) weight_norm = std::max(weight_norm, lower_bound);
  if (upper_bound >= 0) weight_norm = std::min(weight_norm, upper_bound);
  return weight_norm == 0 || step_norm == 0 ? 1.0f : weight_norm / step_norm;
}

// Sum of squares, the same whatever the number of threads.
template <class T>
double sum_of_squares(const T* x, int64_t n) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      const auto v = static_cast<double>(static_cast<compute_t<T>>(x[i + k]));
      lanes[k] += v * v;
    }
  }
  for (; i < n; ++i) {
    const auto v = static_cast<double>(static_cast<compute_t<T>>(x[i]));
    lanes[0] += v * v;
  }
  double sum = 0;
  for (double lane : lanes) sum += lane;
  return sum;
}

}  // namespace mxnet
