// Updates of several weights by one operator: the inputs are the arrays of weight 0, then those of weight 1, ....
#include "ops/optimizer/adam.h"
#include "ops/optimizer/lamb.h"
#include "ops/optimizer/sgd.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

struct MultiSgdParam {
  std::vector<float> lrs, wds;
  float momentum = 0;
  float rescale_grad = 1;
  float clip_gradient = -1;
  int num_weights = 1;
};
struct MultiAdamWParam {
  std::vector<float> lrs;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  std::vector<float> wds, etas;
  float clip_gradient = -1;
  int num_weights = 1;
};
struct MultiLambParam {
  std::vector<float> learning_rates;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-6f;
  std::vector<float> wds;
  float rescale_grad = 1;
  float lower_bound = -1;
  float upper_bound = -1;
  float clip_gradient = -1;
  bool bias_correction = true;
  Shape step_count;
  int num_tensors = 1;
};

// How many arrays belong to a weight, and how many inputs follow after the last weight.
struct Layout {
  int stride;
  int states;
  bool master;
  int trailing;
};

OpDef& multi_op(const char* name, const Layout& layout, int (*count)(const Attrs&)) {
  OpDef& op =
      register_op(name)
          .variadic("data", "", [=](const Attrs& attrs) { return count(attrs) * layout.stride + layout.trailing; })
          .explicit_inputs()
          .outputs(count)
          .infer_shape([=](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
            for (size_t w = 0; w < out.size(); ++w) {
              const auto first = in.begin() + static_cast<std::ptrdiff_t>(w) * layout.stride;
              ShapeVec arrays(first, first + layout.stride);
              ShapeVec result{out[w]};
              infer_same_shape(attrs, arrays, result);
              std::copy(arrays.begin(), arrays.end(), first);
              out[w] = result[0];
            }
          })
          .infer_type([=, types = update_types(layout.master)](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
            for (size_t w = 0; w < out.size(); ++w) {
              const auto first = in.begin() + static_cast<std::ptrdiff_t>(w) * layout.stride;
              DTypeVec arrays(first, first + layout.stride);
              DTypeVec result{out[w]};
              types(attrs, arrays, result);
              std::copy(arrays.begin(), arrays.end(), first);
              out[w] = result[0];
            }
            for (size_t i = in.size() - layout.trailing; i < in.size(); ++i) {
              if (in[i] == DType::kUnknown) in[i] = DType::kFloat32;
            }
          });
  if (layout.stride > 2) {
    op.mutates([=](const Attrs& attrs) {
      std::vector<int> written;
      for (int w = 0; w < count(attrs); ++w) {
        for (int k = 2; k < layout.stride; ++k) written.push_back(w * layout.stride + k);
      }
      return written;
    });
  }
  return op;
}

// make(args, weight) gives the step of a weight, or null to leave it alone.
template <int States, bool Master, class MakeStep>
Kernel multi_kernel(const KernelContext& c, const char* name, MakeStep make) {
  std::vector<int64_t> sizes;
  for (const Shape& shape : c.out_shapes) sizes.push_back(shape.size());
  constexpr size_t kStride = 2 + States + (Master ? 1 : 0);
  for (DType t : c.out_types) require(t == c.out_types[0], "operator ", name, ": all weights must have one type");
  return visit_float(c.out_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using S = std::conditional_t<Master, float, T>;
    return {[=](const KernelArgs& a) {
      for (size_t w = 0; w < sizes.size(); ++w) {
        const size_t at = w * kStride;
        UpdateArrays<T, S, States> p{a.input<T>(at), a.input<T>(at + 1), {}, nullptr, a.output<T>(w)};
        for (int k = 0; k < States; ++k) p.state[k] = a.input<S>(at + 2 + static_cast<size_t>(k));
        if (Master) p.master = a.input<float>(at + 2 + States);
        if (const auto step = make(a, w)) {
          run_update(p, sizes[w], *step);
        } else if (p.weight != p.out) {
          std::copy_n(p.weight, sizes[w], p.out);
        }
      }
    }};
  });
}

