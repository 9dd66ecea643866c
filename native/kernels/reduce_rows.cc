#include "kernels/reduce_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mxnet {
namespace {

// Sums and products of integers wrap round.
template <class Acc>
Acc plus(Acc a, Acc b) {
  if constexpr (std::is_same_v<Acc, double>) return a + b;
  else return static_cast<Acc>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class Acc>
Acc times(Acc a, Acc b) {
  if constexpr (std::is_same_v<Acc, double>) return a * b;
  else return static_cast<Acc>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class Acc>
bool is_nan(Acc a) {
  return a != a;
}

template <class Acc> struct Sum {
  static Acc start() { return 0; }
  static Acc map(Acc x) { return x; }
  static Acc join(Acc a, Acc b) { return plus(a, b); }
};
template <class Acc> struct SumSquares : Sum<Acc> { static Acc map(Acc x) { return times(x, x); } };
template <class Acc> struct SumAbs : Sum<Acc> { static Acc map(Acc x) { return x < 0 ? -x : x; } };
template <class Acc> struct NanSum : Sum<Acc> { static Acc map(Acc x) { return is_nan(x) ? Acc(0) : x; } };
template <class Acc> struct Prod {
  static Acc start() { return 1; }
  static Acc map(Acc x) { return x; }
  static Acc join(Acc a, Acc b) { return times(a, b); }
};
template <class Acc> struct NanProd : Prod<Acc> { static Acc map(Acc x) { return is_nan(x) ? Acc(1) : x; } };
template <class Acc> struct Max {
  static Acc start() {
    return std::numeric_limits<Acc>::has_infinity ? -std::numeric_limits<Acc>::infinity() : std::numeric_limits<Acc>::lowest();
  }
  static Acc map(Acc x) { return x; }
  static Acc join(Acc a, Acc b) { return b > a || is_nan(b) ? b : a; }
};
template <class Acc> struct Min {
  static Acc start() {
    return std::numeric_limits<Acc>::has_infinity ? std::numeric_limits<Acc>::infinity() : std::numeric_limits<Acc>::max();
  }
  static Acc map(Acc x) { return x; }
  static Acc join(Acc a, Acc b) { return b < a || is_nan(b) ? b : a; }
};

template <class R, class T, class Acc>
Acc row(const void* px, int64_t n) {
  const T* x = static_cast<const T*>(px);
  Acc a[4] = {R::start(), R::start(), R::start(), R::start()};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) a[k] = R::join(a[k], R::map(static_cast<Acc>(x[i + k])));
  }
  for (; i < n; ++i) a[0] = R::join(a[0], R::map(static_cast<Acc>(x[i])));
  return R::join(R::join(a[0], a[1]), R::join(a[2], a[3]));
}

template <class R, class T, class Acc>
void columns(const void* px, int64_t stride, int64_t rows, int64_t n, Acc* y) {
  std::fill_n(y, n, R::start());
  for (int64_t r = 0; r < rows; ++r) {
    const T* x = static_cast<const T*>(px) + r * stride;
    for (int64_t j = 0; j < n; ++j) y[j] = R::join(y[j], R::map(static_cast<Acc>(x[j])));
  }
}

template <class T, class Acc>
ReduceRows<Acc> rows_of(Reduce op) {
  switch (op) {
    case Reduce::kSum: return {row<Sum<Acc>, T, Acc>, columns<Sum<Acc>, T, Acc>};
    case Reduce::kSumSquares: return {row<SumSquares<Acc>, T, Acc>, columns<SumSquares<Acc>, T, Acc>};
    case Reduce::kSumAbs: return {row<SumAbs<Acc>, T, Acc>, columns<SumAbs<Acc>, T, Acc>};
    case Reduce::kMax: return {row<Max<Acc>, T, Acc>, columns<Max<Acc>, T, Acc>};
    case Reduce::kMin: return {row<Min<Acc>, T, Acc>, columns<Min<Acc>, T, Acc>};
    case Reduce::kProd: return {row<Prod<Acc>, T, Acc>, columns<Prod<Acc>, T, Acc>};
    case Reduce::kNanSum: return {row<NanSum<Acc>, T, Acc>, columns<NanSum<Acc>, T, Acc>};
    case Reduce::kNanProd: return {row<NanProd<Acc>, T, Acc>, columns<NanProd<Acc>, T, Acc>};
    case Reduce::kCount: break;
  }
  return {};
}

}  // namespace

ReduceRows<double> float_reduce_rows(Reduce op, DType type) {
  switch (type) {
    case DType::kFloat64: return rows_of<double, double>(op);
    case DType::kFloat16: return rows_of<half, double>(op);
    case DType::kBfloat16: return rows_of<bfloat16, double>(op);
    default: return {};
  }
}

ReduceRows<int64_t> integer_reduce_rows(Reduce op, DType type) {
  switch (type) {
    case DType::kUint8: return rows_of<uint8_t, int64_t>(op);
    case DType::kInt8: return rows_of<int8_t, int64_t>(op);
    case DType::kInt32: return rows_of<int32_t, int64_t>(op);
    case DType::kInt64: return rows_of<int64_t, int64_t>(op);
    case DType::kBool: return rows_of<bool, int64_t>(op);
    default: return {};
  }
}

}  // namespace mxnet
