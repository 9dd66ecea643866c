// khatri_rao: the column-wise Kronecker product.
#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct KhatriRaoParam {
  int num_args = 1;
};

}  // namespace

MXNET_REGISTER(khatri_rao) {
  register_op("khatri_rao")
      .doc("Column-wise Kronecker product of matrices with the same number of columns.")
      .params(Params<KhatriRaoParam>().field("num_args", &KhatriRaoParam::num_args, "Number of matrices.").at_least(1))
      .variadic("args", "num_args", [](const Attrs& attrs) { return attrs.get<KhatriRaoParam>().num_args; })
      .explicit_inputs()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        int64_t rows = 1;
        int64_t columns = -1;
        for (const Shape& shape : in) {
          if (!shape.known()) return;
          require(shape.ndim() == 2, "operator khatri_rao: inputs must be matrices, not of shape ", shape);
          require(columns < 0 || columns == shape[1],
                  "operator khatri_rao: inputs must have the same number of columns, got ", columns, " and ", shape[1]);
          columns = shape[1];
          rows = checked_mul(rows, shape[0], "rows of khatri_rao");
        }
        assign_shape(out[0], Shape{rows, columns});
      })
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        std::vector<int64_t> rows;
        for (const Shape& shape : c.in_shapes) rows.push_back(shape[0]);
        const int64_t total = c.out_shapes[0][0];
        const int64_t columns = c.out_shapes[0][1];
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            T* y = a.output<T>(0);
            parallel_for(total, columns * static_cast<int64_t>(rows.size()), [&](int64_t begin, int64_t end) {
              for (int64_t r = begin; r < end; ++r) {
                T* out = y + r * columns;
                int64_t rest = r;
                for (size_t k = rows.size(); k-- > 0;) {
                  const T* in = a.input<T>(k) + rest % rows[k] * columns;
                  rest /= rows[k];
                  for (int64_t j = 0; j < columns; ++j) {
                    out[j] = k + 1 == rows.size()
                                 ? in[j]
                                 : static_cast<T>(static_cast<compute_t<T>>(out[j]) * static_cast<compute_t<T>>(in[j]));
                  }
                }
              }
            });
          }};
        });
      });
}

}  // namespace mxnet
