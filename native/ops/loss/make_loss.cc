// Operators that make any expression a loss, and the softmax cross entropy.
#include <cmath>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "kernels/softmax.h"
#include "op/infer.h"
#include "ops/elemwise/graph_math.h"

namespace mxnet {
namespace {

enum Normalization { kNull, kBatch, kValid };

struct MakeLossParam {
  float grad_scale = 1;
  float valid_thresh = 0;
  int normalization = kNull;
};

struct KlParam {
  float sparseness_target = 0.1f;
  float penalty = 0.001f;
  float momentum = 0.9f;
};

ParamSchema make_loss_schema() {
  return Params<MakeLossParam>()
      .field("grad_scale", &MakeLossParam::grad_scale, "The gradient.")
      .field("valid_thresh", &MakeLossParam::valid_thresh, "Elements above it are counted as valid.")
      .enumeration("normalization", &MakeLossParam::normalization, {{"batch", kBatch}, {"null", kNull}, {"valid", kValid}},
                   "Divide the gradient by the batch size, by the number of valid elements, or not.");
}

Kernel make_make_loss_grad_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<MakeLossParam>();
  const Shape& shape = c.out_shapes[0];
  double value = p.grad_scale;
  // A vector counts as one example.
  if (p.normalization == kBatch && shape.ndim() > 1) value /= static_cast<double>(std::max<int64_t>(1, shape[0]));
  if (p.normalization != kValid) return make_fill_kernel(value, c);
  const int64_t n = shape.size();
  const DType type = c.out_types[0];
  return visit_dtype(type, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      int64_t valid = 0;
      for (int64_t i = 0; i < n; ++i) valid += static_cast<double>(x[i]) > static_cast<double>(p.valid_thresh);
      fill_elements(type, args.out[0], n, value / static_cast<double>(std::max<int64_t>(1, valid)));
    }};
  });
}

// ---- softmax_cross_entropy ------------------------------------------------------------------------------------------
template <class T>
int64_t class_of(const T* label, int64_t row, int64_t classes) {
  return std::clamp<int64_t>(static_cast<int64_t>(label[row]), 0, classes - 1);
}

Kernel make_cross_entropy_kernel(const KernelContext& c) {
  const int64_t rows = c.in_shapes[0][0], classes = c.in_shapes[0][1];
  return visit_float(c.in_types[0], "softmax_cross_entropy", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      const T* label = args.input<T>(1);
      double total = 0;
      for (int64_t r = 0; r < rows; ++r) {
        const T* row = x + r * classes;
        double shift = static_cast<double>(row[0]), sum = 0;
        for (int64_t k = 1; k < classes; ++k) shift = std::max(shift, static_cast<double>(row[k]));
        for (int64_t k = 0; k < classes; ++k) sum += std::exp(static_cast<double>(row[k]) - shift);
        total += std::log(sum) + shift - static_cast<double>(row[class_of(label, r, classes)]);
      }
      args.output<T>(0)[0] = static_cast<T>(total);
    }};
  });
}

// Inputs ograd (1), data, label.
Kernel make_cross_entropy_grad_kernel(const KernelContext& c) {
  const int64_t rows = c.in_shapes[1][0], classes = c.in_shapes[1][1];
  return visit_float(c.in_types[1], "softmax_cross_entropy", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(1);
      const T* label = args.input<T>(2);
      T* y = args.output<T>(0);
      const auto g = static_cast<double>(args.input<T>(0)[0]);
      parallel_for(rows, 20 * classes, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T* row = x + r * classes;
          double shift = static_cast<double>(row[0]), sum = 0;
          for (int64_t k = 1; k < classes; ++k) shift = std::max(shift, static_cast<double>(row[k]));
          for (int64_t k = 0; k < classes; ++k) sum += std::exp(static_cast<double>(row[k]) - shift);
          const int64_t target = class_of(label, r, classes);
          for (int64_t k = 0; k < classes; ++k) {
            const double p = std::exp(static_cast<double>(row[k]) - shift) / sum;
            y[r * classes + k] = static_cast<T>(g * (p - (k == target ? 1 : 0)));
          }
        }
      });
    }};
  });
}

