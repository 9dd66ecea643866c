// Short spellings for derivatives written as graph nodes.
#pragma once

#include "op/gradient.h"

namespace mxnet {

struct GraphMath {
  const GradientBuilder& g;

  Entry call(const char* op, Entry x) const { return g.op(op, {std::move(x)}); }
  Entry with_scalar(const char* op, Entry x, double scalar) const {
    return g.op(op, {std::move(x)}, {{"scalar", exact_text(scalar)}});
  }
  Entry mul(Entry a, Entry b) const { return g.mul(std::move(a), std::move(b)); }
  Entry div(Entry a, Entry b) const { return g.op("elemwise_div", {std::move(a), std::move(b)}); }
  Entry scale(Entry x, double factor) const { return with_scalar("_mul_scalar", std::move(x), factor); }
  Entry add(Entry x, double term) const { return with_scalar("_plus_scalar", std::move(x), term); }
  Entry power(Entry x, double exponent) const { return with_scalar("_power_scalar", std::move(x), exponent); }
  Entry negative(Entry x) const { return call("negative", std::move(x)); }
  Entry square(Entry x) const { return call("square", std::move(x)); }
};

}  // namespace mxnet
