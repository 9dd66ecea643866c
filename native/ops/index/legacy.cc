// Old index operators: argmax_channel, _onehot_encode, fill_element_0index.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

void infer_encode_type(const Attrs&, DTypeVec& in, DTypeVec& out) {
  for (DType* t : {&in[0], &in[1]}) assign_type(out[0], *t);
  for (DType* t : {&in[0], &in[1]}) assign_type(*t, out[0]);
}

}  // namespace

MXNET_REGISTER(legacy_index) {
  register_op("argmax_channel")
      .doc("The index of the largest element along axis 1.")
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        Shape result = in[0];
        if (result.ndim() < 2) {
          result = Shape{1};
        } else {
          result.erase(1);
        }
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        const Shape& shape = c.in_shapes[0];
        const bool vector = shape.ndim() < 2;
        const int64_t outer = vector ? 1 : shape[0];
        const int64_t length = vector ? shape.size() : shape[1];
        const int64_t inner = vector ? 1 : shape.product(2, shape.ndim());
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const T* x = a.input<T>(0);
            T* y = a.output<T>(0);
            parallel_for(outer * inner, length, [=](int64_t begin, int64_t end) {
              for (int64_t k = begin; k < end; ++k) {
                const T* row = x + k / inner * length * inner + k % inner;
                int64_t best = 0;
                for (int64_t i = 1; i < length; ++i) {
                  if (static_cast<compute_t<T>>(row[i * inner]) > static_cast<compute_t<T>>(row[best * inner]))
                    best = i;
                }
                y[k] = static_cast<T>(best);
              }
            });
          }};
        });
      });
  register_op("_onehot_encode")
      .doc("Rows of rhs's shape with a 1 where lhs points and 0 elsewhere.")
      .inputs({"lhs", "rhs"})
      .documented_inputs({{"lhs", "NDArray"}, {"rhs", "NDArray"}})
      .explicit_inputs()
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (in[1].ndim_known()) {
          require(in[1].ndim() == 2, "operator _onehot_encode: rhs must be a matrix, not of shape ", in[1]);
          assign_shape(in[0], Shape{in[1][0]}, "lhs of _onehot_encode");
        }
        assign_shape(out[0], in[1]);
      })
      .infer_type(infer_encode_type)
      .kernel([](const KernelContext& c) {
        const int64_t rows = c.out_shapes[0][0];
        const int64_t depth = c.out_shapes[0][1];
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const T* index = a.input<T>(0);
            T* y = a.output<T>(0);
            std::fill_n(y, rows * depth, T(0));
            for (int64_t i = 0; i < rows; ++i) {
              const auto at = static_cast<double>(static_cast<compute_t<T>>(index[i]));
              if (at > -1 && at < static_cast<double>(depth)) y[i * depth + static_cast<int64_t>(at)] = T(1);
            }
          }};
        });
      });
  register_op("fill_element_0index")
      .doc("lhs with lhs[i, rhs[i]] replaced by mhs[i].")
      .inputs({"lhs", "mhs", "rhs"})
      .documented_inputs({{"lhs", "NDArray"}, {"mhs", "NDArray"}, {"rhs", "NDArray"}})
      .explicit_inputs()
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 2, "operator fill_element_0index: lhs must be a matrix, not of shape ", in[0]);
        assign_shape(in[1], Shape{in[0][0]}, "mhs of fill_element_0index");
        assign_shape(in[2], Shape{in[0][0]}, "rhs of fill_element_0index");
      })
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel([](const KernelContext& c) {
        const int64_t rows = c.out_shapes[0][0];
        const int64_t columns = c.out_shapes[0][1];
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            T* y = a.output<T>(0);
            if (a.in[0] != a.out[0]) std::memcpy(y, a.in[0], static_cast<size_t>(rows * columns) * sizeof(T));
            for (int64_t i = 0; i < rows; ++i) {
              const auto at = static_cast<double>(static_cast<compute_t<T>>(a.input<T>(2)[i]));
              if (!(at > -1 && at < static_cast<double>(columns))) {
                fail_as(ErrorKind::kIndexError, "operator fill_element_0index: index ", at,
                        " is out of bounds for rows of ", columns);
              }
              y[i * columns + static_cast<int64_t>(at)] = a.input<T>(1)[i];
            }
          }};
        });
      });
}

}  // namespace mxnet
