// RMSProp, FTRL, FTML and AdaGrad.
#include "ops/optimizer/update.h"

namespace mxnet {
namespace {

struct RmsPropParam {
  float lr;
  float gamma1 = 0.95f;
  float epsilon = 1e-8f;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  float clip_weights = -1;
};
struct RmsPropAlexParam {
  float lr;
  float gamma1 = 0.95f;
  float gamma2 = 0.9f;
  float epsilon = 1e-8f;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  float clip_weights = -1;
};
struct FtrlParam {
  float lr;
  float lamda1 = 0.01f;
  float beta = 1;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
};
struct FtmlParam {
  float lr;
  float beta1 = 0.6f;
  float beta2 = 0.999f;
  double epsilon = 1e-8f;
  int t;
  float wd = 0;
  float rescale_grad = 1;
  float clip_grad = -1;
};
struct AdaGradParam {
  float lr;
  float epsilon = 1e-7f;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
};
struct GroupAdaGradParam {
  float lr;
  float rescale_grad = 1;
  float clip_gradient = -1;
  float epsilon = 1e-5f;
};

constexpr const char* kRescaleDoc = "The gradient is multiplied by this number first.";
constexpr const char* kClipDoc = "Bound of the gradient; a negative number: none.";

// Tieleman and Hinton, RMSProp (2012).
struct RmsPropStep {
  float lr, gamma1, epsilon, wd, rescale, bound, weight_bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale + wd * weight, bound);
    state[0] = (1 - gamma1) * g * g + gamma1 * state[0];
    return clipped<C>(weight - lr * (g / std::sqrt(state[0] + epsilon)), weight_bound);
  }
};

// The centred form of Graves, "Generating sequences with recurrent neural networks" (2013), equations 38 to 45.
struct RmsPropAlexStep {
  float lr, gamma1, gamma2, epsilon, wd, rescale, bound, weight_bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale + wd * weight, bound);
    state[0] = (1 - gamma1) * g * g + gamma1 * state[0];
    state[1] = (1 - gamma1) * g + gamma1 * state[1];
    state[2] = gamma2 * state[2] - lr * (g / std::sqrt(state[0] - state[1] * state[1] + epsilon));
    return clipped<C>(weight + state[2], weight_bound);
  }
};

// McMahan et al., "Ad click prediction: a view from the trenches" (KDD 2013).
struct FtrlStep {
  float lr, lamda1, beta, wd, rescale, bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale, bound);
    const C root = std::sqrt(state[1] + g * g);
    state[0] += g - (root - std::sqrt(state[1])) * weight / lr;
    state[1] += g * g;
    const C z = state[0];
    const C shrunk = (z > 0 ? lamda1 - z : -lamda1 - z) / ((beta + std::sqrt(state[1])) / lr + wd);
    return std::abs(z) > lamda1 ? shrunk : C(0);
  }
};

// Zheng and Kwok, "Follow the moving leader in deep learning" (ICML 2017).
struct FtmlStep {
  float lr, beta1, beta2, epsilon, wd, rescale, bound;
  BiasCorrection correction1, correction2;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale + wd * weight, bound);
    state[1] = beta2 * state[1] + (1 - beta2) * g * g;
    const C d = correction1.get<C>() / lr * (std::sqrt(state[1] / correction2.get<C>()) + epsilon);
    state[2] = beta1 * state[2] + (1 - beta1) * g - (d - beta1 * state[0]) * weight;
    state[0] = d;
    return -state[2] / d;
  }
};

// Duchi et al., AdaGrad (2011).
struct AdaGradStep {
  float lr, epsilon, wd, rescale, bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale, bound);
    state[0] += g * g;
    return weight - lr * (g / std::sqrt(state[0] + epsilon) + wd * weight);
  }
};

