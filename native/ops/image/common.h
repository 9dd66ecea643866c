// Images are (height, width, channels) or batches (batch, height, width, channels).
#pragma once

#include <string>

#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {

struct ImageSize {
  int64_t batch, height, width, channels;
  int64_t pixels() const { return height * width; }
  int64_t size() const { return height * width * channels; }
};

inline void require_image(const Shape& shape, const char* name) {
  require(shape.ndim() == 3 || shape.ndim() == 4, "operator ", name,
          ": an image must have shape (height, width, channels) or (batch, height, width, channels), not ", shape);
}

inline ImageSize image_size(const Shape& shape) {
  const int first = shape.ndim() - 3;
  return {first ? shape[0] : 1, shape[first], shape[first + 1], shape[first + 2]};
}

// A float brought into the range of T and cut towards zero.
template <class T>
T saturate(float value) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto low = static_cast<float>(std::numeric_limits<T>::lowest());
    constexpr auto high = static_cast<float>(std::numeric_limits<T>::max());
    if (!(value > low)) return std::numeric_limits<T>::lowest();
    if (value >= high) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

}  // namespace mxnet
