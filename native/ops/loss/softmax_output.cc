// SoftmaxOutput: softmax whose gradient is that of the cross entropy with its label.
#include <cmath>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "kernels/softmax.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

enum Normalization { kNull, kBatch, kValid };

struct SoftmaxOutputParam {
  float grad_scale = 1;
  float ignore_label = -1;
  bool multi_output = false;
  bool use_ignore = false;
  bool preserve_shape = false;
  int normalization = kNull;
  bool out_grad = false;
  float smooth_alpha = 0;
};

ParamSchema softmax_output_schema() {
  return Params<SoftmaxOutputParam>()
      .field("grad_scale", &SoftmaxOutputParam::grad_scale, "Factor of the gradient.")
      .field("ignore_label", &SoftmaxOutputParam::ignore_label, "Label whose rows get no gradient, with use_ignore.")
      .field("multi_output", &SoftmaxOutputParam::multi_output, "Softmax along axis 1, one label for each other position.")
      .field("use_ignore", &SoftmaxOutputParam::use_ignore, "Whether ignore_label is heeded.")
      .field("preserve_shape", &SoftmaxOutputParam::preserve_shape, "Softmax along the last axis.")
      .enumeration("normalization", &SoftmaxOutputParam::normalization,
                   {{"batch", kBatch}, {"null", kNull}, {"valid", kValid}},
                   "Divide the gradient by the batch size, by the number of labels that count, or not.")
      .field("out_grad", &SoftmaxOutputParam::out_grad, "Multiply the gradient by that of the output.")
      .field("smooth_alpha", &SoftmaxOutputParam::smooth_alpha, "Share of the label given to the other classes.");
}

// (rows, classes, positions): softmax runs along the classes.
SoftmaxSpec spec_of(const SoftmaxOutputParam& p, const Shape& data) {
  if (p.multi_output && data.ndim() > 1) return softmax_spec(data, 1);
  if (p.preserve_shape) return softmax_spec(data, data.ndim() - 1);
  SoftmaxSpec s;
  s.outer = data[0];
  s.size = data.product(1, data.ndim());
  return s;
}

void infer_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  assign_shape(out[0], in[0]);
  assign_shape(in[0], out[0]);
  const Shape& data = in[0];
  if (!data.ndim_known()) return;
  require(data.ndim() > 0, "SoftmaxOutput: data must have at least one axis");
  Shape& label = in[1];
  if (label.ndim_known() && label == data) return;  // probabilities
  if (!attrs.get<SoftmaxOutputParam>().multi_output) {
    assign_shape(label, Shape(data.begin(), data.end() - 1), "SoftmaxOutput: label");
    return;
  }
  Shape flat{data[0], 1}, like = data, kept = data;
  for (int d = 2; d < data.ndim(); ++d) flat[1] = flat[1] < 0 || data[d] < 0 ? -1 : flat[1] * data[d];
  like.erase(1);
  kept[1] = 1;
  if (label.known() && (label == like || label == kept)) return;
  if (label.ndim_known() && label.ndim() == like.ndim() && like.ndim() != 2) {
    assign_shape(label, like, "SoftmaxOutput: label");
    return;
  }
  assign_shape(label, flat, "SoftmaxOutput: label");
}

Kernel make_softmax_output_grad_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<SoftmaxOutputParam>();
  const SoftmaxSpec s = spec_of(p, c.out_shapes[0]);
  const Shape& label_shape = c.in_shapes[0];
  const bool probabilities = label_shape == c.out_shapes[0];
  const bool with_ograd = p.out_grad;
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.out_types[0], "SoftmaxOutput", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    if (probabilities) {
      return {[=](const KernelArgs& args) {
        const T* label = args.input<T>(0);
        const T* out = args.input<T>(1);
        T* y = args.output<T>(0);
        parallel_for(n, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            C v = (static_cast<C>(out[i]) - static_cast<C>(label[i])) * static_cast<C>(p.grad_scale);
            if (with_ograd) v *= static_cast<C>(args.input<T>(2)[i]);
            y[i] = static_cast<T>(v);
          }
        });
      }};
    }
    return {[=](const KernelArgs& args) {
      const T* label = args.input<T>(0);
      const T* out = args.input<T>(1);
      T* y = args.output<T>(0);
      const int64_t labels = s.outer * s.inner;
      double divisor = p.multi_output && p.normalization != kValid ? static_cast<double>(s.inner) : 1;
      if (p.normalization == kBatch) divisor *= static_cast<double>(s.outer);
      if (p.normalization == kValid) {
        int64_t valid = labels;
        if (p.use_ignore) {
          valid = 0;
          for (int64_t i = 0; i < labels; ++i) valid += static_cast<int64_t>(label[i]) != static_cast<int64_t>(p.ignore_label);
        }
        divisor = static_cast<double>(std::max<int64_t>(valid, 1));
      }
      const C scale = static_cast<C>(p.grad_scale / divisor);
      const C alpha = static_cast<C>(p.smooth_alpha);
      const C others = s.size > 1 ? alpha / static_cast<C>(s.size - 1) : C(0);
      parallel_for(labels, 2 * s.size, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const int64_t base = r / s.inner * s.size * s.inner + r % s.inner;
          const int64_t target = static_cast<int64_t>(label[r]);
          if (p.use_ignore && target == static_cast<int64_t>(p.ignore_label)) {
            for (int64_t k = 0; k < s.size; ++k) y[base + k * s.inner] = T(0);
            continue;
          }
          for (int64_t k = 0; k < s.size; ++k) {
            const int64_t i = base + k * s.inner;
            C v = (static_cast<C>(out[i]) - others) * scale;
            if (with_ograd) v *= static_cast<C>(args.input<T>(2)[i]);
            y[i] = static_cast<T>(v);
          }
          if (target < 0 || target >= s.size) continue;
          const int64_t i = base + target * s.inner;
          C v = (static_cast<C>(out[i]) - (C(1) - alpha)) * scale;
          if (with_ograd) v *= static_cast<C>(args.input<T>(2)[i]);
          y[i] = static_cast<T>(v);
        }
      });
    }};
  });
}

}  // namespace

MXNET_REGISTER(softmax_output) {
  register_op("SoftmaxOutput").alias({"Softmax"})
      .doc("Softmax of the data; the gradient is that of the cross entropy with the label.")
      .params(softmax_output_schema()).inputs({"data", "label"}).infer_shape(infer_shape).infer_type(infer_same_type)
      .inplace(0, 0).loss()
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> inputs{g.input(1), g.output(0)};
        if (g.params<SoftmaxOutputParam>().out_grad) inputs.push_back(g.out_grad());
        return std::vector<Entry>{g.op("_backward_SoftmaxOutput", inputs, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return make_softmax_kernel(spec_of(c.attrs.get<SoftmaxOutputParam>(), c.in_shapes[0]), c);
      });
  register_op("_backward_SoftmaxOutput").internal().params(softmax_output_schema())
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"label", "output"};
        if (attrs.get<SoftmaxOutputParam>().out_grad) names.push_back("ograd");
        return names;
      })
      .infer_shape(shape_like_inputs({1})).infer_type(infer_same_type).inplace(1, 0).kernel(make_softmax_output_grad_kernel);
}

}  // namespace mxnet
