// Arrays made from nothing: constants, ranges, identity matrices.
#include <cmath>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "tensor/shape_mode.h"

namespace mxnet {
namespace {

struct FillParam {
  Shape shape = Shape::scalar();
  std::string ctx;
  int dtype = 0;
};

struct FullParam {
  Shape shape;
  std::string ctx;
  int dtype = 0;
  double value = 0;
};

struct ZerosWithoutTypeParam {
  Shape shape;
  std::string ctx;
  int dtype = -1;
};

struct EyeParam {
  int64_t N = 0, M = 0, k = 0;
  std::string ctx;
  int dtype = 0;
};

struct RangeParam {
  double start = 0;
  std::optional<double> stop;
  double step = 1;
  int repeat = 1;
  bool infer_range = false;
  std::string ctx;
  int dtype = 0;
};

struct LinspaceParam : RangeParam {
  int num = 0;
  bool endpoint = true;
};

template <class P>
void infer_param_shape(const Attrs& attrs, ShapeVec&, ShapeVec& out) {
  const Shape shape = from_user_shape(attrs.get<P>().shape);  // a 0 of the legacy mode is left to the consumers
  for (int64_t d : shape) require(d >= -1, "shape=", tuple_text(attrs.get<P>().shape), " has a negative size");
  assign_shape(out[0], shape);
}

template <class P>
void infer_param_type(const Attrs& attrs, DTypeVec&, DTypeVec& out) {
  const int dtype = attrs.get<P>().dtype;
  if (dtype < 0) return;
  assign_type(out[0], dtype_from_code(dtype));
}

const char kCtxDoc[] = "Device of the array; the binding decides where it is given.";
const char kTypeDoc[] = "Type of the elements.";

KernelFn fill_with(double value) {
  return [value](const KernelContext& c) { return make_fill_kernel(value, c); };
}

OpDef& declare_constant(const char* name, const char* doc, double value) {
  return register_op(name).doc(doc).inputs(std::vector<std::string>{})
      .params(Params<FillParam>()
                  .field("shape", &FillParam::shape, "Shape of the array.")
                  .field("ctx", &FillParam::ctx, kCtxDoc)
                  .enumeration("dtype", &FillParam::dtype, dtype_choices({0, 1, 2, 3, 4, 5, 6, 7, 12}), kTypeDoc))
      .infer_shape(infer_param_shape<FillParam>).infer_type(infer_param_type<FillParam>).kernel(fill_with(value));
}

void declare_like(const char* name, const char* doc, double value) {
  OpDef& def = register_op(name).doc(doc).lenient().infer_shape(infer_same_shape).infer_type(infer_same_type)
                   .zero_gradient().kernel(fill_with(value));
  if (value == 0) def.alias({"_sparse_zeros_like"});
}

Kernel make_eye_kernel(const KernelContext& c) {
  const int64_t rows = c.out_shapes[0][0], columns = c.out_shapes[0][1], k = c.attrs.get<EyeParam>().k;
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      T* y = args.output<T>(0);
      parallel_for(rows, columns, [&](int64_t begin, int64_t end) {
        std::fill(y + begin * columns, y + end * columns, T(0));
        for (int64_t r = begin; r < end; ++r) {
          if (r + k >= 0 && r + k < columns) y[r * columns + r + k] = T(1);
        }
      });
    }};
  });
}

void infer_range_shape(const Attrs& attrs, ShapeVec&, ShapeVec& out) {
  const auto& p = attrs.get<RangeParam>();
  require(p.step != 0, "_arange: step must not be 0");
  require(p.repeat > 0, "_arange: repeat must be positive, is ", p.repeat);
  if (p.infer_range && !p.stop) {
    assign_shape(out[0], Shape{-1});
    return;
  }
  const double start = p.stop ? p.start : 0, stop = p.stop ? *p.stop : p.start;
  require(p.step > 0 ? start < stop : start > stop, "Invalid range (start, stop, step) = (", start, ",", stop, ",", p.step, ")");
  const double count = std::ceil((stop - start) / p.step);
  require(count * p.repeat < 9e15, "_arange: ", count, " elements are too many");
  assign_shape(out[0], Shape{static_cast<int64_t>(count) * p.repeat});
}

template <class T>
T range_item(double start, double step, int64_t i) {  // in the element's own arithmetic
  using C = compute_t<T>;
  return static_cast<T>(static_cast<C>(start) + static_cast<C>(i) * static_cast<C>(step));
}

Kernel make_range_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<RangeParam>();
  const double start = p.stop || p.infer_range ? p.start : 0, step = p.step;
  const int64_t n = c.out_shapes[0].size(), repeat = p.repeat;
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      T* y = args.output<T>(0);
      parallel_for(n, 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) y[i] = range_item<T>(start, step, i / repeat);
      });
    }};
  });
}

