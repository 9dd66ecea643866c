// The loop that every element-wise optimizer update shares.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {

// A bound that never binds when clipping is off (a negative number).
inline float clip_bound(float clip) { return clip >= 0 ? clip : std::numeric_limits<float>::infinity(); }

template <class C>
C clipped(C value, float bound) {
  return std::min(std::max(value, static_cast<C>(-bound)), static_cast<C>(bound));
}

// 1 - beta^t, in the precision of the update: for beta near 1 the rounding of the power shows in the result.
struct BiasCorrection {
  float single = 1;
  double wide = 1;
  BiasCorrection() = default;
  BiasCorrection(float beta, int64_t t)
      : single(1 - std::pow(beta, static_cast<float>(t))),
        wide(1 - std::pow(static_cast<double>(beta), static_cast<double>(t))) {}
  template <class C>
  C get() const {
    if constexpr (sizeof(C) == sizeof(double)) {
      return wide;
    } else {
      return single;
    }
  }
};

// The arrays of one weight. T is the type of weight and gradient, S that of the states.
template <class T, class S, int States>
struct UpdateArrays {
  const T* weight;
  const T* grad;
  std::array<S*, States> state;
  float* master;  // the float32 copy of a lower-precision weight that the update works on; null without
  T* out;
};

// out[i] = f(weight, grad, state) where f also changes the states of element i. `out` may be the weight.
template <class T, class S, int States, class F>
void run_update(const UpdateArrays<T, S, States>& p, int64_t n, const F& f) {
  using C = compute_t<S>;
  const auto loop = [&](auto has_master) {
    parallel_for(n, 4 + 2 * States, [&, p](int64_t begin, int64_t end) {
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) {
        C state[States + 1];
        for (int k = 0; k < States; ++k) state[k] = static_cast<C>(p.state[k][i]);
        C weight;
        if constexpr (has_master) {
          weight = static_cast<C>(p.master[i]);
        } else {
          weight = static_cast<C>(p.weight[i]);
        }
        const C result = f(weight, static_cast<C>(p.grad[i]), state);
        for (int k = 0; k < States; ++k) p.state[k][i] = static_cast<S>(state[k]);
        if constexpr (has_master) p.master[i] = static_cast<float>(result);
        p.out[i] = static_cast<T>(result);
      }
    });
  };
  if (p.master) {
    loop(std::true_type{});
  } else {
    loop(std::false_type{});
  }
}

// A kernel over inputs weight, grad, states... (and the float32 weight last when `master`).
template <int States, bool Master, class F>
Kernel update_kernel(const KernelContext& c, const char* name, F f) {
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.in_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using S = std::conditional_t<Master, float, T>;
    return {[n, f](const KernelArgs& a) {
      UpdateArrays<T, S, States> p{a.input<T>(0), a.input<T>(1), {}, nullptr, a.output<T>(0)};
      for (int k = 0; k < States; ++k) p.state[k] = a.input<S>(static_cast<size_t>(2 + k));
      if (Master) p.master = a.input<float>(2 + States);
      run_update(p, n, f);
    }};
  });
}

// Weight, gradient and output share one type; with `master` everything else is float32.
InferTypeFn update_types(bool master, int inputs_of_weight_type = 2);

// Declares what all single-tensor updates have in common. Inputs from position 2 on are written, but for those in
// `read_only`.
OpDef& update_op(const char* name, std::vector<std::string> inputs, bool master,
                 const std::vector<std::string>& read_only = {});

}  // namespace mxnet
