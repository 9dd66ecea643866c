#include "kernels/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/parallel.h"

namespace mxnet {
namespace {

constexpr int kFixedBits = 11;

void cubic_weights(float x, float* w) {  // Keys' kernel with a = -0.75
  constexpr float a = -0.75f;
  w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
  w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
  w[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
  w[3] = 1 - w[0] - w[1] - w[2];
}

void lanczos_weights(float x, float* w) {  // sinc(t) sinc(t / 4) at the distances of eight taps
  if (x < 1.1920929e-7f) {
    std::fill_n(w, 8, 0.0f);
    w[3] = 1;
    return;
  }
  double sum = 0;
  double value[8];
  for (int i = 0; i < 8; ++i) {
    const double t = std::numbers::pi * (static_cast<double>(x) + 3 - i);
    value[i] = std::sin(t) * std::sin(t / 4) / (t * t);
    sum += value[i];
  }
  for (int i = 0; i < 8; ++i) w[i] = static_cast<float>(value[i] / sum);
}

void set_fixed(ResizeAxis& axis) {
  for (float w : axis.weight) {
    axis.fixed.push_back(static_cast<int16_t>(
        std::clamp(std::nearbyint(static_cast<double>(w) * (1 << kFixedBits)), -32768.0, 32767.0)));
  }
}

ResizeAxis nearest_axis(int64_t source, int64_t target) {
  ResizeAxis axis{source, target, 1, {}, {}, {}};
  const double scale = 1.0 / (static_cast<double>(target) / static_cast<double>(source));
  for (int64_t d = 0; d < target; ++d) {
    axis.index.push_back(std::min(static_cast<int64_t>(std::floor(static_cast<double>(d) * scale)), source - 1));
    axis.weight.push_back(1);
  }
  return axis;
}

// Linear, cubic and Lanczos taps around the centre of each target position. `corner`: the positions that enlarging by
// area uses instead. `snap`: beyond the edge linear taps become one whole tap, which rounds differently in fixed point
// from two taps on the same element; the reference does so along x only.
ResizeAxis tap_axis(int64_t source, int64_t target, int interpolation, bool corner, bool snap) {
  const int taps = interpolation == kCubic ? 4 : interpolation == kLanczos ? 8 : 2;
  ResizeAxis axis{source, target, taps, {}, {}, {}};
  const double inverse = static_cast<double>(target) / static_cast<double>(source);
  const double scale = 1.0 / inverse;
  for (int64_t d = 0; d < target; ++d) {
    int64_t s;
    float f;
    if (corner) {
      s = static_cast<int64_t>(std::floor(static_cast<double>(d) * scale));
      f = static_cast<float>(static_cast<double>(d + 1) - static_cast<double>(s + 1) * inverse);
      f = f <= 0 ? 0.0f : f - std::floor(f);
    } else {
      f = static_cast<float>((static_cast<double>(d) + 0.5) * scale - 0.5);
      s = static_cast<int64_t>(std::floor(f));
      f -= static_cast<float>(s);
    }
    if (snap && taps == 2 && s < 0) {
      s = 0;
      f = 0;
    }
    if (snap && taps == 2 && s >= source - 1) {
      s = source - 1;
      f = 0;
    }
    float w[8] = {1 - f, f};
    if (interpolation == kCubic) cubic_weights(f, w);
    if (interpolation == kLanczos) lanczos_weights(f, w);
    for (int k = 0; k < taps; ++k) {
      axis.index.push_back(std::clamp<int64_t>(s - taps / 2 + 1 + k, 0, source - 1));
      axis.weight.push_back(w[k]);
    }
  }
  return axis;
}

// The share of every source position in each target cell.
ResizeAxis area_axis(int64_t source, int64_t target) {
  const double scale = 1.0 / (static_cast<double>(target) / static_cast<double>(source));
  ResizeAxis axis{source, target, static_cast<int>(std::ceil(scale)) + 2, {}, {}, {}};
  for (int64_t d = 0; d < target; ++d) {
    const double begin = static_cast<double>(d) * scale;
    const double end = begin + scale;
    const double cell = std::min(scale, static_cast<double>(source) - begin);
    const int64_t last = std::min(static_cast<int64_t>(std::floor(end)), source - 1);
    const int64_t first = std::min(static_cast<int64_t>(std::ceil(begin)), last);
    std::vector<std::pair<int64_t, float>> parts;
    if (static_cast<double>(first) - begin > 1e-3)
      parts.emplace_back(first - 1, static_cast<float>((static_cast<double>(first) - begin) / cell));
    for (int64_t s = first; s < last; ++s) parts.emplace_back(s, static_cast<float>(1 / cell));
    const double rest = end - static_cast<double>(last);
    if (rest > 1e-3) parts.emplace_back(last, static_cast<float>(std::min(std::min(rest, 1.0), cell) / cell));
    parts.resize(static_cast<size_t>(axis.taps), {first, 0.0f});
    for (const auto& [s, w] : parts) {
      axis.index.push_back(s);
      axis.weight.push_back(w);
    }
  }
  return axis;
}

uint8_t to_byte(float v) { return static_cast<uint8_t>(std::clamp(std::nearbyint(v), 0.0f, 255.0f)); }

}  // namespace

ImageResize::ImageResize(int64_t height, int64_t width, int64_t channels, int64_t out_height, int64_t out_width,
                         int interpolation, DType type)
    : channels_(channels), type_(type) {
  require(type == DType::kUint8 || type == DType::kFloat32 || type == DType::kFloat64,
          "images to resize must be uint8, float32 or float64, not ", type);
  require(interpolation >= kNearest && interpolation <= kLanczos,
          "interp must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area) or 4 (Lanczos), not ", interpolation);
  require(height > 0 && width > 0 && out_height > 0 && out_width > 0, "cannot resize an image of ", height, " by ",
          width, " to ", out_height, " by ", out_width);
  const bool halved = height == 2 * out_height && width == 2 * out_width;
  if (interpolation == kNearest) {
    x_ = nearest_axis(width, out_width);
    y_ = nearest_axis(height, out_height);
  } else if ((interpolation == kArea && width >= out_width && height >= out_height) ||
             (interpolation == kLinear && halved)) {
    x_ = area_axis(width, out_width);
    y_ = area_axis(height, out_height);
    average_ = halved;
  } else {
    const bool corner = interpolation == kArea;
    x_ = tap_axis(width, out_width, interpolation, corner, true);
    y_ = tap_axis(height, out_height, interpolation, corner, false);
    fixed_ = type == DType::kUint8;
    if (fixed_) {
      set_fixed(x_);
      set_fixed(y_);
    }
  }
}

size_t ImageResize::workspace_bytes() const {  // every source row, resized horizontally
  return static_cast<size_t>(y_.source * x_.target * channels_) * std::max<size_t>(sizeof(float), dtype_size(type_));
}

template <class T>
void ImageResize::run_float(const T* src, T* dst, T* rows) const {
  const int64_t row = x_.target * channels_;
  parallel_for(y_.source, row * x_.taps * 2, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const T* in = src + s * x_.source * channels_;
      T* out = rows + s * row;
      for (int64_t d = 0; d < x_.target; ++d) {
        for (int64_t c = 0; c < channels_; ++c) {
          T sum = 0;
          for (int k = 0; k < x_.taps; ++k)
            sum += in[x_.index[d * x_.taps + k] * channels_ + c] * x_.weight[d * x_.taps + k];
          out[d * channels_ + c] = sum;
        }
      }
    }
  });
  parallel_for(y_.target, row * y_.taps, [&](int64_t begin, int64_t end) {
    for (int64_t d = begin; d < end; ++d) {
      T* out = dst + d * row;
      std::fill_n(out, row, T(0));
      for (int k = 0; k < y_.taps; ++k) {
        const T* in = rows + y_.index[d * y_.taps + k] * row;
        const T w = y_.weight[d * y_.taps + k];
        for (int64_t i = 0; i < row; ++i) out[i] += in[i] * w;
      }
    }
  });
}

