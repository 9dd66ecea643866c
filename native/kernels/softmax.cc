#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/vmath.h"

namespace mxnet {
namespace {

constexpr int64_t kColumns = 64;
constexpr int64_t kShortRow = 8;  // summed from first to last, which is what plain implementations print

float reduce(Reduce op, const float* x, int64_t n) { return vmath().reduce_row[static_cast<int>(op)](x, n); }

void softmax_row(const float* x, float* y, int64_t n, bool log, float scale) {
  const VMath& m = vmath();
  if (n == 0) return;
  const float shift = reduce(scale >= 0 ? Reduce::kMax : Reduce::kMin, x, n);
  if (log) {
    const float total = m.exp_shifted(x, shift, scale, nullptr, n);
    m.affine(x, scale, -shift * scale - std::log(total), y, n);
    return;
  }
  float total = m.exp_shifted(x, shift, scale, y, n);
  if (n <= kShortRow) {
    total = 0;
    for (int64_t i = 0; i < n; ++i) total += y[i];
  }
  m.affine(y, 1.0f / total, 0.0f, y, n);
}

// `width` neighbouring columns at once: stride `inner` along the axis.
void softmax_columns(const float* x, float* y, int64_t size, int64_t inner, int64_t width, bool log, float scale) {
  const VMath& m = vmath();
  const auto exp = m.unary[static_cast<int>(Unary::kExp)];
  const auto sub = m.binary[static_cast<int>(Binary::kSub)];
  const auto mul = m.binary[static_cast<int>(Binary::kMul)];
  const auto add = m.binary[static_cast<int>(Binary::kAdd)];
  float shift[kColumns], total[kColumns] = {}, tile[kColumns];
  m.reduce_columns[static_cast<int>(scale >= 0 ? Reduce::kMax : Reduce::kMin)](x, inner, size, width, shift);
  for (int64_t k = 0; k < size; ++k) {
    sub(x + k * inner, shift, tile, width, kStepBoth);
    if (scale != 1.0f) mul(tile, &scale, tile, width, kStepA);
    if (log) std::copy_n(tile, width, y + k * inner);
    exp(tile, tile, width);
    add(total, tile, total, width, kStepBoth);
    if (!log) std::copy_n(tile, width, y + k * inner);
  }
  if (log) {
    m.unary[static_cast<int>(Unary::kLog)](total, total, width);
  } else {
    m.unary[static_cast<int>(Unary::kReciprocal)](total, total, width);
  }
  for (int64_t k = 0; k < size; ++k) (log ? sub : mul)(y + k * inner, total, y + k * inner, width, kStepBoth);
}

// Any types, one row at a time; the exponentials are computed twice, so that no scratch is needed.
template <class In, class Out>
void softmax_any(const In* x, Out* y, int64_t size, int64_t stride, bool log, double scale) {
  using C = std::conditional_t<std::is_same_v<In, double> || std::is_same_v<Out, double>, double, float>;
  if (size == 0) return;
  const C k = static_cast<C>(scale);
  C shift = static_cast<C>(x[0]) * k;
  for (int64_t i = 1; i < size; ++i) {
    const C v = static_cast<C>(x[i * stride]) * k;
    if (v > shift || v != v) shift = v;
  }
  double total = 0;
  for (int64_t i = 0; i < size; ++i) total += static_cast<double>(std::exp(static_cast<C>(x[i * stride]) * k - shift));
  const C log_total = static_cast<C>(std::log(total)), factor = static_cast<C>(1 / total);
  for (int64_t i = 0; i < size; ++i) {
    const C v = static_cast<C>(x[i * stride]) * k - shift;
    y[i * stride] = static_cast<Out>(log ? v - log_total : std::exp(v) * factor);
  }
}

Kernel make_float_kernel(const SoftmaxSpec& s) {
  const float scale = static_cast<float>(s.scale);
  if (s.inner == 1) {
    return {[s, scale](const KernelArgs& args) {
      const float* x = args.input<float>(0);
      float* y = args.output<float>(0);
      parallel_for(s.outer, 2 * s.size + 20, [&](int64_t begin, int64_t end) { softmax_rows(x, y, s.size, begin, end, s.log, scale); });
    }};
  }
  const int64_t blocks = (s.inner + kColumns - 1) / kColumns;
  return {[s, scale, blocks](const KernelArgs& args) {
    const float* x = args.input<float>(0);
    float* y = args.output<float>(0);
    parallel_for(s.outer * blocks, 3 * s.size * std::min(kColumns, s.inner), [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = task % blocks * kColumns;
        const int64_t offset = task / blocks * s.size * s.inner + first;
        softmax_columns(x + offset, y + offset, s.size, s.inner, std::min(kColumns, s.inner - first), s.log, scale);
      }
    });
  }};
}

}  // namespace

