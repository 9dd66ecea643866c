// Diagonals and triangles of stacks of square matrices as vectors, and back; sum of the logarithms of a diagonal.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/registry.h"
#include "ops/linalg/common.h"

namespace mxnet::linalg {
namespace {

struct DiagParam {
  int32_t offset = 0;
};

struct TrianParam {
  int32_t offset = 0;
  bool lower = true;
};

// What an operator takes out of an n x n matrix, in row-major order: a diagonal, or a triangle from a diagonal on.
struct Pattern2D {
  bool triangle = false;
  bool lower = true;  // of a triangle
  int64_t offset = 0;

  static Pattern2D of(const Attrs& attrs, bool triangle) {
    Pattern2D p;
    p.triangle = triangle;
    if (triangle) {
      const auto& q = attrs.get<TrianParam>();
      p.offset = q.offset;
      p.lower = q.offset < 0 || (q.offset == 0 && q.lower);  // away from the main diagonal the offset decides
    } else {
      p.offset = attrs.get<DiagParam>().offset;
    }
    return p;
  }
  int64_t shift() const { return std::abs(offset); }
  int64_t count(int64_t n) const {
    const int64_t m = n - shift();
    return triangle ? m * (m + 1) / 2 : m;
  }
  // fn(row, column, position in the vector).
  template <class Fn>
  void each(int64_t n, Fn fn) const {
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
      int64_t begin = i + offset, end = begin + 1;
      if (triangle && lower) begin = 0;
      if (triangle && !lower) end = n;
      for (int64_t j = std::max<int64_t>(0, begin); j < std::min(n, end); ++j) fn(i, j, at++);
    }
  }
};

constexpr int64_t kMaxSide = int64_t{1} << 31;  // of a matrix, so that its number of elements fits 64 bits

void infer_extract(const Attrs& attrs, ShapeVec& in, ShapeVec& out, bool triangle) {
  const Pattern2D p = Pattern2D::of(attrs, triangle);
  if (!in[0].ndim_known()) return;
  require_square(in[0], "linalg extract");
  const int64_t n = in[0].back();
  require(n < kMaxSide, "linalg: matrices are too large: ", in[0]);
  require(n < 0 || n > p.shift(), "linalg: Illegal offset ", p.offset, " for diag/trian extraction of matrix with dimension ", n);
  Shape result(in[0].begin(), in[0].end() - 1);
  result[result.ndim() - 1] = n < 0 ? -1 : p.count(n);
  assign_shape(out[0], result, "linalg extract");
}

void infer_make(const Attrs& attrs, ShapeVec& in, ShapeVec& out, bool triangle) {
  const Pattern2D p = Pattern2D::of(attrs, triangle);
  if (!in[0].ndim_known()) return;
  require(in[0].ndim() >= 1, "linalg make: input must have at least 1 dimension, given ", in[0]);
  const int64_t given = in[0].back();
  int64_t m = given;
  require(given < kMaxSide, "linalg: the result is too large for input ", in[0]);
  if (triangle && given >= 0) {
    m = static_cast<int64_t>((std::sqrt(8.0 * double(given) + 1) - 1) / 2 + 0.5);
    require(m * (m + 1) / 2 == given, "linalg.maketrian: Input tensor has an invalid dimension for the last axis: ", given,
            " is not n (n + 1) / 2");
  }
  Shape result = in[0];
  result[result.ndim() - 1] = m < 0 ? -1 : m + p.shift();
  result.push_back(result.back());
  assign_shape(out[0], result, "linalg make");
}

Kernel extract_kernel(const KernelContext& c, bool triangle) {
  const Pattern2D p = Pattern2D::of(c.attrs, triangle);
  const Stack s(c.in_shapes[0]);
  return visit_real(c.in_types[0], "linalg extract", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[p, s](const KernelArgs& args) {
      const int64_t n = s.rows, count = p.count(n);
      for (int64_t m = 0; m < s.count; ++m) {
        const T* x = args.input<T>(0) + m * s.size();
        T* y = args.output<T>(0) + m * count;
        p.each(n, [&](int64_t i, int64_t j, int64_t at) { y[at] = x[i * n + j]; });
      }
    }};
  });
}

