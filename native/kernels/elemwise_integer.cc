#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/elemwise_rows.h"

namespace mxnet {
namespace {

// Arithmetic that wraps round, as integers do in every array library, without signed overflow.
template <class T>
using wide_t = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
T wrap(wide_t<T> x) {
  return static_cast<T>(x);
}
template <class T>
wide_t<T> wide(T x) {
  return static_cast<wide_t<T>>(x);
}

struct Abs { template <class T> static T apply(T x) { return x < T(0) ? wrap<T>(0 - wide(x)) : x; } };
struct Sign { template <class T> static T apply(T x) { return static_cast<T>((x > T(0)) - (x < T(0))); } };
struct Same { template <class T> static T apply(T x) { return x; } };
struct Negative { template <class T> static T apply(T x) { return wrap<T>(0 - wide(x)); } };
struct Square { template <class T> static T apply(T x) { return wrap<T>(wide(x) * wide(x)); } };
struct Relu { template <class T> static T apply(T x) { return x > T(0) ? x : T(0); } };
struct LogicalNot { template <class T> static T apply(T x) { return static_cast<T>(x == T(0)); } };

struct Add { template <class T> static T apply(T a, T b) { return wrap<T>(wide(a) + wide(b)); } };
struct Sub { template <class T> static T apply(T a, T b) { return wrap<T>(wide(a) - wide(b)); } };
struct Mul { template <class T> static T apply(T a, T b) { return wrap<T>(wide(a) * wide(b)); } };
struct Div {  // truncates; a division by zero gives zero, one by -1 wraps
  template <class T> static T apply(T a, T b) {
    if (b == T(0)) return T(0);
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return Negative::apply(a);
    }
    return static_cast<T>(a / b);
  }
};
struct Mod {  // the sign of the divisor; zero for a zero divisor
  template <class T> static T apply(T a, T b) {
    if (b == T(0)) return T(0);
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return T(0);
      const T r = static_cast<T>(a % b);
      return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    } else {
      return static_cast<T>(a % b);
    }
  }
};
template <class T>
T from_double(double x) {  // what lies outside T's range becomes what the hardware's conversion to int64 gives
  if (!(x > -9.2e18 && x < 9.2e18)) return static_cast<T>(std::numeric_limits<int64_t>::min());
  return static_cast<T>(static_cast<int64_t>(x));
}
struct Power { template <class T> static T apply(T a, T b) { return from_double<T>(std::pow(static_cast<double>(a), static_cast<double>(b))); } };
struct Hypot { template <class T> static T apply(T a, T b) { return from_double<T>(std::hypot(static_cast<double>(a), static_cast<double>(b))); } };
struct Maximum { template <class T> static T apply(T a, T b) { return a > b ? a : b; } };
struct Minimum { template <class T> static T apply(T a, T b) { return a < b ? a : b; } };
struct Equal { template <class T> static T apply(T a, T b) { return static_cast<T>(a == b); } };
struct NotEqual { template <class T> static T apply(T a, T b) { return static_cast<T>(a != b); } };
struct Greater { template <class T> static T apply(T a, T b) { return static_cast<T>(a > b); } };
struct GreaterEqual { template <class T> static T apply(T a, T b) { return static_cast<T>(a >= b); } };
struct Lesser { template <class T> static T apply(T a, T b) { return static_cast<T>(a < b); } };
struct LesserEqual { template <class T> static T apply(T a, T b) { return static_cast<T>(a <= b); } };
struct LogicalAnd { template <class T> static T apply(T a, T b) { return static_cast<T>((a != T(0)) & (b != T(0))); } };
struct LogicalOr { template <class T> static T apply(T a, T b) { return static_cast<T>((a != T(0)) | (b != T(0))); } };
struct LogicalXor { template <class T> static T apply(T a, T b) { return static_cast<T>((a != T(0)) ^ (b != T(0))); } };

template <class Op, class T>
void unary_row(const void* px, void* py, int64_t n) {
  const T* x = static_cast<const T*>(px);
  T* y = static_cast<T*>(py);
  for (int64_t i = 0; i < n; ++i) y[i] = Op::template apply<T>(x[i]);
}

template <class Op, class T>
void binary_row(const void* pa, const void* pb, void* py, int64_t n, int steps) {
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  T* y = static_cast<T*>(py);
  if (steps == kStepBoth) {
    for (int64_t i = 0; i < n; ++i) y[i] = Op::template apply<T>(a[i], b[i]);
    return;
  }
  const int64_t step_a = steps & kStepA ? 1 : 0;
  const int64_t step_b = steps & kStepB ? 1 : 0;
  for (int64_t i = 0; i < n; ++i) y[i] = Op::template apply<T>(a[i * step_a], b[i * step_b]);
}

template <class T>
UnaryRow unary_for(Unary op) {
  switch (op) {
    case Unary::kAbs: return unary_row<Abs, T>;
    case Unary::kSign: return unary_row<Sign, T>;
    case Unary::kRint:
    case Unary::kRound:
    case Unary::kCeil:
    case Unary::kFloor:
    case Unary::kTrunc: return unary_row<Same, T>;
    case Unary::kNegative: return unary_row<Negative, T>;
    case Unary::kSquare: return unary_row<Square, T>;
    case Unary::kRelu: return unary_row<Relu, T>;
    case Unary::kLogicalNot: return unary_row<LogicalNot, T>;
    default: return nullptr;
  }
}

template <class T>
BinaryRow binary_for(Binary op) {
  switch (op) {
    case Binary::kAdd: return binary_row<Add, T>;
    case Binary::kSub: return binary_row<Sub, T>;
    case Binary::kMul: return binary_row<Mul, T>;
    case Binary::kDiv: return binary_row<Div, T>;
    case Binary::kMod: return binary_row<Mod, T>;
    case Binary::kPower: return binary_row<Power, T>;
    case Binary::kMaximum: return binary_row<Maximum, T>;
    case Binary::kMinimum: return binary_row<Minimum, T>;
    case Binary::kHypot: return binary_row<Hypot, T>;
    case Binary::kEqual: return binary_row<Equal, T>;
    case Binary::kNotEqual: return binary_row<NotEqual, T>;
    case Binary::kGreater: return binary_row<Greater, T>;
    case Binary::kGreaterEqual: return binary_row<GreaterEqual, T>;
    case Binary::kLesser: return binary_row<Lesser, T>;
    case Binary::kLesserEqual: return binary_row<LesserEqual, T>;
    case Binary::kLogicalAnd: return binary_row<LogicalAnd, T>;
    case Binary::kLogicalOr: return binary_row<LogicalOr, T>;
    case Binary::kLogicalXor: return binary_row<LogicalXor, T>;
    default: return nullptr;
  }
}

}  // namespace

UnaryRow integer_unary_row(Unary op, DType type) {
  switch (type) {
    case DType::kUint8: return unary_for<uint8_t>(op);
    case DType::kInt8: return unary_for<int8_t>(op);
    case DType::kInt32: return unary_for<int32_t>(op);
    case DType::kInt64: return unary_for<int64_t>(op);
    case DType::kBool: return unary_for<bool>(op);
    default: return nullptr;
  }
}

BinaryRow integer_binary_row(Binary op, DType type) {
  switch (type) {
    case DType::kUint8: return binary_for<uint8_t>(op);
    case DType::kInt8: return binary_for<int8_t>(op);
    case DType::kInt32: return binary_for<int32_t>(op);
    case DType::kInt64: return binary_for<int64_t>(op);
    case DType::kBool: return binary_for<bool>(op);
    default: return nullptr;
  }
}

}  // namespace mxnet
