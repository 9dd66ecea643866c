// The AdamW step for one element.
#pragma once

#include "ops/optimizer/update.h"

namespace mxnet {

// Decoupled weight decay: Loshchilov and Hutter (2019).
struct AdamWStep {
  float lr, beta1, beta2, epsilon, wd, eta, rescale, bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale, bound);
    state[0] = beta1 * state[0] + (1 - beta1) * g;
    state[1] = beta2 * state[1] + (1 - beta2) * g * g;
    return weight - eta * (lr * state[0] / (std::sqrt(state[1]) + epsilon) + wd * weight);
  }
};

// The update is skipped when the loss scale says that the gradients overflowed.
inline bool usable_scale(float scale) { return std::isfinite(scale) && scale != 0; }

}  // namespace mxnet
