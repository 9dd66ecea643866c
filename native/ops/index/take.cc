// take, Embedding, batch_take, pick, one_hot.
#include "kernels/gather.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct TakeParam {
  int axis = 0;
  int mode = kClipIndex;
};
struct EmbeddingParam {
  int input_dim;
  int output_dim;
  int dtype = 0;
  bool sparse_grad = false;
};
struct PickParam {
  std::optional<int32_t> axis = -1;
  bool keepdims = false;
  int mode = kClipIndex;
};
struct OneHotParam {
  int depth;
  double on_value = 1;
  double off_value = 0;
  int dtype = 0;
};

// The data seen as (outer, length, row) around the indexed axis.
struct Rows {
  int64_t outer, length, row;
};

Rows rows_of(const Shape& shape, int axis) {
  return {shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.ndim())};
}

// Output has the type of input `data`; the type of the other inputs is free.
InferTypeFn typed_like(int data) {
  return [data](const Attrs&, DTypeVec& in, DTypeVec& out) {
    for (DType& t : out) assign_type(t, in[data]);
    assign_type(in[data], out[0]);
  };
}

Kernel gather_kernel(const KernelContext& c, int data, int index, const Rows& rows, IndexMode mode, const char* name) {
  const int64_t count = c.in_shapes[index].size();
  const int64_t row_bytes = rows.row * static_cast<int64_t>(dtype_size(c.in_types[data]));
  require(rows.length > 0 || count == 0, "operator ", name, ": cannot take rows of an empty axis of shape ",
          c.in_shapes[data]);
  return {[=, type = c.in_types[index]](const KernelArgs& a) {
            auto* indices = static_cast<int64_t*>(a.workspace);
            read_indices(a.in[index], type, count, rows.length, mode, name, indices);
            gather_rows(a.in[data], indices, a.out[0], rows.outer, rows.length, count, row_bytes);
          },
          static_cast<size_t>(count) * sizeof(int64_t)};
}

// Input 0 the output gradient, input 1 the indices; output 0 the gradient of the rows.
Kernel scatter_kernel(const KernelContext& c, const Rows& rows, IndexMode mode, const char* name) {
  const int64_t count = c.in_shapes[1].size();
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=, type = c.in_types[1]](const KernelArgs& a) {
              auto* indices = static_cast<int64_t*>(a.workspace);
              read_indices(a.in[1], type, count, rows.length, mode, name, indices);
              scatter_add_rows(a.input<T>(0), indices, a.output<T>(0), rows.outer, rows.length, count, rows.row);
            },
            static_cast<size_t>(count) * sizeof(int64_t)};
  });
}

void infer_take(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  if (!in[0].ndim_known() || !in[1].ndim_known()) return;
  const int axis = normalize_axis(attrs.get<TakeParam>().axis, in[0].ndim(), "take");
  Shape result = Shape::scalar();
  for (int i = 0; i < axis; ++i) result.push_back(in[0][i]);
  for (int64_t d : in[1]) result.push_back(d);
  for (int i = axis + 1; i < in[0].ndim(); ++i) result.push_back(in[0][i]);
  assign_shape(out[0], result, "take");
}

void infer_embedding(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<EmbeddingParam>();
  require(p.input_dim > 0 && p.output_dim > 0, "operator Embedding: input_dim=", p.input_dim,
          " and output_dim=", p.output_dim, " must be positive");
  assign_shape(in[1], Shape{p.input_dim, p.output_dim}, "weight of Embedding");
  if (in[0].ndim_known()) {
    Shape result = in[0];
    result.push_back(p.output_dim);
    assign_shape(out[0], result, "Embedding");
  }
  if (out[0].ndim() > 0) {
    Shape source = out[0];
    source.erase(out[0].ndim() - 1);
    assign_shape(in[0], source, "data of Embedding");
  }
}

void infer_embedding_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  assign_type(in[1], out[0]);
  if (in[1] == DType::kUnknown) in[1] = dtype_from_code(attrs.get<EmbeddingParam>().dtype);
  assign_type(out[0], in[1]);
}

Params<EmbeddingParam> embedding_params() {
  return Params<EmbeddingParam>()
      .required("input_dim", &EmbeddingParam::input_dim, "Number of rows of the weight.")
      .required("output_dim", &EmbeddingParam::output_dim, "Length of a row of the weight.")
      .enumeration("dtype", &EmbeddingParam::dtype, dtype_choices({12, 2, 0, 1, 4, 6, 5, 3}), "Type of the weight.")
      .field("sparse_grad", &EmbeddingParam::sparse_grad, "Accepted for old code; the gradient is dense.");
}

