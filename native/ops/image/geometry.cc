// Image operators that move pixels: to_tensor, normalize, crop, resize, flips and their random forms.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/parallel.h"
#include "kernels/resize.h"
#include "ops/image/common.h"
#include "ops/shape/common.h"

namespace mxnet {
namespace {

struct NormalizeParam {
  std::vector<float> mean{0, 0, 0, 0};
  std::vector<float> std{1, 1, 1, 1};
};
struct CropParam {
  int x, y, width, height;
};
struct ResizeParam {
  Shape size = Shape::scalar();
  bool keep_ratio = false;
  int interp = 1;
};
struct BorderParam {
  int top, bot, left, right;
  int type = 0;
  double value = 0;
  std::vector<double> values;
};
struct CvResizeParam {
  int w, h;
  int interp = 1;
};

float channel_value(const std::vector<float>& values, int64_t c) {
  return values.size() == 1 ? values[0] : values[static_cast<size_t>(c)];
}

// The channels of a (channels, height, width) image or a batch of them.
int64_t tensor_channels(const Shape& shape) {
  require(shape.ndim() == 3 || shape.ndim() == 4,
          "operator _image_normalize: an input must have shape (channels, height, width) or ",
          "(batch, channels, height, width), not ", shape);
  const int64_t c = shape[shape.ndim() - 3];
  require(c < 0 || c == 1 || c == 3, "operator _image_normalize: an input must have 1 or 3 channels, got shape ",
          shape);
  return c;
}

void infer_normalize(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<NormalizeParam>();
  infer_same_shape(attrs, in, out);
  if (!in[0].ndim_known()) return;
  const int64_t c = tensor_channels(in[0]);
  if (c < 0) return;
  // The defaults carry four numbers, one for every channel an image may have.
  for (const auto* list : {&p.mean, &p.std}) {
    const auto n = static_cast<int64_t>(list->size());
    require(n == 1 || n == c || n == 4, "operator _image_normalize: ", list == &p.mean ? "mean" : "std",
            " must have 1 or ", c, " numbers for shape ", in[0], ", not ", n);
  }
  for (float s : p.std) require(s != 0, "operator _image_normalize: std must not be 0");
}

// y = (x - mean) / std, or its gradient x / std.
Kernel normalize_kernel(const KernelContext& c, bool gradient) {
  const auto p = c.attrs.get<NormalizeParam>();
  const Shape& shape = c.in_shapes[0];
  const int64_t channels = tensor_channels(shape);
  const int64_t plane = shape[shape.ndim() - 2] * shape[shape.ndim() - 1];
  const int64_t planes = plane > 0 ? shape.size() / plane : 0;
  return visit_float(c.in_types[0], "_image_normalize", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& a) {
      const T* x = a.input<T>(0);
      T* y = a.output<T>(0);
      parallel_for(planes, plane, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          const C mean = gradient ? C(0) : static_cast<C>(channel_value(p.mean, n % channels));
          const C factor = C(1) / static_cast<C>(channel_value(p.std, n % channels));
          for (int64_t i = n * plane; i < (n + 1) * plane; ++i)
            y[i] = static_cast<T>((static_cast<C>(x[i]) - mean) * factor);
        }
      });
    }};
  });
}

Params<NormalizeParam> normalize_params() {
  return Params<NormalizeParam>()
      .field("mean", &NormalizeParam::mean, "Mean of each channel, or one number for all.")
      .field("std", &NormalizeParam::std, "Standard deviation of each channel, or one number for all.");
}

Region crop_region(const CropParam& p, const Shape& shape) {
  require_image(shape, "_image_crop");
  const int first = shape.ndim() - 3;
  Region region = whole_region(shape);
  const auto cut = [&](int axis, int64_t begin, int64_t size, const char* what) {
    require(begin >= 0 && size > 0,
            "operator _image_crop: x and y must not be negative, width and height must be positive");
    require(shape[axis] < 0 || begin + size <= shape[axis], "operator _image_crop: the crop reaches to ", begin + size,
            ", beyond the ", what, " of an image of shape ", shape);
    region.begin[axis] = begin;
    region.size[axis] = size;
  };
  cut(first, p.y, p.height, "height");
  cut(first + 1, p.x, p.width, "width");
  return region;
}

Params<CropParam> crop_params() {
  return Params<CropParam>()
      .required("x", &CropParam::x, "Left edge of the crop.")
      .required("y", &CropParam::y, "Top edge of the crop.")
      .required("width", &CropParam::width, "Width of the crop.")
      .required("height", &CropParam::height, "Height of the crop.");
}