Kernel make_kernel(const KernelContext& c, bool triangle) {
  const Pattern2D p = Pattern2D::of(c.attrs, triangle);
  const Stack s(c.out_shapes[0]);
  return visit_real(c.in_types[0], "linalg make", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[p, s](const KernelArgs& args) {
      const int64_t n = s.rows, count = p.count(n);
      std::fill_n(args.output<T>(0), s.count * s.size(), T(0));
      for (int64_t m = 0; m < s.count; ++m) {
        const T* x = args.input<T>(0) + m * count;
        T* y = args.output<T>(0) + m * s.size();
        p.each(n, [&](int64_t i, int64_t j, int64_t at) { y[i * n + j] = x[at]; });
      }
    }};
  });
}

// `name` extracts and `inverse` puts back, or the other way round: each is the other's gradient.
void register_pair(const char* extract, const char* make, const char* extract_alias, const char* make_alias,
                   const ParamSchema& schema, bool triangle, const char* what) {
  const auto gradient = [](const char* other) {
    return [other](const NodePtr& node, const std::vector<Entry>& ograds) {
      const GradientBuilder g(node, ograds);
      return std::vector<Entry>{g.op(other, {g.out_grad()}, g.parameters())};
    };
  };
  register_op(extract)
      .alias({extract_alias})
      .doc(text("Takes a ", what, " out of each square matrix as a vector."))
      .params(schema)
      .inputs({"A"})
      .infer_shape([triangle](const Attrs& a, ShapeVec& in, ShapeVec& out) { infer_extract(a, in, out, triangle); })
      .infer_type(infer_same_type)
      .gradient(gradient(make))
      .kernel([triangle](const KernelContext& c) { return extract_kernel(c, triangle); });
  register_op(make)
      .alias({make_alias})
      .doc(text("Makes square matrices that are zero but for a ", what, " given as a vector."))
      .params(schema)
      .inputs({"A"})
      .infer_shape([triangle](const Attrs& a, ShapeVec& in, ShapeVec& out) { infer_make(a, in, out, triangle); })
      .infer_type(infer_same_type)
      .gradient(gradient(extract))
      .kernel([triangle](const KernelContext& c) { return make_kernel(c, triangle); });
}

}  // namespace

MXNET_REGISTER(linalg_diagonal) {
  register_pair("_linalg_extractdiag", "_linalg_makediag", "linalg_extractdiag", "linalg_makediag",
                Params<DiagParam>().field("offset", &DiagParam::offset, "Which diagonal: above (positive) or below the main one."),
                false, "diagonal");
  register_pair("_linalg_extracttrian", "_linalg_maketrian", "linalg_extracttrian", "linalg_maketrian",
                Params<TrianParam>()
                    .field("offset", &TrianParam::offset, "The diagonal on which the triangle begins.")
                    .field("lower", &TrianParam::lower, "The lower triangle rather than the upper, for offset 0."),
                true, "triangle");

  register_op("_linalg_sumlogdiag")
      .alias({"linalg_sumlogdiag"})
      .doc("Sum of the logarithms of the diagonal of each square matrix.")
      .lenient()
      .inputs({"A"})
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        require_square(in[0], "linalg.sumlogdiag");
        assign_shape(out[0], per_matrix(in[0]), "linalg.sumlogdiag");
      })
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_linalg_sumlogdiag", {0}, {0}, {}))
      .kernel([](const KernelContext& c) -> Kernel {
        const Stack s(c.in_shapes[0]);
        return visit_real(c.in_types[0], "linalg.sumlogdiag", [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[s](const KernelArgs& args) {
            for (int64_t m = 0; m < s.count; ++m) {
              const T* x = args.input<T>(0) + m * s.size();
              T sum = 0;
              for (int64_t i = 0; i < s.rows; ++i) sum += std::log(x[i * s.rows + i]);
              args.output<T>(0)[m] = sum;
            }
          }};
        });
      });
  register_op("_backward_linalg_sumlogdiag")
      .internal()
      .inputs({"out_grad", "A"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) -> Kernel {
        const Stack s(c.in_shapes[1]);
        return visit_real(c.in_types[0], "linalg.sumlogdiag", [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[s](const KernelArgs& args) {
            T* out = args.output<T>(0);
            std::fill_n(out, s.count * s.size(), T(0));
            for (int64_t m = 0; m < s.count; ++m) {
              for (int64_t i = 0; i < s.rows; ++i) {
                const int64_t at = m * s.size() + i * s.rows + i;
                out[at] = args.input<T>(0)[m] / args.input<T>(1)[at];
              }
            }
          }};
        });
      });
}

}  // namespace mxnet::linalg