void check_lists(const char* name, int count, std::initializer_list<size_t> sizes) {
  for (size_t n : sizes) {
    require(n == static_cast<size_t>(count), "operator ", name, ": a list has ", n, " numbers for ", count, " weights");
  }
}

// ---- SGD ----------------------------------------------------------------------------------------------------------

int sgd_count(const Attrs& attrs) { return attrs.get<MultiSgdParam>().num_weights; }

Params<MultiSgdParam> multi_sgd_params(bool preloaded, bool momentum) {
  Params<MultiSgdParam> p;
  if (!preloaded) {
    p.required("lrs", &MultiSgdParam::lrs, "Learning rate of each weight.")
        .required("wds", &MultiSgdParam::wds, "Weight decay of each weight.");
  }
  if (momentum) p.field("momentum", &MultiSgdParam::momentum, "Decay of the momentum.");
  p.field("rescale_grad", &MultiSgdParam::rescale_grad, "The gradients are multiplied by this number first.")
      .field("clip_gradient", &MultiSgdParam::clip_gradient, "Bound of the gradients; a negative number: none.")
      .field("num_weights", &MultiSgdParam::num_weights, "Number of weights.")
      .at_least(1);
  return p;
}

template <bool Momentum, bool Master, bool Preloaded>
void declare_multi_sgd(const char* name, const char* doc) {
  constexpr int kStates = Momentum ? 1 : 0;
  const Layout layout{2 + kStates + (Master ? 1 : 0), kStates, Master, Preloaded ? 2 : 0};
  multi_op(name, layout, sgd_count)
      .doc(doc)
      .params(multi_sgd_params(Preloaded, Momentum))
      .kernel([=](const KernelContext& c) {
        const auto p = c.attrs.get<MultiSgdParam>();
        if (!Preloaded) check_lists(name, p.num_weights, {p.lrs.size(), p.wds.size()});
        const size_t rates = static_cast<size_t>(p.num_weights * layout.stride);
        if (Preloaded) {
          for (size_t i : {rates, rates + 1}) {
            require(c.in_types[i] == DType::kFloat32 && c.in_shapes[i].size() == p.num_weights, "operator ", name,
                    ": lrs and wds must be float32 arrays of ", p.num_weights, " numbers");
          }
        }
        const auto rate = [=](const KernelArgs& a, size_t w) {
          return Preloaded ? a.input<float>(rates)[w] : p.lrs[w];
        };
        const auto decay = [=](const KernelArgs& a, size_t w) {
          return Preloaded ? a.input<float>(rates + 1)[w] : p.wds[w];
        };
        const float bound = clip_bound(p.clip_gradient);
        if constexpr (Momentum) {
          return multi_kernel<1, Master>(c, name, [=](const KernelArgs& a, size_t w) {
            return std::optional(MomentumStep{rate(a, w), p.momentum, decay(a, w), p.rescale_grad, bound});
          });
        } else {
          return multi_kernel<0, Master>(c, name, [=](const KernelArgs& a, size_t w) {
            return std::optional(SgdStep{rate(a, w), decay(a, w), p.rescale_grad, bound});
          });
        }
      });
}

// ---- AdamW --------------------------------------------------------------------------------------------------------

