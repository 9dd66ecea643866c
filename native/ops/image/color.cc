// Image operators that change colours: brightness, contrast, saturation, hue, lighting, and their random forms.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "ops/image/common.h"

namespace mxnet {
namespace {

struct FactorParam {
  float min_factor;
  float max_factor;
};
struct JitterParam {
  float brightness, contrast, saturation, hue;
};
struct AlphaParam {
  std::vector<float> alpha;
};
struct AlphaStdParam {
  float alpha_std = 0.05f;
};

// Luma of ITU-R BT.601.
constexpr float kRed = 0.299f, kGreen = 0.587f, kBlue = 0.114f;

// Each function turns pixels [begin, end) of one image; `in` and `out` may be the same memory.
template <class T>
struct Image {
  const T* in;
  T* out;
  int64_t pixels;
  int64_t channels;
};

template <class T, class Body>
void for_pixels(const Image<T>& image, const Body& body) {
  parallel_for(image.pixels, 8 * image.channels, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(image.in + i * image.channels, image.out + i * image.channels);
  });
}

template <class T>
float luma(const T* p) {
  return kRed * static_cast<float>(p[0]) + kGreen * static_cast<float>(p[1]) + kBlue * static_cast<float>(p[2]);
}

template <class T>
void adjust_brightness(const Image<T>& image, float factor) {
  for_pixels(image, [&](const T* in, T* out) {
    for (int64_t c = 0; c < image.channels; ++c) out[c] = saturate<T>(static_cast<float>(in[c]) * factor);
  });
}

// Towards the mean luma of the image.
template <class T>
void adjust_contrast(const Image<T>& image, float factor) {
  double sum = 0;
  for (int64_t i = 0; i < image.pixels; ++i) {
    const T* p = image.in + i * image.channels;
    sum += static_cast<double>(image.channels == 3 ? luma(p) : static_cast<float>(p[0]));
  }
  const float mean = image.pixels > 0 ? static_cast<float>(sum / static_cast<double>(image.pixels)) : 0.0f;
  const float shift = mean * (1 - factor);
  for_pixels(image, [&](const T* in, T* out) {
    for (int64_t c = 0; c < image.channels; ++c) out[c] = saturate<T>(static_cast<float>(in[c]) * factor + shift);
  });
}

template <class T>
void copy_image(const Image<T>& image) {
  if (image.in != image.out)
    std::memcpy(image.out, image.in, static_cast<size_t>(image.pixels * image.channels) * sizeof(T));
}

// Towards the luma of each pixel.
template <class T>
void adjust_saturation(const Image<T>& image, float factor) {
  if (image.channels != 3) return copy_image(image);
  for_pixels(image, [&](const T* in, T* out) {
    const float grey = luma(in) * (1 - factor);
    for (int c = 0; c < 3; ++c) out[c] = saturate<T>(static_cast<float>(in[c]) * factor + grey);
  });
}

// Hue (degrees), lightness and saturation of a colour with components in [0, 1], and back.
std::array<float, 3> rgb_to_hls(float r, float g, float b) {
  const float high = std::max({r, g, b});
  const float low = std::min({r, g, b});
  const float span = high - low;
  const float lightness = (high + low) * 0.5f;
  if (span <= 1.1920929e-7f) return {0, lightness, 0};
  const float saturation = span / (lightness < 0.5f ? high + low : 2 - high - low);
  const float scale = 60 / span;
  float hue = high == r ? (g - b) * scale : high == g ? (b - r) * scale + 120 : (r - g) * scale + 240;
  if (hue < 0) hue += 360;
  return {hue, lightness, saturation};
}

std::array<float, 3> hls_to_rgb(float hue, float lightness, float saturation) {
  if (saturation == 0) return {lightness, lightness, lightness};
  const float high = lightness <= 0.5f ? lightness * (1 + saturation) : lightness + saturation - lightness * saturation;
  const float low = 2 * lightness - high;
  float sector = hue * (1.0f / 60.0f);
  while (sector < 0) sector += 6;
  while (sector >= 6) sector -= 6;
  const int part = static_cast<int>(sector);
  const float rest = sector - static_cast<float>(part);
  const float up = low + (high - low) * rest;
  const float down = low + (high - low) * (1 - rest);
  switch (part) {
    case 0:
      return {high, up, low};
    case 1:
      return {down, high, low};
    case 2:
      return {low, high, up};
    case 3:
      return {low, down, high};
    case 4:
      return {up, low, high};
    default:
      return {high, low, down};
  }
}

// Turns the hue by `turns` of the colour circle.
template <class T>
void adjust_hue(const Image<T>& image, float turns) {
  if (image.channels != 3 || !std::isfinite(turns)) return copy_image(image);
  turns -= std::trunc(turns);
  for_pixels(image, [&](const T* in, T* out) {
    const auto [h, l, s] =
        rgb_to_hls(static_cast<float>(in[0]) / 255, static_cast<float>(in[1]) / 255, static_cast<float>(in[2]) / 255);
    const auto rgb = hls_to_rgb(h + turns * 360, l, s);
    for (size_t c = 0; c < 3; ++c) out[c] = saturate<T>(rgb[c] * 255);
  });
}

// Adds the principal components of the colours of ImageNet, each scaled by its alpha. Krizhevsky et al. (2012).
template <class T>
void adjust_lighting(const Image<T>& image, const std::array<float, 3>& alpha) {
  if (image.channels != 3) return copy_image(image);
  constexpr float kValues[3] = {55.46f, 4.794f, 1.148f};
  constexpr float kVectors[3][3] = {
      {-0.5675f, 0.7192f, 0.4009f}, {-0.5808f, -0.0045f, -0.8140f}, {-0.5836f, -0.6948f, 0.4203f}};
  float shift[3] = {};
  for (int c = 0; c < 3; ++c) {
    for (size_t k = 0; k < 3; ++k) shift[c] += kVectors[c][k] * kValues[k] * alpha[k];
  }
  for_pixels(image, [&](const T* in, T* out) {
    for (int c = 0; c < 3; ++c) out[c] = saturate<T>(static_cast<float>(in[c]) + shift[c]);
  });
}

// The random numbers of one image, as floats in [0, 1).
class Numbers {
 public:
  explicit Numbers(const Philox& stream, uint64_t image) : lane_(stream, image, 4) {}
  float between(float low, float high) { return low + (high - low) * Philox::unit_float(lane_.bits()); }
  float normal(float deviation) { return deviation * static_cast<float>(lane_.normal()); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{lane_.bits()} * n) >> 32); }

 private:
  PhiloxLane lane_;
};

