// _contrib_getnnz: how many elements are not zero.
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct GetnnzParam {
  std::optional<int32_t> axis;
};

MXNET_REGISTER(getnnz) {
  register_op("_contrib_getnnz")
      .doc("Number of elements that are not zero, of the whole matrix or per row (axis 1) or column (axis 0).")
      .params(Params<GetnnzParam>().field("axis", &GetnnzParam::axis,
                                          "None for one number, 1 for one per row, 0 for one per column."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& axis = attrs.get<GetnnzParam>().axis;
        if (!axis) {
          assign_shape(out[0], Shape{1});
        } else if (in[0].known()) {
          require(in[0].ndim() == 2, "getnnz: data must be a matrix, got shape ", in[0]);
          assign_shape(out[0], Shape{in[0][1 - normalize_axis(*axis, 2, "getnnz")]});
        }
      })
      .infer_type([](const Attrs&, DTypeVec&, DTypeVec& out) { assign_type(out[0], DType::kInt64); })
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& axis = c.attrs.get<GetnnzParam>().axis;
        const bool per_row = axis && normalize_axis(*axis, 2, "getnnz") == 1;
        const bool whole = !axis.has_value();
        const int64_t rows = whole ? 1 : c.in_shapes[0][0];
        const int64_t columns = whole ? c.in_shapes[0].size() : c.in_shapes[0][1];
        const int64_t results = c.out_shapes[0].size();
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            int64_t* out = a.output<int64_t>(0);
            for (int64_t i = 0; i < results; ++i) out[i] = 0;
            const T* x = a.input<T>(0);
            for (int64_t r = 0; r < rows; ++r) {
              for (int64_t j = 0; j < columns; ++j) {
                out[whole ? 0 : per_row ? r : j] += x[r * columns + j] != T(0);
              }
            }
          }, 0};
        });
      });
}

}  // namespace
}  // namespace mxnet