template <bool Master>
void declare_multi_adamw(const char* name, const char* doc) {
  const Layout layout{Master ? 5 : 4, 2, Master, 1};
  multi_op(name, layout, [](const Attrs& attrs) { return attrs.get<MultiAdamWParam>().num_weights; })
      .doc(doc)
      .params(Params<MultiAdamWParam>()
                  .required("lrs", &MultiAdamWParam::lrs, "Learning rate of each weight.")
                  .field("beta1", &MultiAdamWParam::beta1, "Decay of the mean of the gradients.")
                  .field("beta2", &MultiAdamWParam::beta2, "Decay of the mean of their squares.")
                  .field("epsilon", &MultiAdamWParam::epsilon, "A small number that keeps the quotient finite.")
                  .required("wds", &MultiAdamWParam::wds, "Weight decay of each weight.")
                  .required("etas", &MultiAdamWParam::etas, "Factor of the whole step of each weight.")
                  .field("clip_gradient", &MultiAdamWParam::clip_gradient,
                         "Bound of the rescaled gradients; negative: none.")
                  .field("num_weights", &MultiAdamWParam::num_weights, "Number of weights.")
                  .at_least(1))
      .kernel([=](const KernelContext& c) {
        const auto p = c.attrs.get<MultiAdamWParam>();
        check_lists(name, p.num_weights, {p.lrs.size(), p.wds.size(), p.etas.size()});
        const size_t scale_input = static_cast<size_t>(p.num_weights * layout.stride);
        require(c.in_shapes[scale_input].size() == 1, "operator ", name,
                ": rescale_grad must hold one number, not shape ", c.in_shapes[scale_input]);
        return multi_kernel<2, Master>(
            c, name,
            [=, scale_type = c.in_types[scale_input]](const KernelArgs& a, size_t w) -> std::optional<AdamWStep> {
              float scale = 0;
              convert_elements(a.in[scale_input], scale_type, &scale, DType::kFloat32, 1);
              if (!usable_scale(scale)) return std::nullopt;
              return AdamWStep{p.lrs[w], p.beta1,   p.beta2, p.epsilon,
                               p.wds[w], p.etas[w], scale,   clip_bound(p.clip_gradient)};
            });
      });
}

// ---- LAMB ---------------------------------------------------------------------------------------------------------

template <bool Master>
Kernel multi_lamb_kernel(const KernelContext& c, const char* name) {
  const auto p = c.attrs.get<MultiLambParam>();
  check_lists(name, p.num_tensors,
              {p.learning_rates.size(), p.wds.size(), static_cast<size_t>(std::max(0, p.step_count.ndim()))});
  std::vector<int64_t> sizes;
  for (const Shape& shape : c.out_shapes) sizes.push_back(shape.size());
  for (DType t : c.out_types) require(t == c.out_types[0], "operator ", name, ": all weights must have one type");
  const int64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  constexpr size_t kStride = Master ? 5 : 4;
  return visit_float(c.out_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using S = std::conditional_t<Master, float, T>;
    using C = compute_t<S>;
    return {[=](const KernelArgs& a) {
              auto* direction = static_cast<C*>(a.workspace);
              for (size_t w = 0; w < sizes.size(); ++w) {
                const size_t at = w * kStride;
                const int64_t n = sizes[w];
                const T* grad = a.input<T>(at + 1);
                S* mean = a.input<S>(at + 2);
                S* var = a.input<S>(at + 3);
                S* weight = a.input<S>(Master ? at + 4 : at);
                T* out = a.output<T>(w);
                const LambStep step{p.beta1,
                                    p.beta2,
                                    p.epsilon,
                                    p.wds[w],
                                    p.rescale_grad,
                                    clip_bound(p.clip_gradient),
                                    beta_correction(p.beta1, p.step_count[static_cast<int>(w)], p.bias_correction),
                                    beta_correction(p.beta2, p.step_count[static_cast<int>(w)], p.bias_correction)};
                parallel_for(n, 12, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
                  for (int64_t i = begin; i < end; ++i) {
                    C state[2] = {static_cast<C>(mean[i]), static_cast<C>(var[i])};
                    direction[i] = step(static_cast<C>(weight[i]), static_cast<C>(grad[i]), state);
                    mean[i] = static_cast<S>(state[0]);
                    var[i] = static_cast<S>(state[1]);
                  }
                });
                // The norm is that of the stored weight, also where the step works on its float32 copy.
                const float ratio = trust_ratio(static_cast<float>(std::sqrt(sum_of_squares(a.input<T>(at), n))),
                                                static_cast<float>(std::sqrt(sum_of_squares(direction, n))),
                                                p.lower_bound, p.upper_bound);
                const C rate = static_cast<C>(p.learning_rates[w] * ratio);
                parallel_for(n, 3, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
                  for (int64_t i = begin; i < end; ++i) {
                    const C value = static_cast<C>(weight[i]) - rate * direction[i];
                    if constexpr (Master) weight[i] = static_cast<S>(value);
                    out[i] = static_cast<T>(value);
                  }
                });
              }
            },
            static_cast<size_t>(largest) * sizeof(C)};
  });
}

