// multi_sum_sq, multi_lars, reset_arrays: what trainers need beside the updates.
#include <cstring>

#include "ops/optimizer/lamb.h"

namespace mxnet {
namespace {

struct ArraysParam {
  int num_arrays;
};
struct LarsParam {
  float eta;
  float eps;
  float rescale_grad = 1;
};

int array_count(const Attrs& attrs) { return attrs.get<ArraysParam>().num_arrays; }

Params<ArraysParam> arrays_params() {
  return Params<ArraysParam>().required("num_arrays", &ArraysParam::num_arrays, "Number of arrays.").at_least(1);
}

}  // namespace

MXNET_REGISTER(multi_sum_sq) {
  register_op("multi_sum_sq")
      .doc("The sum of squares of each array, as a float32 vector.")
      .params(arrays_params())
      .variadic("data", "", array_count)
      .explicit_inputs()
      .infer_shape(
          [](const Attrs& attrs, ShapeVec&, ShapeVec& out) { assign_shape(out[0], Shape{array_count(attrs)}); })
      .infer_type(outputs_of_type(DType::kFloat32))
      .kernel([](const KernelContext& c) {
        std::vector<int64_t> sizes;
        for (const Shape& shape : c.in_shapes) sizes.push_back(shape.size());
        return visit_float(c.in_types[0], "multi_sum_sq", [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            for (size_t i = 0; i < sizes.size(); ++i)
              a.output<float>(0)[i] = static_cast<float>(sum_of_squares(a.input<T>(i), sizes[i]));
          }};
        });
      });
  register_op("reset_arrays")
      .doc("Sets all arrays to zero.")
      .params(arrays_params())
      .variadic("data", "", array_count)
      .explicit_inputs()
      .outputs(0)
      .mutates([](const Attrs& attrs) {
        std::vector<int> all;
        for (int i = 0; i < array_count(attrs); ++i) all.push_back(i);
        return all;
      })
      .infer_shape([](const Attrs&, ShapeVec&, ShapeVec&) {})
      .infer_type([](const Attrs&, DTypeVec&, DTypeVec&) {})
      .kernel([](const KernelContext& c) -> Kernel {
        std::vector<size_t> bytes;
        for (size_t i = 0; i < c.in_shapes.size(); ++i)
          bytes.push_back(static_cast<size_t>(c.in_shapes[i].size()) * dtype_size(c.in_types[i]));
        return {[bytes](const KernelArgs& a) {
          for (size_t i = 0; i < bytes.size(); ++i) std::memset(a.in[i], 0, bytes[i]);
        }};
      });
}

MXNET_REGISTER(multi_lars) {
  register_op("multi_lars")
      .doc("Learning rates scaled by the ratio of the norms of weights and gradients. You et al., LARS (2017).")
      .inputs({"lrs", "weights_sum_sq", "grads_sum_sq", "wds"})
      .params(Params<LarsParam>()
                  .required("eta", &LarsParam::eta, "Trust coefficient.")
                  .required("eps", &LarsParam::eps, "A small number that keeps the quotient finite.")
                  .field("rescale_grad", &LarsParam::rescale_grad, "Factor of the gradients."))
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        const auto p = c.attrs.get<LarsParam>();
        const int64_t n = c.out_shapes[0].size();
        return visit_float(c.in_types[0], "multi_lars", [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          using C = compute_t<T>;
          return {[=](const KernelArgs& a) {
            for (int64_t i = 0; i < n; ++i) {
              const C lr = static_cast<C>(a.input<T>(0)[i]);
              const C weight = std::sqrt(static_cast<C>(a.input<T>(1)[i]));
              const C grad = std::sqrt(static_cast<C>(a.input<T>(2)[i])) * p.rescale_grad;
              const C wd = static_cast<C>(a.input<T>(3)[i]);
              const bool valid = weight > 0 && grad > 0;
              a.output<T>(0)[i] = static_cast<T>(valid ? lr * p.eta * weight / (grad + wd * weight + p.eps) : lr);
            }
          }};
        });
      });
}

}  // namespace mxnet
