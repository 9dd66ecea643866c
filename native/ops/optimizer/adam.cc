// adam_update, _adamw_update, _mp_adamw_update.
#include "ops/optimizer/adam.h"

#include "tensor/ndarray.h"

namespace mxnet {
namespace {

struct AdamParam {
  float lr;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  float wd = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  bool lazy_update = true;
};
struct AdamWParam {
  float lr;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  float wd = 0;
  float eta;
  float clip_gradient = -1;
};

// Kingma and Ba, Adam (2015), without bias correction: callers put it into lr.
struct AdamStep {
  float lr, beta1, beta2, epsilon, wd, rescale, bound;
  template <class C>
  C operator()(C weight, C grad, C* state) const {
    const C g = clipped<C>(grad * rescale + wd * weight, bound);
    state[0] = beta1 * state[0] + (1 - beta1) * g;
    state[1] = beta2 * state[1] + (1 - beta2) * g * g;
    return weight - lr * state[0] / (std::sqrt(state[1]) + epsilon);
  }
};

Params<AdamWParam> adamw_params() {
  return Params<AdamWParam>()
      .required("lr", &AdamWParam::lr, "Learning rate.")
      .field("beta1", &AdamWParam::beta1, "Decay of the mean of the gradients.")
      .field("beta2", &AdamWParam::beta2, "Decay of the mean of their squares.")
      .field("epsilon", &AdamWParam::epsilon, "A small number that keeps the quotient finite.")
      .field("wd", &AdamWParam::wd, "Weight decay, taken from the weight itself.")
      .required("eta", &AdamWParam::eta, "Factor of the whole step.")
      .field("clip_gradient", &AdamWParam::clip_gradient, "Bound of the rescaled gradient; a negative number: none.");
}

// The last input is a number that multiplies the gradient.
template <bool Master>
Kernel adamw_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<AdamWParam>();
  const int64_t n = c.out_shapes[0].size();
  const size_t scale_input = Master ? 5 : 4;
  return visit_float(c.in_types[0], "adamw_update", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using S = std::conditional_t<Master, float, T>;
    return {[=, scale_type = c.in_types[scale_input]](const KernelArgs& a) {
      float scale = 0;
      convert_elements(a.in[scale_input], scale_type, &scale, DType::kFloat32, 1);
      UpdateArrays<T, S, 2> arrays{
          a.input<T>(0), a.input<T>(1), {a.input<S>(2), a.input<S>(3)}, nullptr, a.output<T>(0)};
      if (Master) arrays.master = a.input<float>(4);
      if (!usable_scale(scale)) {
        if (a.in[0] != a.out[0]) std::copy_n(arrays.weight, n, arrays.out);
        return;
      }
      run_update(arrays, n,
                 AdamWStep{p.lr, p.beta1, p.beta2, p.epsilon, p.wd, p.eta, scale, clip_bound(p.clip_gradient)});
    }};
  });
}

OpDef& adamw_op(const char* name, std::vector<std::string> inputs, bool master) {
  return update_op(name, std::move(inputs), master, {"rescale_grad"})
      .params(adamw_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        ShapeVec arrays(in.begin(), in.end() - 1);
        infer_same_shape(attrs, arrays, out);
        std::copy(arrays.begin(), arrays.end(), in.begin());
        require(!in.back().known() || in.back().size() == 1, "rescale_grad must hold one number, not shape ",
                in.back());
      })
      .infer_type([types = update_types(master)](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        DTypeVec arrays(in.begin(), in.end() - 1);
        types(attrs, arrays, out);
        std::copy(arrays.begin(), arrays.end(), in.begin());
        if (in.back() == DType::kUnknown) in.back() = DType::kFloat32;
      });
}

}  // namespace

MXNET_REGISTER(adam) {
  update_op("adam_update", {"weight", "grad", "mean", "var"}, false)
      .alias({"_sparse_adam_update"})
      .doc("Adam. Kingma and Ba (2015).")
      .params(Params<AdamParam>()
                  .required("lr", &AdamParam::lr, "Learning rate.")
                  .field("beta1", &AdamParam::beta1, "Decay of the mean of the gradients.")
                  .field("beta2", &AdamParam::beta2, "Decay of the mean of their squares.")
                  .field("epsilon", &AdamParam::epsilon, "A small number that keeps the quotient finite.")
                  .field("wd", &AdamParam::wd, "Weight decay, added to the gradient.")
                  .field("rescale_grad", &AdamParam::rescale_grad, "The gradient is multiplied by this number first.")
                  .field("clip_gradient", &AdamParam::clip_gradient, "Bound of the gradient; a negative number: none.")
                  .field("lazy_update", &AdamParam::lazy_update,
                         "Accepted for old code; it matters for sparse gradients only."))
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<AdamParam>();
        return update_kernel<2, false>(
            c, "adam_update",
            AdamStep{p.lr, p.beta1, p.beta2, p.epsilon, p.wd, p.rescale_grad, clip_bound(p.clip_gradient)});
      });
  adamw_op("_adamw_update", {"weight", "grad", "mean", "var", "rescale_grad"}, false)
      .doc("Adam with decoupled weight decay; nothing changes when rescale_grad is 0 or not finite.")
      .kernel(adamw_kernel<false>);
  adamw_op("_mp_adamw_update", {"weight", "grad", "mean", "var", "weight32", "rescale_grad"}, true)
      .doc("_adamw_update on a float32 copy of the weight.")
      .kernel(adamw_kernel<true>);
}

}  // namespace mxnet