template <bool Master>
void declare_multi_lamb(const char* name, const char* doc) {
  const Layout layout{Master ? 5 : 4, 2, Master, 0};
  multi_op(name, layout, [](const Attrs& attrs) { return attrs.get<MultiLambParam>().num_tensors; })
      .doc(doc)
      .params(
          Params<MultiLambParam>()
              .required("learning_rates", &MultiLambParam::learning_rates, "Learning rate of each weight.")
              .field("beta1", &MultiLambParam::beta1, "Decay of the mean of the gradients.")
              .field("beta2", &MultiLambParam::beta2, "Decay of the mean of their squares.")
              .field("epsilon", &MultiLambParam::epsilon, "A small number that keeps the quotient finite.")
              .required("wds", &MultiLambParam::wds, "Weight decay of each weight.")
              .field("rescale_grad", &MultiLambParam::rescale_grad,
                     "The gradients are multiplied by this number first.")
              .field("lower_bound", &MultiLambParam::lower_bound,
                     "Lower bound of the norm of a weight; negative: none.")
              .field("upper_bound", &MultiLambParam::upper_bound,
                     "Upper bound of the norm of a weight; negative: none.")
              .field("clip_gradient", &MultiLambParam::clip_gradient,
                     "Bound of the gradients; a negative number: none.")
              .field("bias_correction", &MultiLambParam::bias_correction, "Correct the means for their start at zero.")
              .required("step_count", &MultiLambParam::step_count,
                        "Number of updates of each weight, this one included.")
              .field("num_tensors", &MultiLambParam::num_tensors, "Number of weights.")
              .at_least(1))
      .kernel([=](const KernelContext& c) { return multi_lamb_kernel<Master>(c, name); });
}

}  // namespace

MXNET_REGISTER(multi_sgd) {
  declare_multi_sgd<false, false, false>("multi_sgd_update", "sgd_update of several weights.");
  declare_multi_sgd<true, false, false>("multi_sgd_mom_update", "sgd_mom_update of several weights.");
  declare_multi_sgd<false, true, false>("multi_mp_sgd_update", "mp_sgd_update of several weights.");
  declare_multi_sgd<true, true, false>("multi_mp_sgd_mom_update", "mp_sgd_mom_update of several weights.");
  declare_multi_sgd<false, false, true>("preloaded_multi_sgd_update",
                                        "multi_sgd_update with rates and decays as arrays.");
  declare_multi_sgd<true, false, true>("preloaded_multi_sgd_mom_update",
                                       "multi_sgd_mom_update with rates and decays as arrays.");
  declare_multi_sgd<false, true, true>("preloaded_multi_mp_sgd_update",
                                       "multi_mp_sgd_update with rates and decays as arrays.");
  declare_multi_sgd<true, true, true>("preloaded_multi_mp_sgd_mom_update",
                                      "multi_mp_sgd_mom_update with rates and decays as arrays.");
}

MXNET_REGISTER(multi_adamw) {
  declare_multi_adamw<false>("_multi_adamw_update",
                             "_adamw_update of several weights; the last input multiplies the gradients.");
  declare_multi_adamw<true>("_multi_mp_adamw_update",
                            "_mp_adamw_update of several weights; the last input multiplies the gradients.");
}

MXNET_REGISTER(multi_lamb) {
  declare_multi_lamb<false>("_multi_lamb_update", "LAMB steps of several weights. You et al. (2020).");
  declare_multi_lamb<true>("_multi_mp_lamb_update", "_multi_lamb_update on float32 copies of the weights.");
}

}  // namespace mxnet
