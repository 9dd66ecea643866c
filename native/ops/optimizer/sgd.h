// The steps of plain and momentum SGD for one element; single- and multi-tensor operators share them.
#pragma once

#include "ops/optimizer/update.h"

namespace mxnet {

struct SgdStep {
  float lr, wd, rescale, bound;
  template <class C>
  C operator()(C weight, C grad, C*) const {
    return weight - lr * (clipped<C>(grad * rescale, bound) + wd * weight);
  }
};

struct MomentumStep {
  float lr, momentum, wd, rescale, bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    state[0] = momentum * state[0] - lr * (clipped<C>(grad * rescale, bound) + wd * weight);
    return weight + state[0];
  }
};

}  // namespace mxnet