constexpr uint64_t kImageBlocks = 4;

// A kernel that applies f(image, numbers) to every image of the batch.
template <class F>
Kernel color_kernel(const KernelContext& c, F f) {
  const ImageSize s = image_size(c.in_shapes[0]);
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      const Philox stream = a.random->take(static_cast<uint64_t>(s.batch) * kImageBlocks);
      for (int64_t n = 0; n < s.batch; ++n) {
        Numbers numbers(stream, static_cast<uint64_t>(n));
        f(Image<T>{a.input<T>(0) + n * s.size(), a.output<T>(0) + n * s.size(), s.pixels(), s.channels}, numbers);
      }
    }};
  });
}

OpDef& color_op(const char* name, const char* alias) {
  return register_op(name)
      .alias({alias})
      .infer_shape([=](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        infer_same_shape(attrs, in, out);
        if (!in[0].ndim_known()) return;
        require_image(in[0], name);
        const int64_t channels = in[0].back();
        require(channels < 0 || channels == 1 || channels == 3, "operator ", name,
                ": an image must have 1 or 3 channels, got shape ", in[0]);
      })
      .infer_type(infer_same_type)
      .inplace(0, 0)
      // The adjustment is treated as the identity.
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.out_grad()};
      });
}

Params<FactorParam> factor_params() {
  return Params<FactorParam>()
      .required("min_factor", &FactorParam::min_factor, "Lower bound of the random factor.")
      .required("max_factor", &FactorParam::max_factor, "Upper bound of the random factor.");
}

}  // namespace