void ImageResize::run_fixed(const uint8_t* src, uint8_t* dst, int32_t* rows) const {
  const int64_t row = x_.target * channels_;
  parallel_for(y_.source, row * x_.taps * 2, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const uint8_t* in = src + s * x_.source * channels_;
      int32_t* out = rows + s * row;
      for (int64_t d = 0; d < x_.target; ++d) {
        for (int64_t c = 0; c < channels_; ++c) {
          int32_t sum = 0;
          for (int k = 0; k < x_.taps; ++k)
            sum += in[x_.index[d * x_.taps + k] * channels_ + c] * x_.fixed[d * x_.taps + k];
          out[d * channels_ + c] = sum;
        }
      }
    }
  });
  parallel_for(y_.target, row * y_.taps * 2, [&](int64_t begin, int64_t end) {
    for (int64_t d = begin; d < end; ++d) {
      uint8_t* out = dst + d * row;
      const int64_t* index = &y_.index[d * y_.taps];
      const int16_t* weight = &y_.fixed[d * y_.taps];
      if (y_.taps == 2) {  // in 16-bit halves, as the reference's vector code does
        const int32_t* a = rows + index[0] * row;
        const int32_t* b = rows + index[1] * row;
        for (int64_t i = 0; i < row; ++i) {
          out[i] =
              static_cast<uint8_t>((((weight[0] * (a[i] >> 4)) >> 16) + ((weight[1] * (b[i] >> 4)) >> 16) + 2) >> 2);
        }
        continue;
      }
      for (int64_t i = 0; i < row; ++i) {
        int64_t sum = int64_t{1} << (2 * kFixedBits - 1);
        for (int k = 0; k < y_.taps; ++k) sum += static_cast<int64_t>(rows[index[k] * row + i]) * weight[k];
        out[i] = static_cast<uint8_t>(std::clamp<int64_t>(sum >> (2 * kFixedBits), 0, 255));
      }
    }
  });
}