// One history entry for each row of the weight.
Kernel group_adagrad_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<GroupAdaGradParam>();
  const int64_t rows = c.out_shapes[0].ndim() > 0 ? c.out_shapes[0][0] : 1;
  const int64_t row = rows > 0 ? c.out_shapes[0].size() / rows : 0;
  const float bound = clip_bound(p.clip_gradient);
  return visit_float(c.in_types[0], "group_adagrad_update", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& a) {
      const T* weight = a.input<T>(0);
      const T* grad = a.input<T>(1);
      T* history = a.input<T>(2);
      T* out = a.output<T>(0);
      parallel_for(rows, 4 * row, [=](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          C sum = 0;
          for (int64_t i = r * row; i < (r + 1) * row; ++i) {
            const C g = clipped<C>(static_cast<C>(grad[i]) * p.rescale_grad, bound);
            sum += g * g;
          }
          const C h = static_cast<C>(history[r]) + sum / static_cast<C>(std::max<int64_t>(row, 1));
          history[r] = static_cast<T>(h);
          const C scale = p.lr / std::sqrt(h + p.epsilon);
          for (int64_t i = r * row; i < (r + 1) * row; ++i) {
            const C g = clipped<C>(static_cast<C>(grad[i]) * p.rescale_grad, bound);
            out[i] = static_cast<T>(static_cast<C>(weight[i]) - scale * g);
          }
        }
      });
    }};
  });
}

}  // namespace

MXNET_REGISTER(rmsprop) {
  update_op("rmsprop_update", {"weight", "grad", "n"}, false)
      .doc("RMSProp. Tieleman and Hinton (2012).")
      .params(
          Params<RmsPropParam>()
              .required("lr", &RmsPropParam::lr, "Learning rate.")
              .field("gamma1", &RmsPropParam::gamma1, "Decay of the mean of the squared gradients.")
              .field("epsilon", &RmsPropParam::epsilon, "A small number that keeps the quotient finite.")
              .field("wd", &RmsPropParam::wd, "Weight decay, added to the gradient.")
              .field("rescale_grad", &RmsPropParam::rescale_grad, kRescaleDoc)
              .field("clip_gradient", &RmsPropParam::clip_gradient, kClipDoc)
              .field("clip_weights", &RmsPropParam::clip_weights, "Bound of the new weight; a negative number: none."))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<RmsPropParam>();
        return update_kernel<1, false>(c, "rmsprop_update",
                                       RmsPropStep{p.lr, p.gamma1, p.epsilon, p.wd, p.rescale_grad,
                                                   clip_bound(p.clip_gradient), clip_bound(p.clip_weights)});
      });
  update_op("rmspropalex_update", {"weight", "grad", "n", "g", "delta"}, false)
      .doc("Centred RMSProp with momentum. Graves (2013).")
      .params(Params<RmsPropAlexParam>()
                  .required("lr", &RmsPropAlexParam::lr, "Learning rate.")
                  .field("gamma1", &RmsPropAlexParam::gamma1, "Decay of the means of gradients and squared gradients.")
                  .field("gamma2", &RmsPropAlexParam::gamma2, "Decay of the momentum.")
                  .field("epsilon", &RmsPropAlexParam::epsilon, "A small number that keeps the quotient finite.")
                  .field("wd", &RmsPropAlexParam::wd, "Weight decay, added to the gradient.")
                  .field("rescale_grad", &RmsPropAlexParam::rescale_grad, kRescaleDoc)
                  .field("clip_gradient", &RmsPropAlexParam::clip_gradient, kClipDoc)
                  .field("clip_weights", &RmsPropAlexParam::clip_weights,
                         "Bound of the new weight; a negative number: none."))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<RmsPropAlexParam>();
        return update_kernel<3, false>(c, "rmspropalex_update",
                                       RmsPropAlexStep{p.lr, p.gamma1, p.gamma2, p.epsilon, p.wd, p.rescale_grad,
                                                       clip_bound(p.clip_gradient), clip_bound(p.clip_weights)});
      });
}

