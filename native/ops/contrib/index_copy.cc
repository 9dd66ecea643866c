// _contrib_index_copy: rows of one array replaced by the rows of another.
#include <cstring>

#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

int64_t row_bytes(const Shape& shape, DType type) {
  return shape.product(1, shape.ndim()) * static_cast<int64_t>(dtype_size(type));
}

// Row numbers as integers; what does not name a row is an error, not a write through a wild pointer.
template <class I>
int64_t checked_row(I index, int64_t rows) {
  const int64_t row = static_cast<int64_t>(index);
  if (row < 0 || row >= rows) {
    fail_as(ErrorKind::kIndexError, "index_copy: index ", row, " is out of the bounds of axis 0 with size ", rows);
  }
  return row;
}

MXNET_REGISTER(index_copy) {
  register_op("_contrib_index_copy")
      .doc("Copies the rows of new_tensor over the rows of old_tensor that index_vector names.")
      .lenient()
      .inputs({"old_tensor", "index_vector", "new_tensor"})
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() >= 1, "index_copy: old_tensor must have an axis");
        if (in[1].known()) require(in[1].ndim() == 1, "index_copy: index_vector must be a vector, got ", in[1]);
        Shape rows = in[0];
        rows[0] = in[1].known() ? in[1][0] : -1;
        assign_shape(in[2], rows, "new_tensor");
        if (in[2].known()) assign_shape(in[1], Shape{in[2][0]}, "index_vector");
      })
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        for (DType* slot : {&in[2], &out[0]}) {
          assign_type(*slot, in[0]);
          assign_type(in[0], *slot);
        }
      })
      .inplace(0, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& grads) {
        const GradientBuilder g(node, grads);
        const NodePtr back = g.node("_contrib_backward_index_copy", {g.out_grad(), g.input(0), g.input(1), g.input(2)});
        return std::vector<Entry>{Entry{back, 0, 0}, Entry{}, Entry{back, 1, 0}};
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const size_t bytes = static_cast<size_t>(c.in_shapes[0].size()) * dtype_size(c.in_types[0]);
        const int64_t row = row_bytes(c.in_shapes[0], c.in_types[0]);
        const int64_t rows = c.in_shapes[0][0];
        const int64_t count = c.in_shapes[1].size();
        return visit_dtype(c.in_types[1], [&](auto tag) -> Kernel {
          using I = typename decltype(tag)::type;
          return {[bytes, row, rows, count](const KernelArgs& a) {
            char* out = a.output<char>(0);
            if (a.in[0] != a.out[0]) std::memcpy(out, a.in[0], bytes);
            for (int64_t i = 0; i < count; ++i) {
              std::memcpy(out + checked_row(a.input<I>(1)[i], rows) * row, a.input<char>(2) + i * row,
                          static_cast<size_t>(row));
            }
          }, 0};
        });
      });

  register_op("_contrib_backward_index_copy")
      .internal()
      .inputs({"ograd", "old_tensor", "index_vector", "new_tensor"})
      .outputs(2)
      .infer_shape(shape_like_inputs({1, 3}))
      .infer_type(type_like_inputs({0, 0}))
      .kernel([](const KernelContext& c) -> Kernel {
        const size_t bytes = static_cast<size_t>(c.in_shapes[1].size()) * dtype_size(c.in_types[0]);
        const int64_t row = row_bytes(c.in_shapes[1], c.in_types[0]);
        const int64_t rows = c.in_shapes[1][0];
        const int64_t count = c.in_shapes[2].size();
        return visit_dtype(c.in_types[2], [&](auto tag) -> Kernel {
          using I = typename decltype(tag)::type;
          return {[bytes, row, rows, count](const KernelArgs& a) {
            std::memcpy(a.out[0], a.in[0], bytes);
            for (int64_t i = 0; i < count; ++i) {
              const int64_t at = checked_row(a.input<I>(2)[i], rows) * row;
              std::memcpy(a.output<char>(1) + i * row, a.input<char>(0) + at, static_cast<size_t>(row));
              std::memset(a.output<char>(0) + at, 0, static_cast<size_t>(row));
            }
          }, 0};
        });
      });
}

}  // namespace
}  // namespace mxnet