void ImageResize::run(const void* src, void* dst, void* workspace) const {
  if (type_ == DType::kFloat32)
    return run_float(static_cast<const float*>(src), static_cast<float*>(dst), static_cast<float*>(workspace));
  if (type_ == DType::kFloat64)
    return run_float(static_cast<const double*>(src), static_cast<double*>(dst), static_cast<double*>(workspace));
  const auto* in = static_cast<const uint8_t*>(src);
  auto* out = static_cast<uint8_t*>(dst);
  if (fixed_) return run_fixed(in, out, static_cast<int32_t*>(workspace));
  // Nearest and area: a weighted sum of single elements.
  parallel_for(y_.target, x_.target * channels_ * x_.taps * y_.taps, [&](int64_t begin, int64_t end) {
    for (int64_t d = begin; d < end; ++d) {
      for (int64_t e = 0; e < x_.target; ++e) {
        for (int64_t c = 0; c < channels_; ++c) {
          float sum = 0;
          for (int j = 0; j < y_.taps; ++j) {
            const float w = y_.weight[d * y_.taps + j];
            if (w == 0) continue;
            const uint8_t* row = in + y_.index[d * y_.taps + j] * x_.source * channels_ + c;
            float part = 0;
            for (int k = 0; k < x_.taps; ++k)
              part += static_cast<float>(row[x_.index[e * x_.taps + k] * channels_]) * x_.weight[e * x_.taps + k];
            sum += part * w;
          }
          out[(d * x_.target + e) * channels_ + c] = average_ ? static_cast<uint8_t>(sum + 0.5f) : to_byte(sum);
        }
      }
    }
  });
}

void ImageResize::run_adjoint(const void* grad, void* result) const {
  const auto typed = [&](auto tag) {
    using T = decltype(tag);
    const T* dy = static_cast<const T*>(grad);
    T* dx = static_cast<T*>(result);
    std::fill_n(dx, y_.source * x_.source * channels_, T(0));
    for (int64_t d = 0; d < y_.target; ++d) {
      for (int j = 0; j < y_.taps; ++j) {
        const T wy = y_.weight[d * y_.taps + j];
        T* row = dx + y_.index[d * y_.taps + j] * x_.source * channels_;
        for (int64_t e = 0; e < x_.target; ++e) {
          for (int k = 0; k < x_.taps; ++k) {
            const T w = wy * x_.weight[e * x_.taps + k];
            T* at = row + x_.index[e * x_.taps + k] * channels_;
            for (int64_t c = 0; c < channels_; ++c) at[c] += w * dy[(d * x_.target + e) * channels_ + c];
          }
        }
      }
    }
  };
  if (type_ == DType::kFloat32) return typed(float{});
  if (type_ == DType::kFloat64) return typed(double{});
  fail("only floating-point images have gradients, not ", type_);
}

}  // namespace mxnet
