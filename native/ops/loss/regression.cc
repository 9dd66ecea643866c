// Regression outputs: linear, logistic, mean absolute error; the support vector machine.
#include <cmath>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

struct RegressionParam {
  float grad_scale = 1;
};

struct SvmParam {
  float margin = 1;
  float regularization_coefficient = 1;
  bool use_linear = false;
};

ParamSchema regression_schema() {
  return Params<RegressionParam>().field("grad_scale", &RegressionParam::grad_scale, "Factor of the gradient.");
}

ParamSchema svm_schema() {
  return Params<SvmParam>()
      .field("margin", &SvmParam::margin, "Margin that the label's score must keep.")
      .field("regularization_coefficient", &SvmParam::regularization_coefficient, "Factor of the gradient.")
      .field("use_linear", &SvmParam::use_linear, "Hinge loss instead of its square.");
}

void infer_regression_shape(const Attrs&, ShapeVec& in, ShapeVec& out) {
  assign_shape(out[0], in[0]);
  assign_shape(in[0], out[0]);
  const Shape& data = in[0];
  if (!data.ndim_known()) return;
  if (!in[1].ndim_known()) {
    in[1] = data.ndim() == 2 && data[1] == 1 ? Shape{data[0]} : data;  // one output: a plain list of labels
    return;
  }
  if (!in[1].known() || !data.known()) {
    if (in[1].ndim() == data.ndim()) assign_shape(in[1], data);
    return;
  }
  require(in[1].size() == data.size() && (data.ndim() == 0 || in[1].ndim() == 0 || in[1][0] == data[0]),
          "Shape inconsistent, Provided = ", in[1], ", inferred shape=", tuple_text(data));
}

enum Loss { kLinear, kLogistic, kAbsolute };

// (output - label) or its sign, over the number of outputs of one example.
Kernel make_regression_grad_kernel(const KernelContext& c, Loss loss) {
  const Shape& label = c.in_shapes[0];
  const int64_t n = c.out_shapes[0].size();
  const int64_t outputs = label.ndim() && label[0] > 0 ? std::max<int64_t>(1, label.size() / label[0]) : 1;
  const double factor = static_cast<double>(c.attrs.get<RegressionParam>().grad_scale) / static_cast<double>(outputs);
  return visit_float(c.out_types[0], "regression", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& args) {
      const T* target = args.input<T>(0);
      const T* out = args.input<T>(1);
      T* y = args.output<T>(0);
      const C scale = static_cast<C>(factor);
      parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C d = static_cast<C>(out[i]) - static_cast<C>(target[i]);
          y[i] = static_cast<T>(scale * (loss == kAbsolute ? static_cast<C>((d > C(0)) - (d < C(0))) : d));
        }
      });
    }};
  });
}

void declare_regression(const char* name, const char* alias, const char* backward, const char* doc, Loss loss) {
  OpDef& def = register_op(name).doc(doc).params(regression_schema()).lenient().inputs({"data", "label"})
                   .infer_shape(infer_regression_shape).infer_type(infer_same_type).inplace(0, 0).loss()
                   .gradient([backward](const NodePtr& node, const std::vector<Entry>& ograds) {
                     const GradientBuilder g(node, ograds);
                     return std::vector<Entry>{g.op(backward, {g.input(1), g.output(0)}, g.parameters()), Entry{}};
                   })
                   .kernel([loss](const KernelContext& c) {
                     return loss == kLogistic ? make_unary_kernel(Unary::kSigmoid, c) : make_copy_kernel(c);
                   });
  if (alias) def.alias({alias});
  register_op(backward).internal().params(regression_schema()).lenient().inputs({"label", "output"})
      .infer_shape(shape_like_inputs({1})).infer_type(infer_same_type).inplace(1, 0)
      .kernel([loss](const KernelContext& c) { return make_regression_grad_kernel(c, loss); });
}

// Inputs: label, output. Each class but the label's is pushed below -margin, the label's above margin.
Kernel make_svm_grad_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<SvmParam>();
  const Shape& shape = c.out_shapes[0];
  const int64_t rows = shape.ndim() ? shape[0] : 1;
  const int64_t classes = rows > 0 ? shape.size() / rows : 0;
  return visit_float(c.out_types[0], "SVMOutput", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& args) {
      const T* label = args.input<T>(0);
      const T* out = args.input<T>(1);
      T* y = args.output<T>(0);
      const C margin = static_cast<C>(p.margin), scale = static_cast<C>(p.regularization_coefficient);
      parallel_for(rows, 2 * classes, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const int64_t target = static_cast<int64_t>(label[r]);
          for (int64_t k = 0; k < classes; ++k) {
            const C v = static_cast<C>(out[r * classes + k]);
            const C sign = k == target ? C(-1) : C(1);
            const C violation = margin + sign * v;
            C grad = C(0);
            if (violation > C(0)) grad = sign * scale * (p.use_linear ? C(1) : C(2) * violation);
            y[r * classes + k] = static_cast<T>(grad);
          }
        }
      });
    }};
  });
}

}  // namespace

MXNET_REGISTER(regression_output) {
  declare_regression("LinearRegressionOutput", "_sparse_LinearRegressionOutput", "_backward_linear_reg_out",
                     "The data; the gradient is that of half the squared error.", kLinear);
  declare_regression("LogisticRegressionOutput", "_sparse_LogisticRegressionOutput", "_backward_logistic_reg_out",
                     "sigmoid of the data; the gradient is that of the binary cross entropy.", kLogistic);
  declare_regression("MAERegressionOutput", "_sparse_MAERegressionOutput", "_backward_mae_reg_out",
                     "The data; the gradient is that of the absolute error.", kAbsolute);

  register_op("SVMOutput").doc("The data; the gradient is that of the hinge loss.").params(svm_schema())
      .inputs({"data", "label"})
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        if (in[0].ndim() > 0) assign_shape(in[1], Shape(in[0].begin(), in[0].end() - 1), "SVMOutput: label");
      })
      .infer_type(infer_same_type).inplace(0, 0).loss()
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_SVMOutput", {g.input(1), g.output(0)}, g.parameters()), Entry{}};
      })
      .kernel(make_copy_kernel);
  register_op("_backward_SVMOutput").internal().params(svm_schema()).inputs({"label", "output"})
      .infer_shape(shape_like_inputs({1})).infer_type(infer_same_type).inplace(1, 0).kernel(make_svm_grad_kernel);
}

}  // namespace mxnet