// ---- IdentityAttachKLSparseReg --------------------------------------------------------------------------------------
ParamSchema kl_schema() {
  return Params<KlParam>()
      .field("sparseness_target", &KlParam::sparseness_target, "Wanted mean activation.").range(0, 1)
      .field("penalty", &KlParam::penalty, "Weight of the penalty.")
      .field("momentum", &KlParam::momentum, "Memory of the moving average.").range(0, 1);
}

// Inputs ograd, output, moving_avg (written). The penalty is the divergence of each unit's mean from the target.
Kernel make_kl_grad_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<KlParam>();
  const Shape& shape = c.out_shapes[0];
  const int64_t rows = shape[0], units = shape[1], inner = shape.product(2, shape.ndim());
  return visit_float(c.out_types[0], "IdentityAttachKLSparseReg", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* g = args.input<T>(0);
      const T* x = args.input<T>(1);
      T* average = args.input<T>(2);
      T* y = args.output<T>(0);
      const double target = p.sparseness_target;
      for (int64_t u = 0; u < units; ++u) {
        double sum = 0;
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t i = 0; i < inner; ++i) sum += static_cast<double>(x[(r * units + u) * inner + i]);
        }
        const double mean = p.momentum * static_cast<double>(average[u]) + (1 - p.momentum) * sum / static_cast<double>(rows);
        average[u] = static_cast<T>(mean);
        const double push = p.penalty * (-target / mean + (1 - target) / (1 - mean));
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t i = 0; i < inner; ++i) {
            const int64_t at = (r * units + u) * inner + i;
            y[at] = static_cast<T>(static_cast<double>(g[at]) + push);
          }
        }
      }
    }};
  });
}

}  // namespace

MXNET_REGISTER(make_loss) {
  register_op("make_loss").alias({"_sparse_make_loss"}).doc("The data as a loss: its gradient is one.").lenient()
      .output_names(std::vector<std::string>{"loss"}).infer_shape(infer_same_shape).infer_type(infer_same_type)
      .inplace(0, 0).loss()
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("ones_like", {g.input(0)})};
      })
      .kernel(make_copy_kernel);

  register_op("MakeLoss").doc("The data as a loss: its gradient is grad_scale.").params(make_loss_schema())
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).loss()
      .gradient(backward_op("_backward_MakeLoss", {}, {0}, {})).kernel(make_copy_kernel);
  register_op("_backward_MakeLoss").internal().params(make_loss_schema()).infer_shape(infer_same_shape)
      .infer_type(infer_same_type).kernel(make_make_loss_grad_kernel);

  register_op("softmax_cross_entropy").doc("Sum of the cross entropies of softmax(data) with the labels.").lenient()
      .inputs({"data", "label"})
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], Shape{1});
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 2, "softmax_cross_entropy: data must have two axes, got ", in[0]);
        require(in[0][1] != 0, "softmax_cross_entropy: data of shape ", in[0], " has no classes");
        assign_shape(in[1], Shape{in[0][0]}, "softmax_cross_entropy: label");
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_softmax_cross_entropy", {g.out_grad(), g.input(0), g.input(1)}), Entry{}};
      })
      .kernel(make_cross_entropy_kernel);
  register_op("_backward_softmax_cross_entropy").internal().lenient().inputs({"ograd", "data", "label"})
      .infer_shape(shape_like_inputs({1})).infer_type(infer_same_type).kernel(make_cross_entropy_grad_kernel);

  register_op("IdentityAttachKLSparseReg")
      .doc("The data; the gradient adds a penalty on units whose mean activation leaves a target.").params(kl_schema())
      .inputs({"data", "moving_avg"}).documented_inputs({{"data", "NDArray-or-Symbol"}}).mutates({1})
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() >= 2, "IdentityAttachKLSparseReg: data must have at least two axes, got ", in[0]);
        assign_shape(in[1], Shape{in[0][1]});
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("_backward_IdentityAttachKLSparseReg", {g.out_grad(), g.output(0), g.input(1)}, g.parameters()), Entry{}};
      })
      .kernel(make_copy_kernel);
  register_op("_backward_IdentityAttachKLSparseReg").internal().params(kl_schema())
      .inputs({"ograd", "output", "moving_avg"}).mutates({2}).infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type).kernel(make_kl_grad_kernel);
}

}  // namespace mxnet
