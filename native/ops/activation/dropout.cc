// Dropout: zeroes a random part of the elements and scales the rest up.
#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "op/infer.h"
#include "op/gradient.h"

namespace mxnet {
namespace {

struct DropoutParam {
  float p = 0.5f;
  int mode = 0;
  Shape axes = Shape::scalar();
  std::optional<bool> cudnn_off = false;
};

Shape mask_shape(const Shape& data, const DropoutParam& p) {
  Shape mask = data;
  for (int64_t axis : p.axes) mask[normalize_axis(axis, data.ndim(), "Dropout")] = 1;
  return mask;
}

// A mask of 0 and 1 / (1 - p); of ones where nothing is dropped.
template <class T>
struct MaskMaker {
  int64_t n;
  double p;

  void operator()(const KernelArgs& args, T* mask) const {
    if (p <= 0) {
      std::fill_n(mask, n, T(1));
      return;
    }
    const Philox stream = args.random->take(static_cast<uint64_t>((n + 3) / 4));
    const T kept = static_cast<T>(p < 1 ? 1 / (1 - p) : 0.0);
    const auto threshold = static_cast<uint64_t>((1 - p) * 4294967296.0);  // keep when the 32 random bits are below
    parallel_for((n + 3) / 4, 20, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const std::array<uint32_t, 4> bits = stream.block(static_cast<uint64_t>(b));
        const int64_t width = std::min<int64_t>(4, n - b * 4);
        for (int64_t i = 0; i < width; ++i) mask[b * 4 + i] = bits[static_cast<size_t>(i)] < threshold ? kept : T(0);
      }
    });
  }
};

Kernel make_dropout_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<DropoutParam>();
  const bool active = p.mode == 1 || c.is_train;
  const bool broadcast = c.out_shapes[1].size() != c.out_shapes[0].size();
  const int64_t n = c.out_shapes[0].size();
  const Kernel copy = make_copy_kernel(c);
  const ShapeVec shapes{c.in_shapes[0], c.out_shapes[1]};
  const DTypeVec types{c.in_types[0], c.in_types[0]};
  const Kernel times = make_binary_kernel(Binary::kMul, KernelContext{c.attrs, shapes, c.out_shapes, types, c.out_types, c.is_train, {}});
  return visit_float(c.in_types[0], "Dropout", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const MaskMaker<T> make_mask{c.out_shapes[1].size(), active ? static_cast<double>(p.p) : 0.0};
    return {[=](const KernelArgs& args) {
      T* mask = args.output<T>(1);
      make_mask(args, mask);
      if (!active) {
        copy.run(args);
        return;
      }
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      if (!broadcast) {
        const BinaryLoop multiply(Binary::kMul, DTypeOf<T>::value);
        parallel_for(n, 1, [&](int64_t begin, int64_t end) { multiply(x + begin, mask + begin, y + begin, end - begin, kStepBoth); });
        return;
      }
      void* in[2] = {args.in[0], mask};
      KernelArgs pair = args;
      pair.in = in;
      times.run(pair);
    }};
  });
}

}  // namespace

MXNET_REGISTER(dropout) {
  register_op("Dropout").alias({"_npx_dropout"})
      .doc("In training, zeroes each element with probability p and scales the others by 1 / (1 - p). Elements along "
           "`axes` share their fate.")
      .params(Params<DropoutParam>()
                  .field("p", &DropoutParam::p, "Probability of dropping an element.").range(0, 1)
                  .enumeration("mode", &DropoutParam::mode, {{"always", 1}, {"training", 0}}, "When to drop.")
                  .field("axes", &DropoutParam::axes, "Axes along which the mask repeats.")
                  .field("cudnn_off", &DropoutParam::cudnn_off, "Ignored on the CPU."))
      .outputs(2).visible_outputs(1).output_names(std::vector<std::string>{"output", "mask"})
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        if (in[0].ndim_known()) assign_shape(out[1], mask_shape(in[0], attrs.get<DropoutParam>()));
      })
      .infer_type(infer_same_type).inplace(0, 0).random()
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const bool repeats = g.params<DropoutParam>().axes.ndim() > 0;
        return std::vector<Entry>{g.op(repeats ? "broadcast_mul" : "elemwise_mul", {g.out_grad(), g.output(1)})};
      })
      .kernel(make_dropout_kernel);
}

}  // namespace mxnet