Params<TakeParam> take_params() {
  return Params<TakeParam>()
      .field("axis", &TakeParam::axis, "The axis along which to take.")
      .enumeration("mode", &TakeParam::mode, {{"clip", kClipIndex}, {"raise", kRaiseIndex}, {"wrap", kWrapIndex}},
                   "What to do with indices outside: clip them, wrap them around, or raise an error.");
}

int pick_axis(const PickParam& p, int ndim) {
  require(p.axis.has_value(), "operator pick: axis=None is not supported, an axis must be given");
  return normalize_axis(*p.axis, ndim, "pick");
}

void infer_pick(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<PickParam>();
  if (!in[0].ndim_known()) return;
  const int axis = pick_axis(p, in[0].ndim());
  Shape kept = in[0];
  kept[axis] = 1;
  Shape removed = in[0];
  removed.erase(axis);
  if (removed.ndim() == 0) removed.push_back(1);
  assign_shape(out[0], p.keepdims ? kept : removed, "pick");
  // The index may have the axis as a dimension of 1 or lack it.
  if (!in[1].ndim_known()) {
    in[1] = p.keepdims ? kept : removed;
  } else {
    assign_shape(in[1], in[1].ndim() == in[0].ndim() ? kept : removed, "index of pick");
  }
}

Params<PickParam> pick_params() {
  return Params<PickParam>()
      .field("axis", &PickParam::axis, "The axis along which to pick.")
      .field("keepdims", &PickParam::keepdims, "Keep the picked axis with size 1.")
      .enumeration("mode", &PickParam::mode, {{"clip", kClipIndex}, {"wrap", kWrapIndex}},
                   "What to do with indices outside: clip them or wrap them around.");
}

// body(position in data, position in index) for every picked element.
template <class Body>
void for_each_pick(const Rows& rows, const int64_t* indices, const Body& body) {
  parallel_for(rows.outer, rows.row * 2, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t i = 0; i < rows.row; ++i) {
        const int64_t k = o * rows.row + i;
        body((o * rows.length + indices[k]) * rows.row + i, k);
      }
    }
  });
}

Kernel pick_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<PickParam>();
  const Rows rows = rows_of(c.in_shapes[0], pick_axis(p, c.in_shapes[0].ndim()));
  const int64_t count = c.in_shapes[1].size();
  const auto mode = static_cast<IndexMode>(p.mode);
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=, type = c.in_types[1]](const KernelArgs& a) {
              auto* indices = static_cast<int64_t*>(a.workspace);
              read_indices(a.in[1], type, count, rows.length, mode, "pick", indices);
              const T* x = a.input<T>(0);
              T* y = a.output<T>(0);
              if (rows.length > 0) for_each_pick(rows, indices, [=](int64_t from, int64_t to) { y[to] = x[from]; });
            },
            static_cast<size_t>(count) * sizeof(int64_t)};
  });
}

Kernel pick_backward_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<PickParam>();
  const Rows rows = rows_of(c.out_shapes[0], pick_axis(p, c.out_shapes[0].ndim()));
  const int64_t count = c.in_shapes[1].size();
  const int64_t total = c.out_shapes[0].size();
  const auto mode = static_cast<IndexMode>(p.mode);
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=, type = c.in_types[1]](const KernelArgs& a) {
              auto* indices = static_cast<int64_t*>(a.workspace);
              read_indices(a.in[1], type, count, rows.length, mode, "pick", indices);
              const T* dy = a.input<T>(0);
              T* dx = a.output<T>(0);
              std::fill_n(dx, total, T(0));
              if (rows.length > 0) for_each_pick(rows, indices, [=](int64_t at, int64_t k) { dx[at] = dy[k]; });
            },
            static_cast<size_t>(count) * sizeof(int64_t)};
  });
}

Kernel one_hot_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<OneHotParam>();
  const int64_t count = c.in_shapes[0].size();
  const int64_t depth = p.depth;
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const T on = static_cast<T>(p.on_value);
    const T off = static_cast<T>(p.off_value);
    return visit_dtype(c.in_types[0], [&](auto index_tag) -> Kernel {
      using I = typename decltype(index_tag)::type;
      return {[=](const KernelArgs& a) {
        const I* index = a.input<I>(0);
        T* y = a.output<T>(0);
        parallel_for(count, depth, [=](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            std::fill_n(y + i * depth, depth, off);
            const double value = static_cast<double>(static_cast<compute_t<I>>(index[i]));
            if (value > -1 && value < static_cast<double>(depth)) y[i * depth + static_cast<int64_t>(value)] = on;
          }
        });
      }};
    });
  });
}

}  // namespace

