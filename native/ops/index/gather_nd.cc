// gather_nd, scatter_nd, _scatter_set_nd, ravel_multi_index, unravel_index.
#include "kernels/gather.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

struct NdShapeParam {
  Shape shape;
};

// Indices of shape (depth, count...) address the leading `depth` axes of `data`; the rest is a row.
struct NdIndex {
  int depth;
  int64_t count;
  int64_t rows;
  int64_t row;
  Shape data;
  DType type;
};

NdIndex nd_index(const Shape& data, const Shape& indices, DType type, const char* name) {
  require(indices.ndim() >= 1, "operator ", name, ": indices must have at least one dimension");
  const int64_t depth = indices[0];
  require(depth <= data.ndim(), "operator ", name, ": indices of shape ", indices, " address ", depth,
          " axes, but the data has shape ", data);
  const int d = static_cast<int>(depth);
  return {d, indices.product(1, indices.ndim()), data.product(0, d), data.product(d, data.ndim()), data, type};
}

size_t nd_workspace(const NdIndex& x) { return static_cast<size_t>(2 * x.count) * sizeof(int64_t); }

// The row numbers that the indices stand for; negative indices count from the end of their axis.
const int64_t* row_numbers(const NdIndex& x, const void* indices, void* workspace) {
  auto* rows = static_cast<int64_t*>(workspace);
  int64_t* one = rows + x.count;
  const size_t width = dtype_size(x.type);
  std::fill_n(rows, x.count, int64_t{0});
  for (int axis = 0; axis < x.depth; ++axis) {
    const int64_t n = x.data[axis];
    convert_elements(static_cast<const char*>(indices) + static_cast<size_t>(axis * x.count) * width, x.type, one,
                     DType::kInt64, x.count);
    for (int64_t i = 0; i < x.count; ++i) {
      const int64_t value = one[i];
      if (value < -n || value >= n) {
        fail_as(ErrorKind::kIndexError, "index ", value, " is out of bounds for axis ", axis, " with size ", n);
      }
      rows[i] = rows[i] * n + (value < 0 ? value + n : value);
    }
  }
  return rows;
}

void infer_gather(const Attrs&, ShapeVec& in, ShapeVec& out) {
  if (!in[0].ndim_known() || !in[1].ndim_known() || in[1].ndim() == 0 || in[1][0] < 0) return;
  require(in[1][0] <= in[0].ndim(), "operator gather_nd: indices of shape ", in[1], " address ", in[1][0],
          " axes, but the data has shape ", in[0]);
  Shape result = Shape::scalar();
  for (int i = 1; i < in[1].ndim(); ++i) result.push_back(in[1][i]);
  for (int i = static_cast<int>(in[1][0]); i < in[0].ndim(); ++i) result.push_back(in[0][i]);
  if (result.ndim() == 0) result.push_back(1);
  assign_shape(out[0], result, "gather_nd");
}

// The shape of the values that indices of shape `indices` address in `whole`.
void infer_values(const Shape& whole, const Shape& indices, Shape& values, const char* name) {
  if (!indices.known() || indices.ndim() == 0) return;
  require(indices[0] <= whole.ndim(), "operator ", name, ": indices of shape ", indices, " address ", indices[0],
          " axes, but the array has shape ", whole);
  Shape expected = Shape::scalar();
  for (int i = 1; i < indices.ndim(); ++i) expected.push_back(indices[i]);
  for (int i = static_cast<int>(indices[0]); i < whole.ndim(); ++i) expected.push_back(whole[i]);
  if (expected.ndim() == 0) expected.push_back(1);
  if (values.ndim_known() && values.known() && values.size() == expected.size()) return;  // e.g. (2,1) for (2,)
  assign_shape(values, expected, name);
}

Shape known_shape(const NdShapeParam& p, const char* name) {
  require(p.shape.known() && p.shape.ndim() > 0, "operator ", name, ": shape must be given, not ", p.shape);
  return p.shape;
}

Params<NdShapeParam> nd_params() {
  return Params<NdShapeParam>().required("shape", &NdShapeParam::shape, "Shape of the output.");
}

InferTypeFn typed_like_first() {
  return [](const Attrs&, DTypeVec& in, DTypeVec& out) {
    assign_type(out[0], in[0]);
    assign_type(in[0], out[0]);
  };
}

// Writes the rows of input `values` at input `indices` into output 0, after `prepare(args)` filled the rest.
template <class Prepare>
Kernel set_rows_kernel(const KernelContext& c, int values, int indices, const char* name, Prepare prepare) {
  const NdIndex x = nd_index(c.out_shapes[0], c.in_shapes[indices], c.in_types[indices], name);
  const size_t row_bytes = static_cast<size_t>(x.row) * dtype_size(c.out_types[0]);
  require(c.in_shapes[values].size() == x.count * x.row, "operator ", name, ": values of shape ", c.in_shapes[values],
          " do not fit indices of shape ", c.in_shapes[indices]);
  return {[=](const KernelArgs& a) {
            const int64_t* rows = row_numbers(x, a.in[indices], a.workspace);
            prepare(a);
            const char* from = a.input<char>(values);
            for (int64_t i = 0; i < x.count; ++i) {
              std::memcpy(a.output<char>(0) + static_cast<size_t>(rows[i]) * row_bytes,
                          from + static_cast<size_t>(i) * row_bytes, row_bytes);
            }
          },
          nd_workspace(x)};
}

}  // namespace