MXNET_REGISTER(follow_the_leader) {
  update_op("ftrl_update", {"weight", "grad", "z", "n"}, false)
      .alias({"_sparse_ftrl_update"})
      .doc("FTRL-Proximal. McMahan et al. (2013).")
      .params(Params<FtrlParam>()
                  .required("lr", &FtrlParam::lr, "Learning rate.")
                  .field("lamda1", &FtrlParam::lamda1, "L1 regularisation.")
                  .field("beta", &FtrlParam::beta, "Smoothing of the per-coordinate rates.")
                  .field("wd", &FtrlParam::wd, "L2 regularisation.")
                  .field("rescale_grad", &FtrlParam::rescale_grad, kRescaleDoc)
                  .field("clip_gradient", &FtrlParam::clip_gradient, kClipDoc))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<FtrlParam>();
        return update_kernel<2, false>(
            c, "ftrl_update", FtrlStep{p.lr, p.lamda1, p.beta, p.wd, p.rescale_grad, clip_bound(p.clip_gradient)});
      });
  update_op("ftml_update", {"weight", "grad", "d", "v", "z"}, false)
      .doc("Follow the moving leader. Zheng and Kwok (2017).")
      .params(Params<FtmlParam>()
                  .required("lr", &FtmlParam::lr, "Learning rate.")
                  .field("beta1", &FtmlParam::beta1, "Decay of the gradients.")
                  .field("beta2", &FtmlParam::beta2, "Decay of the squared gradients.")
                  .field("epsilon", &FtmlParam::epsilon, "A small number that keeps the quotient finite.")
                  .required("t", &FtmlParam::t, "Number of updates so far, this one included.")
                  .field("wd", &FtmlParam::wd, "Weight decay, added to the gradient.")
                  .field("rescale_grad", &FtmlParam::rescale_grad, kRescaleDoc)
                  .field("clip_grad", &FtmlParam::clip_grad, kClipDoc))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<FtmlParam>();
        return update_kernel<3, false>(
            c, "ftml_update",
            FtmlStep{p.lr, p.beta1, p.beta2, static_cast<float>(p.epsilon), p.wd, p.rescale_grad,
                     clip_bound(p.clip_grad), BiasCorrection(p.beta1, p.t), BiasCorrection(p.beta2, p.t)});
      });
}

MXNET_REGISTER(adagrad) {
  update_op("_sparse_adagrad_update", {"weight", "grad", "history"}, false)
      .doc("AdaGrad. Duchi et al. (2011).")
      .params(Params<AdaGradParam>()
                  .required("lr", &AdaGradParam::lr, "Learning rate.")
                  .field("epsilon", &AdaGradParam::epsilon, "A small number that keeps the quotient finite.")
                  .field("wd", &AdaGradParam::wd, "Weight decay.")
                  .field("rescale_grad", &AdaGradParam::rescale_grad, kRescaleDoc)
                  .field("clip_gradient", &AdaGradParam::clip_gradient, kClipDoc))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<AdaGradParam>();
        return update_kernel<1, false>(c, "_sparse_adagrad_update",
                                       AdaGradStep{p.lr, p.epsilon, p.wd, p.rescale_grad, clip_bound(p.clip_gradient)});
      });
  update_op("_contrib_group_adagrad_update", {"weight", "grad", "history"}, false)
      .doc("AdaGrad with one history entry for each row of the weight.")
      .params(Params<GroupAdaGradParam>()
                  .required("lr", &GroupAdaGradParam::lr, "Learning rate.")
                  .field("rescale_grad", &GroupAdaGradParam::rescale_grad, kRescaleDoc)
                  .field("clip_gradient", &GroupAdaGradParam::clip_gradient, kClipDoc)
                  .field("epsilon", &GroupAdaGradParam::epsilon, "A small number that keeps the quotient finite."))
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        for (Shape* s : {&in[0], &in[1]}) assign_shape(out[0], *s, "group_adagrad_update");
        in[0] = in[1] = out[0];
        if (out[0].ndim() < 1) return;
        Shape history = Shape::filled(out[0].ndim(), 1);
        history[0] = out[0][0];
        if (in[2].ndim() == 1) history = Shape{out[0][0]};
        assign_shape(in[2], history, "history of group_adagrad_update");
      })
      .kernel(group_adagrad_kernel);
}

}  // namespace mxnet