MXNET_REGISTER(take) {
  register_op("take")
      .alias({"_npi_take"})
      .doc("The slices of an array along an axis that the indices name.")
      .inputs({"a", "indices"})
      .params(take_params())
      .infer_shape(infer_take)
      .infer_type(typed_like(0))
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_take", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()),
                                  Entry{}};
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<TakeParam>();
        return gather_kernel(c, 0, 1, rows_of(c.in_shapes[0], normalize_axis(p.axis, c.in_shapes[0].ndim(), "take")),
                             static_cast<IndexMode>(p.mode), "take");
      });
  register_op("_backward_take")
      .internal()
      .inputs({"ograd", "indices", "data"})
      .params(take_params())
      .infer_shape(shape_like_inputs({2}))
      .infer_type(typed_like(0))
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("take", {g.out_grad(), g.input(1)}, g.parameters()), Entry{}, Entry{}};
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<TakeParam>();
        return scatter_kernel(c, rows_of(c.out_shapes[0], normalize_axis(p.axis, c.out_shapes[0].ndim(), "take")),
                              static_cast<IndexMode>(p.mode), "take");
      });
  register_op("batch_take")
      .doc("From every row of a matrix the element that the index of the row names. Use pick in new code.")
      .inputs({"a", "indices"})
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (in[0].ndim_known()) {
          require(in[0].ndim() == 2, "operator batch_take: a must be a matrix, not of shape ", in[0]);
          assign_shape(in[1], Shape{in[0][0]}, "indices of batch_take");
        }
        assign_shape(out[0], in[1]);
        assign_shape(in[1], out[0]);
      })
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(in[1], DType::kInt32, "indices of batch_take");
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const int64_t count = c.in_shapes[0][0];
        const int64_t length = c.in_shapes[0][1];
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const T* x = a.input<T>(0);
            const int32_t* index = a.input<int32_t>(1);
            T* y = a.output<T>(0);
            if (length == 0) return;
            for (int64_t i = 0; i < count; ++i) y[i] = x[i * length + std::clamp<int64_t>(index[i], 0, length - 1)];
          }};
        });
      });
}

MXNET_REGISTER(embedding) {
  register_op("Embedding")
      .alias({"_npx_embedding", "_sparse_Embedding"})
      .doc("Rows of a weight matrix by index; indices outside are clipped.")
      .inputs({"data", "weight"})
      .params(embedding_params())
      .infer_shape(infer_embedding)
      .infer_type(infer_embedding_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{Entry{}, g.op("_backward_Embedding", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        return gather_kernel(c, 1, 0, rows_of(c.in_shapes[1], 0), kClipIndex, "Embedding");
      });
  register_op("_backward_Embedding")
      .internal()
      .inputs({"ograd", "data"})
      .params(embedding_params())
      .infer_shape([](const Attrs& attrs, ShapeVec&, ShapeVec& out) {
        const auto& p = attrs.get<EmbeddingParam>();
        assign_shape(out[0], Shape{p.input_dim, p.output_dim});
      })
      .infer_type(typed_like(0))
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("Embedding", {g.input(1), g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return scatter_kernel(c, rows_of(c.out_shapes[0], 0), kClipIndex, "Embedding");
      });
}

MXNET_REGISTER(pick) {
  register_op("pick")
      .alias({"_npx_pick", "choose_element_0index"})
      .doc("One element along an axis for every position of the other axes.")
      .inputs({"data", "index"})
      .params(pick_params())
      .infer_shape(infer_pick)
      .infer_type(typed_like(0))
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_pick", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()),
                                  Entry{}};
      })
      .kernel(pick_kernel);
  register_op("_backward_pick")
      .internal()
      .inputs({"ograd", "index", "data"})
      .params(pick_params())
      .infer_shape(shape_like_inputs({2}))
      .infer_type(typed_like(0))
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("pick", {g.out_grad(), g.input(1)}, g.parameters()), Entry{}, Entry{}};
      })
      .kernel(pick_backward_kernel);
}

MXNET_REGISTER(one_hot) {
  register_op("one_hot")
      .alias({"_npx_one_hot"})
      .doc("For every index a vector of `depth` numbers, on_value at the index and off_value elsewhere.")
      .inputs({"indices"})
      .params(Params<OneHotParam>()
                  .required("depth", &OneHotParam::depth, "Length of the vectors.")
                  .at_least(0)
                  .field("on_value", &OneHotParam::on_value, "The number at the index.")
                  .field("off_value", &OneHotParam::off_value, "The number everywhere else.")
                  .enumeration("dtype", &OneHotParam::dtype, dtype_choices({12, 2, 0, 1, 4, 6, 5, 3}),
                               "Type of the output."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        Shape result = in[0];
        result.push_back(attrs.get<OneHotParam>().depth);
        assign_shape(out[0], result, "one_hot");
      })
      .infer_type([](const Attrs& attrs, DTypeVec&, DTypeVec& out) {
        assign_type(out[0], dtype_from_code(attrs.get<OneHotParam>().dtype), "one_hot");
      })
      .zero_gradient()
      .kernel(one_hot_kernel);
}

}  // namespace mxnet
