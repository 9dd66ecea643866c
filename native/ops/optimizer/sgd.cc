// sgd, sgd with momentum, Nesterov momentum, signSGD and Signum, with their mixed-precision forms.
#include "ops/optimizer/sgd.h"

namespace mxnet {
namespace {

struct SgdParam {
  float lr;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  bool lazy_update = true;
};
struct SgdMomParam {
  float lr;
  float momentum = 0;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  bool lazy_update = true;
};
struct SignumParam {
  float lr;
  float momentum = 0;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  float wd_lh = 0;
};

constexpr const char* kRescaleDoc = "The gradient is multiplied by this number first.";
constexpr const char* kClipDoc = "Then it is clipped to [-clip_gradient, clip_gradient]; a negative number: not.";
constexpr const char* kLazyDoc = "Accepted for old code; it matters for sparse gradients only.";

Params<SgdParam> sgd_params(bool lazy) {
  Params<SgdParam> p;
  p.required("lr", &SgdParam::lr, "Learning rate.")
      .field("wd", &SgdParam::wd, "Weight decay.")
      .field("rescale_grad", &SgdParam::rescale_grad, kRescaleDoc)
      .field("clip_gradient", &SgdParam::clip_gradient, kClipDoc);
  if (lazy) p.field("lazy_update", &SgdParam::lazy_update, kLazyDoc);
  return p;
}

Params<SgdMomParam> momentum_params(bool lazy) {
  Params<SgdMomParam> p;
  p.required("lr", &SgdMomParam::lr, "Learning rate.")
      .field("momentum", &SgdMomParam::momentum, "Decay of the momentum.")
      .field("wd", &SgdMomParam::wd, "Weight decay.")
      .field("rescale_grad", &SgdMomParam::rescale_grad, kRescaleDoc)
      .field("clip_gradient", &SgdMomParam::clip_gradient, kClipDoc);
  if (lazy) p.field("lazy_update", &SgdMomParam::lazy_update, kLazyDoc);
  return p;
}

SgdStep sgd_step(const SgdParam& p) { return {p.lr, p.wd, p.rescale_grad, clip_bound(p.clip_gradient)}; }

MomentumStep momentum_step(const SgdMomParam& p) {
  return {p.lr, p.momentum, p.wd, p.rescale_grad, clip_bound(p.clip_gradient)};
}

// `rewritten`: the momentum is taken with the weight after the step, which is what the reference does where the weight
// is updated in place.
struct NagStep {
  float lr, momentum, wd, rescale, bound;
  bool rewritten;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale, bound);
    const C ahead = momentum * state[0] - lr * (g + wd * weight);
    const C next = weight + momentum * ahead - lr * (g + wd * weight);
    state[0] = momentum * state[0] - lr * (g + wd * (rewritten ? next : weight));
    return next;
  }
};

NagStep nag_step(const SgdMomParam& p, bool rewritten) {
  return {p.lr, p.momentum, p.wd, p.rescale_grad, clip_bound(p.clip_gradient), rewritten};
}

template <class C>
C sign_of(C x) {
  return static_cast<C>(x > 0) - static_cast<C>(x < 0);
}

struct SignSgdStep {
  float lr, wd;
  template <class C>
  C operator()(C weight, C grad, C*) const {
    return (1 - C(lr) * wd) * weight - lr * sign_of(grad);
  }
};

struct SignumStep {
  float lr, momentum, wd, rescale, bound, wd_lh;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    state[0] =
        momentum * state[0] - (1 - C(momentum)) * wd * weight - (1 - C(momentum)) * clipped<C>(grad * rescale, bound);
    return (1 - C(lr) * wd_lh) * weight + lr * sign_of(state[0]);
  }
};

}  // namespace

MXNET_REGISTER(sgd) {
  update_op("sgd_update", {"weight", "grad"}, false)
      .alias({"_sparse_sgd_update"})
      .doc("weight - lr * (grad + wd * weight).")
      .params(sgd_params(true))
      .kernel([](const KernelContext& c) {
        return update_kernel<0, false>(c, "sgd_update", sgd_step(c.attrs.get<SgdParam>()));
      });
  update_op("mp_sgd_update", {"weight", "grad", "weight32"}, true)
      .doc("sgd_update on a float32 copy of the weight.")
      .params(sgd_params(true))
      .kernel([](const KernelContext& c) {
        return update_kernel<0, true>(c, "mp_sgd_update", sgd_step(c.attrs.get<SgdParam>()));
      });
  update_op("sgd_mom_update", {"weight", "grad", "mom"}, false)
      .alias({"_sparse_sgd_mom_update"})
      .doc("mom = momentum * mom - lr * (grad + wd * weight); weight + mom.")
      .params(momentum_params(true))
      .kernel([](const KernelContext& c) {
        return update_kernel<1, false>(c, "sgd_mom_update", momentum_step(c.attrs.get<SgdMomParam>()));
      });
  update_op("mp_sgd_mom_update", {"weight", "grad", "mom", "weight32"}, true)
      .doc("sgd_mom_update on a float32 copy of the weight.")
      .params(momentum_params(true))
      .kernel([](const KernelContext& c) {
        return update_kernel<1, true>(c, "mp_sgd_mom_update", momentum_step(c.attrs.get<SgdMomParam>()));
      });
}

MXNET_REGISTER(nag) {
  update_op("nag_mom_update", {"weight", "grad", "mom"}, false)
      .doc("Nesterov's accelerated gradient: the momentum looks one step ahead.")
      .params(momentum_params(false))
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<SgdMomParam>();
        return {[apart = update_kernel<1, false>(c, "nag_mom_update", nag_step(p, false)),
                 in_place = update_kernel<1, false>(c, "nag_mom_update", nag_step(p, true))](const KernelArgs& a) {
          (a.in[0] == a.out[0] ? in_place : apart).run(a);
        }};
      });
  update_op("mp_nag_mom_update", {"weight", "grad", "mom", "weight32"}, true)
      .doc("nag_mom_update on a float32 copy of the weight.")
      .params(momentum_params(false))
      .kernel([](const KernelContext& c) {
        return update_kernel<1, true>(c, "mp_nag_mom_update", nag_step(c.attrs.get<SgdMomParam>(), true));
      });
}

MXNET_REGISTER(signsgd) {
  update_op("signsgd_update", {"weight", "grad"}, false)
      .doc("A step of lr against the sign of the gradient. Bernstein et al., signSGD (ICML 2018).")
      .params(sgd_params(false))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<SgdParam>();
        return update_kernel<0, false>(c, "signsgd_update", SignSgdStep{p.lr, p.wd});
      });
  update_op("signum_update", {"weight", "grad", "mom"}, false)
      .doc("A step of lr along the sign of the momentum. Bernstein et al., signSGD (ICML 2018).")
      .params(Params<SignumParam>()
                  .required("lr", &SignumParam::lr, "Learning rate.")
                  .field("momentum", &SignumParam::momentum, "Decay of the momentum.")
                  .field("wd", &SignumParam::wd, "Weight decay, added to the gradient.")
                  .field("rescale_grad", &SignumParam::rescale_grad, kRescaleDoc)
                  .field("clip_gradient", &SignumParam::clip_gradient, kClipDoc)
                  .field("wd_lh", &SignumParam::wd_lh, "Weight decay, taken from the weight itself."))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<SignumParam>();
        return update_kernel<1, false>(
            c, "signum_update",
            SignumStep{p.lr, p.momentum, p.wd, p.rescale_grad, clip_bound(p.clip_gradient), p.wd_lh});
      });
}

}  // namespace mxnet