// The height and width that a resize makes.
std::pair<int64_t, int64_t> resized(const ResizeParam& p, const ImageSize& image) {
  require(p.size.ndim() == 1 || p.size.ndim() == 2,
          "operator _image_resize: size must be one number or (width, height), not ", p.size);
  for (int64_t d : p.size) require(d > 0, "operator _image_resize: size must be positive, not ", p.size);
  if (p.size.ndim() == 2) return {p.size[1], p.size[0]};
  if (!p.keep_ratio) return {p.size[0], p.size[0]};
  if (image.height > image.width) return {image.height * p.size[0] / image.width, p.size[0]};
  return {p.size[0], image.width * p.size[0] / image.height};
}

Kernel resize_kernel(const ImageSize& image, int64_t height, int64_t width, int interp, DType type,
                     bool adjoint = false) {
  const auto resize =
      std::make_shared<const ImageResize>(image.height, image.width, image.channels, height, width, interp, type);
  const size_t element = dtype_size(type);
  const size_t source = static_cast<size_t>(image.size()) * element;
  const size_t target = static_cast<size_t>(height * width * image.channels) * element;
  return {[=](const KernelArgs& a) {
            for (size_t n = 0; n < static_cast<size_t>(image.batch); ++n) {
              if (adjoint) {
                resize->run_adjoint(a.input<char>(0) + n * target, a.output<char>(0) + n * source);
              } else {
                resize->run(a.input<char>(0) + n * source, a.output<char>(0) + n * target, a.workspace);
              }
            }
          },
          resize->workspace_bytes()};
}

Params<ResizeParam> resize_params() {
  return Params<ResizeParam>()
      .field("size", &ResizeParam::size, "The new size: one number, or (width, height).")
      .field("keep_ratio", &ResizeParam::keep_ratio, "Make the shorter edge `size` and keep the ratio of the edges.")
      .field("interp", &ResizeParam::interp, "0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.");
}

StridedCopy flip_copy(const Shape& shape, int axis_from_height, size_t width) {
  std::vector<StrideDim> dims = row_major_dims(shape);
  StrideDim& dim = dims[static_cast<size_t>(shape.ndim() - 3 + axis_from_height)];
  const int64_t offset = (dim.size - 1) * dim.src;
  dim.src = -dim.src;
  return StridedCopy(std::move(dims), dim.size > 0 ? offset : 0, 0, width);
}

void infer_image(const Attrs& attrs, ShapeVec& in, ShapeVec& out, const char* name) {
  infer_same_shape(attrs, in, out);
  if (in[0].ndim_known()) require_image(in[0], name);
}

void declare_flip(const char* name, const char* random_name, int axis, const char* doc, const char* alias,
                  const char* random_alias) {
  register_op(name)
      .alias({alias})
      .doc(doc)
      .lenient()
      .infer_shape([=](const Attrs& a, ShapeVec& in, ShapeVec& out) { infer_image(a, in, out, name); })
      .infer_type(infer_same_type)
      .gradient([=](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op(name, {g.out_grad()})};
      })
      .kernel([=](const KernelContext& c) {
        return copy_kernel(flip_copy(c.in_shapes[0], axis, dtype_size(c.in_types[0])));
      });
  register_op(random_name)
      .alias({random_alias})
      .doc(text(doc, " With probability one half."))
      .lenient()
      .infer_shape([=](const Attrs& a, ShapeVec& in, ShapeVec& out) { infer_image(a, in, out, random_name); })
      .infer_type(infer_same_type)
      .random()
      // Which way the image went is not kept: the gradient passes straight through.
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.out_grad()};
      })
      .kernel([=](const KernelContext& c) -> Kernel {
        const size_t width = dtype_size(c.in_types[0]);
        const size_t bytes = static_cast<size_t>(c.in_shapes[0].size()) * width;
        return {[copy = flip_copy(c.in_shapes[0], axis, width), bytes](const KernelArgs& a) {
          if (a.random->take(1).block(0)[0] & 1u) {
            copy.run(a.in[0], a.out[0]);
          } else {
            std::memcpy(a.out[0], a.in[0], bytes);
          }
        }};
      });
}

}  // namespace

