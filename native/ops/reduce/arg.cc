// Positions of extremes.
#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct ArgParam {
  std::optional<int> axis;
  bool keepdims = false;
};

Shape arg_shape(const Shape& in, const ArgParam& p, const char* name) {
  if (!p.axis) return p.keepdims ? Shape::filled(in.ndim(), 1) : Shape{1};
  Shape out = in;
  const int axis = normalize_axis(*p.axis, in.ndim(), name);
  if (p.keepdims) {
    out[axis] = 1;
  } else {
    out.erase(axis);
    if (out.ndim() == 0) out.push_back(1);
  }
  return out;
}

// The first position of the extreme; a NaN counts as one.
template <bool kMax>
Kernel make_arg_kernel(const KernelContext& c, const char* name) {
  const Shape& in = c.in_shapes[0];
  const auto& p = c.attrs.get<ArgParam>();
  int64_t outer = 1, size = in.size(), inner = 1;
  if (p.axis) {
    const int axis = normalize_axis(*p.axis, in.ndim(), name);
    outer = in.product(0, axis);
    size = in[axis];
    inner = in.product(axis + 1, in.ndim());
  }
  require(size > 0 || outer * inner == 0, name, ": the reduced axis of shape ", in, " is empty");
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      parallel_for(outer * inner, size, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          const T* from = x + o / inner * size * inner + o % inner;
          int64_t best = 0;
          C extreme = static_cast<C>(from[0]);
          for (int64_t i = 1; i < size && extreme == extreme; ++i) {
            const C v = static_cast<C>(from[i * inner]);
            if ((kMax ? v > extreme : v < extreme) || v != v) {
              extreme = v;
              best = i;
            }
          }
          y[o] = static_cast<T>(best);
        }
      });
    }};
  });
}

void declare(const char* name, const char* doc, Kernel (*make)(const KernelContext&, const char*)) {
  register_op(name).doc(doc)
      .params(Params<ArgParam>()
                  .field("axis", &ArgParam::axis, "Axis to search; the flattened array by default.")
                  .field("keepdims", &ArgParam::keepdims, "Keep the searched axis with size one."))
      .infer_shape([name](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (in[0].ndim_known()) assign_shape(out[0], arg_shape(in[0], attrs.get<ArgParam>(), name));
      })
      .infer_type(infer_same_type).zero_gradient()
      .kernel([name, make](const KernelContext& c) { return make(c, name); });
}

}  // namespace

MXNET_REGISTER(reduce_arg) {
  declare("argmax", "Position of the first maximum along an axis, in the type of the input.", make_arg_kernel<true>);
  declare("argmin", "Position of the first minimum along an axis, in the type of the input.", make_arg_kernel<false>);
}

}  // namespace mxnet
