#include "kernels/elemwise.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "base/parallel.h"
#include "kernels/elemwise_rows.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

constexpr int64_t kTile = 256;

bool is_half_float(DType t) { return t == DType::kFloat16 || t == DType::kBfloat16; }

// Nanoseconds an element, roughly.
int64_t cost_of(Unary op) {
  switch (op) {
    case Unary::kAbs: case Unary::kSign: case Unary::kRint: case Unary::kRound: case Unary::kCeil: case Unary::kFloor:
    case Unary::kTrunc: case Unary::kNegative: case Unary::kReciprocal: case Unary::kSquare: case Unary::kSqrt:
    case Unary::kRsqrt: case Unary::kDegrees: case Unary::kRadians: case Unary::kLogicalNot: case Unary::kRelu:
    case Unary::kSoftsign: case Unary::kExp: case Unary::kSigmoid: case Unary::kTanh: case Unary::kErf:
    case Unary::kLog: case Unary::kGelu: return 1;
    default: return 10;
  }
}

}  // namespace

void load_floats(DType type, const void* x, float* y, int64_t n) {
  switch (type) {
    case DType::kFloat16: vmath().half_to_float(static_cast<const uint16_t*>(x), y, n); return;
    case DType::kFloat32: std::memcpy(y, x, static_cast<size_t>(n) * sizeof(float)); return;
    default:
      visit_dtype(type, [&](auto tag) {
        const auto* p = static_cast<const typename decltype(tag)::type*>(x);
        for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(p[i]);
      });
  }
}

void store_floats(DType type, const float* x, void* y, int64_t n) {
  switch (type) {
    case DType::kFloat16: vmath().float_to_half(x, static_cast<uint16_t*>(y), n); return;
    case DType::kFloat32: std::memcpy(y, x, static_cast<size_t>(n) * sizeof(float)); return;
    default:
      visit_dtype(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* p = static_cast<T*>(y);
        for (int64_t i = 0; i < n; ++i) p[i] = static_cast<T>(x[i]);
      });
  }
}

UnaryLoop::UnaryLoop(Unary op, DType type) : type_(type), cost_(cost_of(op)) {
  if (type == DType::kFloat32) {
    direct_ = vmath().unary[static_cast<int>(op)];
  } else if (is_half_float(type)) {
    tile_ = vmath().unary[static_cast<int>(op)];
  } else if (type == DType::kFloat64) {
    direct_ = double_unary_row(op);
    cost_ *= 4;
  } else {
    direct_ = integer_unary_row(op, type);
    if (!direct_) tile_ = double_unary_row(op);
  }
}

void UnaryLoop::operator()(const void* x, void* y, int64_t n) const {
  if (direct_) return direct_(x, y, n);
  const auto size = static_cast<int64_t>(dtype_size(type_));
  alignas(64) char buffer[kTile * sizeof(double)];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t width = std::min(kTile, n - i);
    const void* from = static_cast<const char*>(x) + i * size;
    void* to = static_cast<char*>(y) + i * size;
    if (is_half_float(type_)) {
      float* tile = reinterpret_cast<float*>(buffer);
      load_floats(type_, from, tile, width);
      tile_(tile, tile, width);
      store_floats(type_, tile, to, width);
    } else {
      convert_elements(from, type_, buffer, DType::kFloat64, width);
      tile_(buffer, buffer, width);
      convert_elements(buffer, DType::kFloat64, to, type_, width);
    }
  }
}

BinaryLoop::BinaryLoop(Binary op, DType type) : type_(type) {
  if (op == Binary::kPower || op == Binary::kHypot || op == Binary::kMod) cost_ = 10;
  if (type == DType::kFloat32) {
    direct_ = vmath().binary[static_cast<int>(op)];
  } else if (is_half_float(type)) {
    tile_ = vmath().binary[static_cast<int>(op)];
  } else if (type == DType::kFloat64) {
    direct_ = double_binary_row(op);
  } else {
    direct_ = integer_binary_row(op, type);
    if (!direct_) tile_ = double_binary_row(op);
  }
}

BinaryLoop::BinaryLoop(UnaryGrad op, DType type) : type_(type), cost_(2) {
  if (type == DType::kFloat32) {
    direct_ = vmath().grad[static_cast<int>(op)];
  } else if (is_half_float(type)) {
    tile_ = vmath().grad[static_cast<int>(op)];
  } else if (type == DType::kFloat64) {
    direct_ = double_grad_row(op);
  } else {
    tile_ = double_grad_row(op);
  }
}