MXNET_REGISTER(image_to_tensor) {
  register_op("_image_to_tensor")
      .alias({"_npx__image_to_tensor"})
      .doc(
          "A (height, width, channels) image of values in [0, 255] as a float32 (channels, height, width) array of [0, "
          "1].")
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        require_image(in[0], "_image_to_tensor");
        const int first = in[0].ndim() - 3;
        Shape result = in[0];
        result[first] = in[0][first + 2];
        result[first + 1] = in[0][first];
        result[first + 2] = in[0][first + 1];
        assign_shape(out[0], result);
      })
      .infer_type([](const Attrs&, DTypeVec&, DTypeVec& out) { assign_type(out[0], DType::kFloat32); })
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_image_to_tensor", {g.out_grad(), g.input(0)})};
      })
      .kernel([](const KernelContext& c) {
        const ImageSize s = image_size(c.in_shapes[0]);
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const T* x = a.input<T>(0);
            float* y = a.output<float>(0);
            parallel_for(s.batch * s.channels, s.pixels(), [=](int64_t begin, int64_t end) {
              for (int64_t k = begin; k < end; ++k) {
                const T* from = x + k / s.channels * s.size() + k % s.channels;
                float* to = y + k * s.pixels();
                for (int64_t i = 0; i < s.pixels(); ++i) to[i] = static_cast<float>(from[i * s.channels]) / 255.0f;
              }
            });
          }};
        });
      });
  register_op("_backward_image_to_tensor")
      .internal()
      .inputs({"ograd", "data"})
      .lenient()
      .infer_shape(shape_like_inputs({1}))
      .infer_type(type_like_inputs({1}))
      .kernel([](const KernelContext& c) {
        const ImageSize s = image_size(c.out_shapes[0]);
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[=](const KernelArgs& a) {
            const float* dy = a.input<float>(0);
            T* dx = a.output<T>(0);
            parallel_for(s.batch * s.pixels(), s.channels * 2, [=](int64_t begin, int64_t end) {
              for (int64_t k = begin; k < end; ++k) {
                const float* from = dy + k / s.pixels() * s.size() + k % s.pixels();
                for (int64_t c = 0; c < s.channels; ++c)
                  dx[k * s.channels + c] = static_cast<T>(from[c * s.pixels()] / 255.0f);
              }
            });
          }};
        });
      });
}

MXNET_REGISTER(image_normalize) {
  register_op("_image_normalize")
      .alias({"_npx__image_normalize"})
      .doc("(x - mean) / std for each channel of a (channels, height, width) image or a batch of them.")
      .params(normalize_params())
      .infer_shape(infer_normalize)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_image_normalize", {g.out_grad()}, g.parameters())};
      })
      .kernel([](const KernelContext& c) { return normalize_kernel(c, false); });
  register_op("_backward_image_normalize")
      .internal()
      .inputs({"ograd"})
      .params(normalize_params())
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel([](const KernelContext& c) { return normalize_kernel(c, true); });
}

MXNET_REGISTER(image_crop) {
  register_op("_image_crop")
      .alias({"_npx__image_crop"})
      .doc("A rectangle of an image or of a batch of images.")
      .params(crop_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (in[0].ndim_known()) assign_shape(out[0], crop_region(attrs.get<CropParam>(), in[0]).size);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_image_crop", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        return copy_kernel(gather_region(c.in_shapes[0], crop_region(c.attrs.get<CropParam>(), c.in_shapes[0]),
                                         dtype_size(c.in_types[0])));
      });
  register_op("_backward_image_crop")
      .internal()
      .inputs({"ograd", "data"})
      .params(crop_params())
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        return region_gradient_kernel(c, crop_region(c.attrs.get<CropParam>(), c.out_shapes[0]));
      });
}

MXNET_REGISTER(image_resize) {
  register_op("_image_resize")
      .alias({"_npx__image_resize"})
      .doc("An image, or a batch of images, in another size.")
      .params(resize_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        require_image(in[0], "_image_resize");
        const auto& p = attrs.get<ResizeParam>();
        const ImageSize image = image_size(in[0]);
        if (p.keep_ratio && p.size.ndim() == 1 && (image.height <= 0 || image.width <= 0)) return;
        const auto [height, width] = resized(p, image);
        Shape result = in[0];
        result[in[0].ndim() - 3] = height;
        result[in[0].ndim() - 2] = width;
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_image_resize", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<ResizeParam>();
        const ImageSize target = image_size(c.out_shapes[0]);
        return resize_kernel(image_size(c.in_shapes[0]), target.height, target.width, p.interp, c.in_types[0]);
      });
  register_op("_backward_image_resize")
      .internal()
      .inputs({"ograd", "data"})
      .params(resize_params())
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        const ImageSize target = image_size(c.in_shapes[0]);
        return resize_kernel(image_size(c.out_shapes[0]), target.height, target.width,
                             c.attrs.get<ResizeParam>().interp, c.out_types[0], true);
      });
  register_op("_cvimresize")
      .alias({"_npi_cvimresize"})
      .doc("A (height, width, channels) image in another size.")
      .inputs({"src"})
      .documented_inputs({{"src", "NDArray"}})
      .params(Params<CvResizeParam>()
                  .required("w", &CvResizeParam::w, "The new width.")
                  .required("h", &CvResizeParam::h, "The new height.")
                  .field("interp", &CvResizeParam::interp, "0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<CvResizeParam>();
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 3, "operator _cvimresize: an image must have shape (height, width, channels), not ",
                in[0]);
        assign_shape(out[0], Shape{p.h, p.w, in[0][2]});
      })
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<CvResizeParam>();
        return resize_kernel(image_size(c.in_shapes[0]), p.h, p.w, p.interp, c.in_types[0]);
      });
}