MXNET_REGISTER(image_color) {
  color_op("_image_random_brightness", "_npx__image_random_brightness")
      .doc("Multiplies an image by a random factor.")
      .params(factor_params())
      .random()
      .kernel([](const KernelContext& c) {
        return color_kernel(c, [p = c.attrs.get<FactorParam>()](const auto& image, Numbers& numbers) {
          adjust_brightness(image, numbers.between(p.min_factor, p.max_factor));
        });
      });
  color_op("_image_random_contrast", "_npx__image_random_contrast")
      .doc("Moves an image away from its mean grey by a random factor.")
      .params(factor_params())
      .random()
      .kernel([](const KernelContext& c) {
        return color_kernel(c, [p = c.attrs.get<FactorParam>()](const auto& image, Numbers& numbers) {
          adjust_contrast(image, numbers.between(p.min_factor, p.max_factor));
        });
      });
  color_op("_image_random_saturation", "_npx__image_random_saturation")
      .doc("Moves each pixel away from its grey by a random factor.")
      .params(factor_params())
      .random()
      .kernel([](const KernelContext& c) {
        return color_kernel(c, [p = c.attrs.get<FactorParam>()](const auto& image, Numbers& numbers) {
          adjust_saturation(image, numbers.between(p.min_factor, p.max_factor));
        });
      });
  color_op("_image_random_hue", "_npx__image_random_hue")
      .doc("Turns the hue of an image by a random part of the colour circle.")
      .params(factor_params())
      .random()
      .kernel([](const KernelContext& c) {
        return color_kernel(c, [p = c.attrs.get<FactorParam>()](const auto& image, Numbers& numbers) {
          adjust_hue(image, numbers.between(p.min_factor, p.max_factor));
        });
      });
  color_op("_image_random_color_jitter", "_npx__image_random_color_jitter")
      .doc("Random brightness, contrast, saturation and hue in random order.")
      .params(Params<JitterParam>()
                  .required("brightness", &JitterParam::brightness, "Largest change of the brightness.")
                  .required("contrast", &JitterParam::contrast, "Largest change of the contrast.")
                  .required("saturation", &JitterParam::saturation, "Largest change of the saturation.")
                  .required("hue", &JitterParam::hue, "Largest turn of the hue."))
      .random()
      .kernel([](const KernelContext& c) {
        return color_kernel(c, [p = c.attrs.get<JitterParam>()](auto image, Numbers& numbers) {
          std::array<int, 4> order{0, 1, 2, 3};
          for (uint32_t i = 3; i > 0; --i) std::swap(order[i], order[numbers.below(i + 1)]);
          copy_image(image);
          image.in = image.out;
          const auto factor = [&](float change) { return numbers.between(std::max(0.0f, 1 - change), 1 + change); };
          for (int step : order) {
            if (step == 0 && p.brightness > 0) adjust_brightness(image, factor(p.brightness));
            if (step == 1 && p.contrast > 0) adjust_contrast(image, factor(p.contrast));
            if (step == 2 && p.saturation > 0) adjust_saturation(image, factor(p.saturation));
            if (step == 3 && p.hue > 0) adjust_hue(image, numbers.between(-p.hue, p.hue));
          }
        });
      });
  color_op("_image_adjust_lighting", "_npx__image_adjust_lighting")
      .doc("Adds the principal components of the colours of ImageNet. Krizhevsky et al. (2012).")
      .params(Params<AlphaParam>().required("alpha", &AlphaParam::alpha, "Weights of the three components."))
      .kernel([](const KernelContext& c) {
        const auto& alpha = c.attrs.get<AlphaParam>().alpha;
        require(alpha.size() == 3, "operator _image_adjust_lighting: alpha must have 3 numbers, not ", alpha.size());
        return color_kernel(c, [weights = std::array<float, 3>{alpha[0], alpha[1], alpha[2]}](
                                   const auto& image, Numbers&) { adjust_lighting(image, weights); });
      });
  color_op("_image_random_lighting", "_npx__image_random_lighting")
      .doc("_image_adjust_lighting with normally distributed weights.")
      .params(
          Params<AlphaStdParam>().field("alpha_std", &AlphaStdParam::alpha_std, "Standard deviation of the weights."))
      .random()
      .kernel([](const KernelContext& c) {
        return color_kernel(
            c, [deviation = c.attrs.get<AlphaStdParam>().alpha_std](const auto& image, Numbers& numbers) {
              adjust_lighting(image, {numbers.normal(deviation), numbers.normal(deviation), numbers.normal(deviation)});
            });
      });
}

}  // namespace mxnet