MXNET_REGISTER(gather_nd) {
  register_op("gather_nd")
      .alias({"_npi_gather_nd", "_npx_gather_nd"})
      .doc("The elements or slices of data that the columns of indices address.")
      .inputs({"data", "indices"})
      .lenient()
      .infer_shape(infer_gather)
      .infer_type(typed_like_first())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_gather_nd", {g.out_grad(), g.input(1), g.input(0)}), Entry{}};
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const NdIndex x = nd_index(c.in_shapes[0], c.in_shapes[1], c.in_types[1], "gather_nd");
        const int64_t row_bytes = x.row * static_cast<int64_t>(dtype_size(c.in_types[0]));
        return {[=](const KernelArgs& a) {
                  const int64_t* rows = row_numbers(x, a.in[1], a.workspace);
                  gather_rows(a.in[0], rows, a.out[0], 1, x.rows, x.count, row_bytes);
                },
                nd_workspace(x)};
      });
  register_op("_backward_gather_nd")
      .internal()
      .inputs({"ograd", "indices", "data"})
      .lenient()
      .infer_shape(shape_like_inputs({2}))
      .infer_type(typed_like_first())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("gather_nd", {g.out_grad(), g.input(1)}), Entry{}, Entry{}};
      })
      .kernel([](const KernelContext& c) {
        const NdIndex x = nd_index(c.out_shapes[0], c.in_shapes[1], c.in_types[1], "gather_nd");
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
                    const int64_t* rows = row_numbers(x, a.in[1], a.workspace);
                    scatter_add_rows(a.input<T>(0), rows, a.output<T>(0), 1, x.rows, x.count, x.row);
                  },
                  nd_workspace(x)};
        });
      });
  register_op("scatter_nd")
      .doc("Zeros of the given shape with data written where the columns of indices point; the last one wins.")
      .inputs({"data", "indices"})
      .params(nd_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const Shape shape = known_shape(attrs.get<NdShapeParam>(), "scatter_nd");
        assign_shape(out[0], shape, "scatter_nd");
        infer_values(shape, in[1], in[0], "scatter_nd");
      })
      .infer_type(typed_like_first())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("gather_nd", {g.out_grad(), g.input(1)}), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * dtype_size(c.out_types[0]);
        return set_rows_kernel(c, 0, 1, "scatter_nd",
                               [bytes](const KernelArgs& a) { std::memset(a.out[0], 0, bytes); });
      });
  register_op("_scatter_set_nd")
      .alias({"_npi_scatter_set_nd"})
      .doc("lhs with rhs written where the columns of indices point.")
      .inputs({"lhs", "rhs", "indices"})
      .params(nd_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const Shape shape = known_shape(attrs.get<NdShapeParam>(), "_scatter_set_nd");
        assign_shape(in[0], shape, "lhs of _scatter_set_nd");
        assign_shape(out[0], shape, "_scatter_set_nd");
        infer_values(shape, in[2], in[1], "rhs of _scatter_set_nd");
      })
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        for (DType* t : {&in[0], &in[1], &out[0]}) assign_type(out[0], *t, "_scatter_set_nd");
        in[0] = in[1] = out[0];
      })
      .inplace(0, 0)
      .kernel([](const KernelContext& c) {
        const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * dtype_size(c.out_types[0]);
        return set_rows_kernel(c, 1, 2, "_scatter_set_nd", [bytes](const KernelArgs& a) {
          if (a.in[0] != a.out[0]) std::memcpy(a.out[0], a.in[0], bytes);
        });
      });
}

MXNET_REGISTER(ravel) {
  const auto params = [] {
    return Params<NdShapeParam>().field("shape", &NdShapeParam::shape, "Shape of the array the indices address.");
  };
  register_op("_ravel_multi_index")
      .alias({"ravel_multi_index"})
      .doc("Positions in a flattened array from a matrix of indices, one column an element.")
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<NdShapeParam>();
        require(p.shape.ndim() > 0, "operator ravel_multi_index: shape must be given");
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 2, "operator ravel_multi_index: the input must be a matrix, not of shape ", in[0]);
        require(in[0][0] < 0 || in[0][0] == p.shape.ndim(), "operator ravel_multi_index: the input of shape ", in[0],
                " does not fit shape ", p.shape);
        assign_shape(out[0], Shape{in[0][1]});
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel([](const KernelContext& c) {
        const Shape shape = c.attrs.get<NdShapeParam>().shape;
        const int64_t count = c.in_shapes[0][1];
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const T* x = a.input<T>(0);
            T* y = a.output<T>(0);
            parallel_for(count, shape.ndim(), [=](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                int64_t position = 0;
                for (int k = 0; k < shape.ndim(); ++k)
                  position = position * shape[k] + static_cast<int64_t>(x[k * count + i]);
                y[i] = static_cast<T>(position);
              }
            });
          }};
        });
      });
  register_op("_unravel_index")
      .alias({"unravel_index"})
      .doc("Indices in an array of the given shape from positions in its flattened form.")
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<NdShapeParam>();
        require(p.shape.ndim() > 0, "operator unravel_index: shape must be given");
        for (int i = 1; i < p.shape.ndim(); ++i)
          require(p.shape[i] > 0, "operator unravel_index: shape ", p.shape,
                  " must be positive after its first number");
        if (!in[0].ndim_known()) return;
        Shape result = in[0];
        result.insert(0, p.shape.ndim());
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel([](const KernelContext& c) {
        const Shape shape = c.attrs.get<NdShapeParam>().shape;
        const int64_t count = c.in_shapes[0].size();
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const T* x = a.input<T>(0);
            T* y = a.output<T>(0);
            parallel_for(count, 8 * shape.ndim(), [=](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                int64_t rest = static_cast<int64_t>(x[i]);
                for (int k = shape.ndim() - 1; k > 0; --k) {
                  y[k * count + i] = static_cast<T>(rest % shape[k]);
                  rest /= shape[k];
                }
                y[i] = static_cast<T>(rest);
              }
            });
          }};
        });
      });
}

}  // namespace mxnet