MXNET_REGISTER(image_flip) {
  declare_flip("_image_flip_left_right", "_image_random_flip_left_right", 1, "Mirrors an image left to right.",
               "_npx__image_flip_left_right", "_npx__image_random_flip_left_right");
  declare_flip("_image_flip_top_bottom", "_image_random_flip_top_bottom", 0, "Turns an image upside down.",
               "_npx__image_flip_top_bottom", "_npx__image_random_flip_top_bottom");
}

MXNET_REGISTER(image_border) {
  register_op("_cvcopyMakeBorder")
      .doc(
          "An image with a border of a constant (type 0), of the edge pixels (1) or mirrored (2 with, 4 without the "
          "edge).")
      .inputs({"src"})
      .documented_inputs({{"src", "NDArray"}})
      .params(Params<BorderParam>()
                  .required("top", &BorderParam::top, "Rows above.")
                  .required("bot", &BorderParam::bot, "Rows below.")
                  .required("left", &BorderParam::left, "Columns to the left.")
                  .required("right", &BorderParam::right, "Columns to the right.")
                  .field("type", &BorderParam::type, "Kind of the border.")
                  .field("value", &BorderParam::value, "Value of a constant border.")
                  .field("values", &BorderParam::values, "Values of a constant border for each channel."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<BorderParam>();
        require(p.top >= 0 && p.bot >= 0 && p.left >= 0 && p.right >= 0,
                "operator _cvcopyMakeBorder: borders must not be negative");
        if (!in[0].known()) return;
        require(in[0].ndim() == 3,
                "operator _cvcopyMakeBorder: an image must have shape (height, width, channels), not ", in[0]);
        assign_shape(out[0], Shape{in[0][0] + p.top + p.bot, in[0][1] + p.left + p.right, in[0][2]});
      })
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) -> Kernel {
        const auto p = c.attrs.get<BorderParam>();
        const ImageSize in = image_size(c.in_shapes[0]);
        const ImageSize out = image_size(c.out_shapes[0]);
        require(p.type == 0 || p.type == 1 || p.type == 2 || p.type == 4,
                "operator _cvcopyMakeBorder: type must be 0, 1, 2 or 4, not ", p.type);
        require(p.type == 0 || (in.height > 0 && in.width > 0), "operator _cvcopyMakeBorder: the image is empty");
        const auto source = [&](int64_t at, int64_t n) -> int64_t {
          if (at >= 0 && at < n) return at;
          if (p.type == 0) return -1;
          if (p.type == 1 || n == 1) return std::clamp<int64_t>(at, 0, n - 1);
          const int64_t edge = p.type == 2 ? 1 : 0;  // the edge pixel is repeated
          const int64_t period = 2 * (n - 1 + edge);
          int64_t m = at % period;
          if (m < 0) m += period;
          return m < n ? m : period - edge - m;
        };
        std::vector<int64_t> rows;
        std::vector<int64_t> columns;
        for (int64_t y = 0; y < out.height; ++y) rows.push_back(source(y - p.top, in.height));
        for (int64_t x = 0; x < out.width; ++x) columns.push_back(source(x - p.left, in.width));
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          std::vector<T> fill;
          for (int64_t k = 0; k < in.channels; ++k) {
            fill.push_back(static_cast<T>(p.values.empty()                            ? p.value
                                          : k < static_cast<int64_t>(p.values.size()) ? p.values[static_cast<size_t>(k)]
                                                                                      : 0.0));
          }
          return {[=](const KernelArgs& a) {
            const T* x = a.input<T>(0);
            T* y = a.output<T>(0);
            for (int64_t r : rows) {
              for (int64_t q : columns) {
                const bool inside = r >= 0 && q >= 0;
                for (int64_t k = 0; k < in.channels; ++k) {
                  *y++ =
                      inside ? x[(r * in.width + q) * in.channels + k] : static_cast<T>(fill[static_cast<size_t>(k)]);
                }
              }
            }
          }};
        });
      });
}

}  // namespace mxnet