void BinaryLoop::operator()(const void* a, const void* b, void* y, int64_t n, int steps) const {
  if (direct_) return direct_(a, b, y, n, steps);
  const auto size = static_cast<int64_t>(dtype_size(type_));
  const int64_t step_a = steps & kStepA ? size : 0;
  const int64_t step_b = steps & kStepB ? size : 0;
  alignas(64) char buffer_a[kTile * sizeof(double)];
  alignas(64) char buffer_b[kTile * sizeof(double)];
  const bool narrow = is_half_float(type_);
  const auto fetch = [&](const void* from, char* to, int64_t width) {
    if (narrow) {
      load_floats(type_, from, reinterpret_cast<float*>(to), width);
    } else {
      convert_elements(from, type_, to, DType::kFloat64, width);
    }
  };
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t width = std::min(kTile, n - i);
    fetch(static_cast<const char*>(a) + i * step_a, buffer_a, step_a ? width : 1);
    fetch(static_cast<const char*>(b) + i * step_b, buffer_b, step_b ? width : 1);
    alignas(64) char result[kTile * sizeof(double)];
    tile_(buffer_a, buffer_b, result, width, steps);
    void* to = static_cast<char*>(y) + i * size;
    if (narrow) {
      store_floats(type_, reinterpret_cast<float*>(result), to, width);
    } else {
      convert_elements(result, DType::kFloat64, to, type_, width);
    }
  }
}

BroadcastPlan::BroadcastPlan(const Shape& out, const Shape& a, const Shape& b) {
  const auto sa = row_major_strides(a);
  const auto sb = row_major_strides(b);
  const auto stride_of = [&](const Shape& s, const auto& strides, int d) -> int64_t {
    const int i = d - (out.ndim() - s.ndim());
    return i < 0 || s[i] == 1 ? 0 : strides[i];
  };
  for (int d = 0; d < out.ndim(); ++d) {
    if (out[d] == 1) continue;
    const int64_t step_a = stride_of(a, sa, d);
    const int64_t step_b = stride_of(b, sb, d);
    if (ndim > 0 && stride_a[ndim - 1] == step_a * out[d] && stride_b[ndim - 1] == step_b * out[d]) {
      dims[ndim - 1] *= out[d];
      stride_a[ndim - 1] = step_a;
      stride_b[ndim - 1] = step_b;
      continue;
    }
    dims[ndim] = out[d];
    stride_a[ndim] = step_a;
    stride_b[ndim] = step_b;
    ++ndim;
  }
  if (ndim == 0) {
    dims[0] = 1;
    stride_a[0] = stride_b[0] = 0;
    ndim = 1;
  }
  for (int d = 0; d + 1 < ndim; ++d) outer *= dims[d];
}

Kernel make_unary_kernel(Unary op, const KernelContext& c) {
  const UnaryLoop loop(op, c.out_types[0]);
  const int64_t n = c.out_shapes[0].size();
  const auto size = static_cast<int64_t>(dtype_size(c.out_types[0]));
  return {[loop, n, size](const KernelArgs& args) {
    const char* x = args.input<char>(0);
    char* y = args.output<char>(0);
    parallel_for(n, loop.cost(), [&](int64_t begin, int64_t end) { loop(x + begin * size, y + begin * size, end - begin); });
  }};
}

namespace {

Kernel same_shape_kernel(const BinaryLoop& loop, int64_t n, int64_t size) {
  return {[loop, n, size](const KernelArgs& args) {
    const char* a = args.input<char>(0);
    const char* b = args.input<char>(1);
    char* y = args.output<char>(0);
    parallel_for(n, loop.cost(), [&](int64_t begin, int64_t end) {
      loop(a + begin * size, b + begin * size, y + begin * size, end - begin, kStepBoth);
    });
  }};
}

}  // namespace

Kernel make_grad_kernel(UnaryGrad op, const KernelContext& c) {
  return same_shape_kernel(BinaryLoop(op, c.out_types[0]), c.out_shapes[0].size(),
                           static_cast<int64_t>(dtype_size(c.out_types[0])));
}