Kernel make_linspace_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<LinspaceParam>();
  const int64_t n = c.out_shapes[0].size();
  const double start = p.start, stop = p.stop.value_or(p.start);
  const bool endpoint = p.endpoint;
  const int64_t pieces = endpoint ? n - 1 : n;
  const double step = pieces > 0 ? (stop - start) / static_cast<double>(pieces) : 0;
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      T* y = args.output<T>(0);
      parallel_for(n, 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          y[i] = static_cast<T>(endpoint && n > 1 && i == n - 1 ? stop : start + static_cast<double>(i) * step);
        }
      });
    }};
  });
}

template <class P>
Params<P> range_schema() {
  Params<P> schema;
  schema.required("start", static_cast<double P::*>(&P::start), "First value.");
  schema.field("stop", static_cast<std::optional<double> P::*>(&P::stop), "End of the range, not part of it.");
  schema.field("step", static_cast<double P::*>(&P::step), "Distance of neighbours.");
  schema.field("repeat", static_cast<int P::*>(&P::repeat), "How often each value comes.");
  schema.field("infer_range", static_cast<bool P::*>(&P::infer_range), "Take the length from the consumers.");
  schema.field("ctx", static_cast<std::string P::*>(&P::ctx), kCtxDoc);
  schema.enumeration("dtype", static_cast<int P::*>(&P::dtype), dtype_choices({0, 1, 2, 3, 4, 5, 6, 12}), kTypeDoc);
  return schema;
}

}  // namespace

MXNET_REGISTER(init) {
  declare_constant("_zeros", "An array of zeros.", 0);
  declare_constant("_ones", "An array of ones.", 1);
  declare_like("zeros_like", "Zeros in the shape and type of the input.", 0);
  declare_like("ones_like", "Ones in the shape and type of the input.", 1);

  register_op("_full").alias({"_npi_full"}).doc("An array filled with one value.").inputs(std::vector<std::string>{})
      .params(Params<FullParam>()
                  .field("shape", &FullParam::shape, "Shape of the array.")
                  .field("ctx", &FullParam::ctx, kCtxDoc)
                  .enumeration("dtype", &FullParam::dtype, dtype_choices({0, 1, 2, 3, 4, 5, 6, 7, 12}), kTypeDoc)
                  .required("value", &FullParam::value, "The value."))
      .infer_shape(infer_param_shape<FullParam>).infer_type(infer_param_type<FullParam>)
      .kernel([](const KernelContext& c) { return make_fill_kernel(c.attrs.get<FullParam>().value, c); });

  register_op("_zeros_without_dtype").doc("An array of zeros whose type the consumers decide.")
      .inputs(std::vector<std::string>{})
      .params(Params<ZerosWithoutTypeParam>()
                  .field("shape", &ZerosWithoutTypeParam::shape, "Shape of the array.")
                  .field("ctx", &ZerosWithoutTypeParam::ctx, kCtxDoc)
                  .field("dtype", &ZerosWithoutTypeParam::dtype, "Code of the type; -1 leaves it open."))
      .infer_shape(infer_param_shape<ZerosWithoutTypeParam>).infer_type(infer_param_type<ZerosWithoutTypeParam>)
      .kernel(fill_with(0));

  register_op("_eye").doc("Ones on a diagonal, zeros elsewhere.").inputs(std::vector<std::string>{})
      .params(Params<EyeParam>()
                  .required("N", &EyeParam::N, "Number of rows.").at_least(0)
                  .field("M", &EyeParam::M, "Number of columns; 0: as many as rows.").at_least(0)
                  .field("k", &EyeParam::k, "Diagonal: 0 the main one, positive above, negative below.")
                  .field("ctx", &EyeParam::ctx, kCtxDoc)
                  .enumeration("dtype", &EyeParam::dtype, dtype_choices({0, 1, 2, 3, 4, 5, 6}), kTypeDoc))
      .infer_shape([](const Attrs& attrs, ShapeVec&, ShapeVec& out) {
        const auto& p = attrs.get<EyeParam>();
        assign_shape(out[0], Shape{p.N, p.M > 0 ? p.M : p.N});
      })
      .infer_type(infer_param_type<EyeParam>).kernel(make_eye_kernel);

  register_op("_arange").doc("Evenly spaced values in [start, stop).").inputs(std::vector<std::string>{})
      .params(range_schema<RangeParam>()).infer_shape(infer_range_shape).infer_type(infer_param_type<RangeParam>)
      .kernel(make_range_kernel);

  register_op("_linspace").alias({"_npi_linspace"}).doc("A number of evenly spaced values from start to stop.")
      .inputs(std::vector<std::string>{})
      .params(range_schema<LinspaceParam>()
                  .field("num", &LinspaceParam::num, "Number of values.").at_least(0).hidden()
                  .field("endpoint", &LinspaceParam::endpoint, "Whether stop is the last value.").hidden())
      .infer_shape([](const Attrs& attrs, ShapeVec&, ShapeVec& out) {
        assign_shape(out[0], Shape{attrs.get<LinspaceParam>().num});
      })
      .infer_type(infer_param_type<LinspaceParam>).kernel(make_linspace_kernel);
}

}  // namespace mxnet
