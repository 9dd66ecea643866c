// moments: mean and variance over some axes.
#include <algorithm>
#include <array>
#include <type_traits>

#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct MomentsParam {
  std::optional<Shape> axes;
  bool keepdims = false;
};

ParamSchema schema() {
  return Params<MomentsParam>()
      .field("axes", &MomentsParam::axes, "The axes to take the moments over.")
      .field("keepdims", &MomentsParam::keepdims, "Keep the reduced axes with size 1.");
}

// Which axes of an array of rank `ndim` are reduced.
std::array<bool, Shape::kMaxDim> reduced_axes(const MomentsParam& p, int ndim) {
  require(p.axes && p.axes->ndim() > 0,
          "moments: Empty axes is not supported, if you would like to do global moments, please pass all axes to axes argument");
  std::array<bool, Shape::kMaxDim> reduced{};
  for (int64_t a : *p.axes) {
    const int axis = normalize_axis(a, ndim, "moments");
    require(!reduced[static_cast<size_t>(axis)], "moments: Reduction axes have duplicates ", *p.axes);
    reduced[static_cast<size_t>(axis)] = true;
  }
  return reduced;
}

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<MomentsParam>();
  const Shape& data = in[0];
  if (!data.ndim_known()) return;
  const auto reduced = reduced_axes(p, data.ndim());
  Shape result = Shape::scalar();
  for (int i = 0; i < data.ndim(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      result.push_back(data[i]);
    } else if (p.keepdims) {
      result.push_back(1);
    }
  }
  if (result.ndim() == 0) result.push_back(1);
  for (Shape& shape : out) assign_shape(shape, result, "moments");
}

// fn(element, result) for every element of the data in order: the result is the one that the element belongs to.
struct Walk {
  Shape data;
  std::array<int64_t, Shape::kMaxDim> step{};  // of the result, along every data axis
  int64_t results = 1, count = 1;

  Walk(const MomentsParam& p, const Shape& shape) : data(shape) {
    const auto reduced = reduced_axes(p, data.ndim());
    for (int i = data.ndim() - 1; i >= 0; --i) {
      if (reduced[static_cast<size_t>(i)]) {
        count *= data[i];
      } else {
        step[static_cast<size_t>(i)] = results;
        results *= data[i];
      }
    }
  }
  template <class Fn>
  void each(Fn fn) const {
    const int64_t total = data.size();
    const int last = data.ndim() - 1;
    std::array<int64_t, Shape::kMaxDim> index{};
    int64_t result = 0;
    for (int64_t i = 0; i < total;) {
      for (int64_t j = 0; j < data[last]; ++j, ++i) fn(i, result + j * step[static_cast<size_t>(last)]);
      for (int axis = last - 1; axis >= 0; --axis) {
        const size_t a = static_cast<size_t>(axis);
        result += step[a];
        if (++index[a] < data[axis]) break;
        result -= step[a] * data[axis];
        index[a] = 0;
      }
    }
  }
};

Kernel forward_kernel(const KernelContext& c) {
  const Walk walk(c.attrs.get<MomentsParam>(), c.in_shapes[0]);
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = std::conditional_t<std::is_integral_v<T>, double, compute_t<T>>;
    Kernel kernel;
    kernel.workspace_bytes = static_cast<size_t>(2 * walk.results) * sizeof(A);
    kernel.run = [walk](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      A* mean = static_cast<A*>(args.workspace);
      A* variance = mean + walk.results;
      std::fill_n(mean, 2 * walk.results, A(0));
      walk.each([&](int64_t i, int64_t r) { mean[r] += static_cast<A>(x[i]); });
      for (int64_t r = 0; r < walk.results; ++r) mean[r] /= A(walk.count);
      walk.each([&](int64_t i, int64_t r) {
        const A d = static_cast<A>(x[i]) - mean[r];
        variance[r] += d * d;
      });
      for (int64_t r = 0; r < walk.results; ++r) {
        args.output<T>(0)[r] = static_cast<T>(mean[r]);
        args.output<T>(1)[r] = static_cast<T>(variance[r] / A(walk.count));
      }
    };
    return kernel;
  });
}

// Inputs: the gradients of mean and variance, data, mean.
Kernel backward_kernel(const KernelContext& c) {
  const Walk walk(c.attrs.get<MomentsParam>(), c.in_shapes[2]);
  return visit_float(c.in_types[2], "moments", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[walk](const KernelArgs& args) {
      const T *dmean = args.input<T>(0), *dvar = args.input<T>(1), *x = args.input<T>(2), *mean = args.input<T>(3);
      T* dx = args.output<T>(0);
      walk.each([&](int64_t i, int64_t r) {
        const A centred = static_cast<A>(x[i]) - static_cast<A>(mean[r]);
        dx[i] = static_cast<T>((static_cast<A>(dmean[r]) + 2 * static_cast<A>(dvar[r]) * centred) / A(walk.count));
      });
    }};
  });
}

}  // namespace

MXNET_REGISTER(moments) {
  register_op("moments")
      .doc("Mean and variance over the given axes.")
      .params(schema())
      .outputs(2)
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_moments", {0, 1}, {0}, {0}))
      .kernel(forward_kernel);
  register_op("_backward_moments")
      .internal()
      .params(schema())
      .inputs({"mean_grad", "var_grad", "data", "mean"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .kernel(backward_kernel);
}

}  // namespace mxnet
