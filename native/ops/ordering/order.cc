#include "ops/ordering/order.h"

#include <algorithm>

#include "tensor/dtype.h"

namespace mxnet {
namespace {

template <class T>
bool is_nan(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return value != value;
  }
}

template <class T, bool kAscend>
struct Before {
  bool operator()(const Ranked<T>& a, const Ranked<T>& b) const {
    if (a.value < b.value) return kAscend;
    if (b.value < a.value) return !kAscend;
    const bool nan_a = is_nan(a.value), nan_b = is_nan(b.value);
    if (nan_a != nan_b) return nan_b;
    return a.index < b.index;
  }
};

template <class T, class Compare>
void rank_by(Ranked<T>* items, int64_t n, int64_t k, Compare before) {
  if (k * 8 < n) {  // few of many: keep the best k in a sorted prefix, most elements cost one comparison
    std::sort(items, items + k, before);
    for (int64_t i = k; i < n && k > 0; ++i) {
      if (!before(items[i], items[k - 1])) continue;
      const Ranked<T> item = items[i];
      Ranked<T>* at = std::upper_bound(items, items + k, item, before);
      std::move_backward(at, items + k - 1, items + k);
      *at = item;
    }
  } else if (k < n) {
    std::partial_sort(items, items + k, items + n, before);
  } else {
    std::sort(items, items + n, before);
  }
}

}  // namespace

Lines lines_along(const Shape& shape, const std::optional<int>& axis, const char* op_name) {
  if (!axis) return {1, shape.size(), 1};
  const int a = normalize_axis(*axis, shape.ndim(), op_name);
  return {shape.product(0, a), shape[a], shape.product(a + 1, shape.ndim())};
}

template <class T>
void rank(Ranked<T>* items, int64_t n, int64_t k, bool ascend) {
  if (ascend) {
    rank_by(items, n, k, Before<T, true>{});
  } else {
    rank_by(items, n, k, Before<T, false>{});
  }
}

template void rank(Ranked<float>*, int64_t, int64_t, bool);
template void rank(Ranked<double>*, int64_t, int64_t, bool);
template void rank(Ranked<int64_t>*, int64_t, int64_t, bool);
template void rank(Ranked<int32_t>*, int64_t, int64_t, bool);

}  // namespace mxnet