void softmax_rows(const float* x, float* y, int64_t size, int64_t begin, int64_t end, bool log, float scale) {
  for (int64_t r = begin; r < end; ++r) softmax_row(x + r * size, y + r * size, size, log, scale);
}

SoftmaxSpec softmax_spec(const Shape& shape, int axis) {
  SoftmaxSpec s;
  if (shape.ndim() == 0) return s;
  s.outer = shape.product(0, axis);
  s.size = shape[axis];
  s.inner = shape.product(axis + 1, shape.ndim());
  return s;
}

Kernel make_softmax_kernel(const SoftmaxSpec& s, const KernelContext& c) {
  if (s.outer * s.size * s.inner == 0) return {[](const KernelArgs&) {}};
  const bool plain = c.in_types[0] == DType::kFloat32 && c.out_types[0] == DType::kFloat32;
  if (plain && !s.has_length) return make_float_kernel(s);
  const DType length_type = s.has_length ? c.in_types[1] : DType::kInt32;
  return visit_float(c.in_types[0], "softmax", [&](auto in_tag) -> Kernel {
    using In = typename decltype(in_tag)::type;
    return visit_float(c.out_types[0], "softmax", [&](auto out_tag) -> Kernel {
      using Out = typename decltype(out_tag)::type;
      return {[s, length_type](const KernelArgs& args) {
        const In* x = args.input<In>(0);
        Out* y = args.output<Out>(0);
        parallel_for(s.outer * s.inner, 20 * s.size, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const int64_t offset = r / s.inner * s.size * s.inner + r % s.inner;
            int64_t length = s.size;
            if (s.has_length) {
              visit_dtype(length_type, [&](auto tag) {
                using L = typename decltype(tag)::type;
                length = std::clamp<int64_t>(static_cast<int64_t>(args.input<L>(1)[r]), 0, s.size);
              });
            }
            softmax_any<In, Out>(x + offset, y + offset, length, s.inner, s.log, s.scale);
            for (int64_t i = length; i < s.size; ++i) y[offset + i * s.inner] = Out(0);
          }
        });
      }};
    });
  });
}

Kernel make_softmax_grad_kernel(const SoftmaxSpec& s, const KernelContext& c) {
  return visit_float(c.in_types[0], "softmax", [&](auto in_tag) -> Kernel {
    using In = typename decltype(in_tag)::type;
    return visit_float(c.out_types[0], "softmax", [&](auto out_tag) -> Kernel {
      using Out = typename decltype(out_tag)::type;
      using C = std::conditional_t<std::is_same_v<In, double>, double, float>;
      return {[s](const KernelArgs& args) {
        const In* g = args.input<In>(0);
        const In* out = args.input<In>(1);
        Out* y = args.output<Out>(0);
        const C scale = static_cast<C>(s.scale);
        parallel_for(s.outer * s.inner, (s.log ? 10 : 2) * s.size, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const int64_t offset = r / s.inner * s.size * s.inner + r % s.inner;
            const In* gr = g + offset;
            const In* row = out + offset;
            Out* to = y + offset;
            double total = 0;
            if constexpr (std::is_same_v<In, float>) {
              if (s.inner == 1 && !s.log) {
                total = static_cast<double>(vmath().dot(gr, row, s.size));
                const C t = static_cast<C>(total);
                for (int64_t i = 0; i < s.size; ++i) to[i] = static_cast<Out>(scale * row[i] * (gr[i] - t));
                continue;
              }
            }
            for (int64_t i = 0; i < s.size; ++i) {
              const double v = static_cast<double>(gr[i * s.inner]);
              total += s.log ? v : v * static_cast<double>(row[i * s.inner]);
            }
            const C t = static_cast<C>(total);
            for (int64_t i = 0; i < s.size; ++i) {
              const C v = static_cast<C>(gr[i * s.inner]), p = static_cast<C>(row[i * s.inner]);
              to[i * s.inner] = static_cast<Out>(s.log ? scale * (v - std::exp(p) * t) : scale * p * (v - t));
            }
          }
        });
      }};
    });
  });
}

}  // namespace mxnet