Kernel make_binary_kernel(Binary op, const KernelContext& c) {
  const BinaryLoop loop(op, c.out_types[0]);
  const int64_t n = c.out_shapes[0].size();
  const auto size = static_cast<int64_t>(dtype_size(c.out_types[0]));
  if (n == 0) return {[](const KernelArgs&) {}};
  if (c.in_shapes[0] == c.in_shapes[1]) return same_shape_kernel(loop, n, size);
  const BroadcastPlan plan(c.out_shapes[0], c.in_shapes[0], c.in_shapes[1]);
  return {[loop, plan, size](const KernelArgs& args) {
    const char* a = args.input<char>(0);
    const char* b = args.input<char>(1);
    char* y = args.output<char>(0);
    const int64_t inner = plan.inner();
    const int steps = plan.steps();
    if (plan.outer < 8 && inner * loop.cost() >= kParallelGrain) {
      const int64_t step_a = steps & kStepA ? size : 0;
      const int64_t step_b = steps & kStepB ? size : 0;
      plan.rows(0, plan.outer, [&](int64_t oa, int64_t ob, int64_t oy) {
        parallel_for(inner, loop.cost(), [&](int64_t begin, int64_t end) {
          loop(a + oa * size + begin * step_a, b + ob * size + begin * step_b, y + (oy + begin) * size, end - begin, steps);
        });
      });
      return;
    }
    parallel_for(plan.outer, inner * loop.cost() + 5, [&](int64_t begin, int64_t end) {
      plan.rows(begin, end, [&](int64_t oa, int64_t ob, int64_t oy) {
        loop(a + oa * size, b + ob * size, y + oy * size, inner, steps);
      });
    });
  }};
}

Kernel make_scalar_kernel(Binary op, double scalar, bool reversed, const KernelContext& c) {
  const DType from = c.in_types[0], type = c.out_types[0];
  const BinaryLoop loop(op, type);
  const int64_t n = c.out_shapes[0].size();
  const auto in_size = static_cast<int64_t>(dtype_size(from));
  const auto out_size = static_cast<int64_t>(dtype_size(type));
  struct Value {
    alignas(8) char bytes[8];
  } value{};
  fill_elements(type, value.bytes, 1, scalar);
  return {[=](const KernelArgs& args) {
    const char* x = args.input<char>(0);
    char* y = args.output<char>(0);
    parallel_for(n, loop.cost(), [&](int64_t begin, int64_t end) {
      const auto run = [&](const void* data, char* to, int64_t count) {
        if (reversed) {
          loop(value.bytes, data, to, count, kStepB);
        } else {
          loop(data, value.bytes, to, count, kStepA);
        }
      };
      if (from == type) {
        run(x + begin * in_size, y + begin * out_size, end - begin);
        return;
      }
      alignas(64) char tile[kTile * sizeof(double)];
      for (int64_t i = begin; i < end; i += kTile) {
        const int64_t width = std::min(kTile, end - i);
        convert_elements(x + i * in_size, from, tile, type, width);
        run(tile, y + i * out_size, width);
      }
    });
  }};
}

Kernel make_copy_kernel(const KernelContext& c) {
  const int64_t bytes = c.out_shapes[0].size() * static_cast<int64_t>(dtype_size(c.out_types[0]));
  return {[bytes](const KernelArgs& args) {
    const char* x = args.input<char>(0);
    char* y = args.output<char>(0);
    if (x == y) return;
    parallel_for((bytes + 4095) / 4096, 400, [&](int64_t begin, int64_t end) {
      std::memcpy(y + begin * 4096, x + begin * 4096, static_cast<size_t>(std::min(bytes, end * 4096) - begin * 4096));
    });
  }};
}

Kernel make_cast_kernel(const KernelContext& c) {
  const DType from = c.in_types[0], to = c.out_types[0];
  if (from == to) return make_copy_kernel(c);
  const int64_t n = c.out_shapes[0].size();
  const auto in_size = static_cast<int64_t>(dtype_size(from));
  const auto out_size = static_cast<int64_t>(dtype_size(to));
  return {[=](const KernelArgs& args) {
    const char* x = args.input<char>(0);
    char* y = args.output<char>(0);
    parallel_for(n, 1, [&](int64_t begin, int64_t end) {
      const void* src = x + begin * in_size;
      void* dst = y + begin * out_size;
      if (to == DType::kFloat32) {
        load_floats(from, src, static_cast<float*>(dst), end - begin);
      } else if (from == DType::kFloat32 && is_half_float(to)) {
        store_floats(to, static_cast<const float*>(src), dst, end - begin);
      } else {
        convert_elements(src, from, dst, to, end - begin);
      }
    });
  }};
}

void fill_elements(DType type, void* y, int64_t n, double value) {
  visit_dtype(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T v;
    convert_elements(&value, DType::kFloat64, &v, DTypeOf<T>::value, 1);
    std::fill_n(static_cast<T*>(y), n, v);
  });
}

Kernel make_fill_kernel(double value, const KernelContext& c) {
  const DType type = c.out_types[0];
  const int64_t n = c.out_shapes[0].size();
  const auto size = static_cast<int64_t>(dtype_size(type));
  return {[=](const KernelArgs& args) {
    char* y = args.output<char>(0);
    parallel_for(n, 1, [&](int64_t begin, int64_t end) { fill_elements(type, y + begin * size, end - begin, value); });
  }};
}

}  // namespace mxnet
