// LAMB in two phases: the direction, then the step scaled by the ratio of the norms.
#include "ops/optimizer/lamb.h"

namespace mxnet {
namespace {

struct Phase1Param {
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-6f;
  int t;
  bool bias_correction = true;
  float wd;
  float rescale_grad = 1;
  float clip_gradient = -1;
};
struct Phase2Param {
  float lr;
  float lower_bound = -1;
  float upper_bound = -1;
};

Params<Phase1Param> phase1_params() {
  return Params<Phase1Param>()
      .field("beta1", &Phase1Param::beta1, "Decay of the mean of the gradients.")
      .field("beta2", &Phase1Param::beta2, "Decay of the mean of their squares.")
      .field("epsilon", &Phase1Param::epsilon, "A small number that keeps the quotient finite.")
      .required("t", &Phase1Param::t, "Number of updates so far, this one included.")
      .field("bias_correction", &Phase1Param::bias_correction, "Correct the means for their start at zero.")
      .required("wd", &Phase1Param::wd, "Weight decay.")
      .field("rescale_grad", &Phase1Param::rescale_grad, "The gradient is multiplied by this number first.")
      .field("clip_gradient", &Phase1Param::clip_gradient, "Bound of the gradient; a negative number: none.");
}

Params<Phase2Param> phase2_params() {
  return Params<Phase2Param>()
      .required("lr", &Phase2Param::lr, "Learning rate.")
      .field("lower_bound", &Phase2Param::lower_bound, "Lower bound of the norm of the weight; negative: none.")
      .field("upper_bound", &Phase2Param::upper_bound, "Upper bound of the norm of the weight; negative: none.");
}

LambStep lamb_step(const Phase1Param& p) {
  return {p.beta1,
          p.beta2,
          p.epsilon,
          p.wd,
          p.rescale_grad,
          clip_bound(p.clip_gradient),
          beta_correction(p.beta1, p.t, p.bias_correction),
          beta_correction(p.beta2, p.t, p.bias_correction)};
}

// With a float32 weight the direction is float32 and the low-precision weight is not read.
Kernel mixed_phase1_kernel(const KernelContext& c) {
  const LambStep step = lamb_step(c.attrs.get<Phase1Param>());
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.in_types[1], "mp_lamb_update_phase1", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      const T* grad = a.input<T>(1);
      float* mean = a.input<float>(2);
      float* var = a.input<float>(3);
      const float* weight = a.input<float>(4);
      float* out = a.output<float>(0);
      parallel_for(n, 12, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) {
          float state[2] = {mean[i], var[i]};
          const float g = step(weight[i], static_cast<float>(grad[i]), state);
          mean[i] = state[0];
          var[i] = state[1];
          out[i] = g;
        }
      });
    }};
  });
}

// weight - lr * ratio * g; the norms r1 and r2 are inputs.
template <bool Master>
Kernel phase2_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<Phase2Param>();
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.in_types[0], "lamb_update_phase2", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using S = std::conditional_t<Master, float, T>;
    using C = compute_t<S>;
    return {[=](const KernelArgs& a) {
      const float ratio = trust_ratio(static_cast<float>(a.input<S>(2)[0]), static_cast<float>(a.input<S>(3)[0]),
                                      p.lower_bound, p.upper_bound);
      const C rate = static_cast<C>(p.lr * ratio);
      const S* g = a.input<S>(1);
      S* weight = Master ? a.input<S>(4) : a.input<S>(0);
      T* out = a.output<T>(0);
      parallel_for(n, 3, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
        for (int64_t i = begin; i < end; ++i) {
          const C w = static_cast<C>(weight[i]) - rate * static_cast<C>(g[i]);
          if constexpr (Master) weight[i] = static_cast<S>(w);
          out[i] = static_cast<T>(w);
        }
      });
    }};
  });
}

void infer_phase2(const Attrs&, ShapeVec& in, ShapeVec& out) {
  std::vector<Shape*> arrays{&in[0], &in[1]};
  if (in.size() > 4) arrays.push_back(&in[4]);
  for (Shape* s : arrays) assign_shape(out[0], *s, "lamb_update_phase2");
  for (Shape* s : arrays) *s = out[0];
  for (int i : {2, 3}) {
    if (in[i].known())
      require(in[i].size() == 1, "operator lamb_update_phase2: r1 and r2 must hold one number, not shape ", in[i]);
  }
}

}  // namespace

MXNET_REGISTER(lamb) {
  update_op("lamb_update_phase1", {"weight", "grad", "mean", "var"}, false)
      .doc("The direction of a LAMB step. You et al. (2020).")
      .params(phase1_params())
      .kernel([](const KernelContext& c) {
        return update_kernel<2, false>(c, "lamb_update_phase1", lamb_step(c.attrs.get<Phase1Param>()));
      });
  register_op("mp_lamb_update_phase1")
      .doc("lamb_update_phase1 on a float32 copy of the weight.")
      .inputs({"weight", "grad", "mean", "var", "weight32"})
      .explicit_inputs()
      .mutates({2, 3})
      .params(phase1_params())
      .infer_shape(infer_same_shape)
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(in[1], in[0]);
        assign_type(in[0], in[1]);
        for (int i : {2, 3, 4}) assign_type(in[i], DType::kFloat32, "optimizer state");
        assign_type(out[0], DType::kFloat32);
      })
      .kernel(mixed_phase1_kernel);
  register_op("lamb_update_phase2")
      .doc("The step of LAMB along the direction g, given the norms r1 of the weight and r2 of g.")
      .inputs({"weight", "g", "r1", "r2"})
      .explicit_inputs()
      .params(phase2_params())
      .infer_shape(infer_phase2)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel(phase2_kernel<false>);
  register_op("mp_lamb_update_phase2")
      .doc("lamb_update_phase2 on a float32 copy of the weight.")
      .inputs({"weight", "g", "r1", "r2", "weight32"})
      .explicit_inputs()
      .mutates({4})
      .params(phase2_params())
      .infer_shape(infer_phase2)
      .infer_type(update_types(true, 1))
      .inplace(0, 0)
      .kernel(phase2_kernel<true>);
}

}  // namespace mxnet
