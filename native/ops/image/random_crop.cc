// random_crop and random_resized_crop. Their names and parameters are those of later MXNet versions.
#include <algorithm>
#include <cmath>

#include "kernels/resize.h"
#include "ops/image/common.h"

namespace mxnet {
namespace {

struct RandomCropParam {
  std::vector<float> xrange{0, 1};
  std::vector<float> yrange{0, 1};
  int width;
  int height;
  int interp = 1;
};
struct ResizedCropParam {
  std::vector<float> xrange{0, 1};
  std::vector<float> yrange{0, 1};
  int width;
  int height;
  std::vector<float> area{0.08f, 1};
  std::vector<float> ratio{0.75f, 4.0f / 3};
  int interp = 1;
  int max_trial = 10;
};

constexpr uint64_t kCropBlocks = 64;

void check_range(const std::vector<float>& range, const char* what, float low, float high) {
  require(range.size() == 2 && range[0] <= range[1] && range[0] >= low && range[1] <= high, "image random crop: ", what,
          " must be two rising numbers of [", low, ", ", high, "]");
}

struct Rectangle {
  int64_t x, y, width, height;
};

// A rectangle of the given size whose corner lies in the given parts of the free space.
Rectangle place(PhiloxLane& lane, const ImageSize& image, int64_t width, int64_t height,
                const std::vector<float>& xrange, const std::vector<float>& yrange) {
  const auto corner = [&](int64_t room, const std::vector<float>& range) {
    const double part = range[0] + (range[1] - range[0]) * lane.uniform();
    return std::clamp<int64_t>(static_cast<int64_t>(part * static_cast<double>(room + 1)), 0, room);
  };
  const int64_t x = corner(image.width - width, xrange);
  return {x, corner(image.height - height, yrange), width, height};
}

// Cuts choose(lane) out of every image of the batch and brings it to the size of the output. Sizes differ from call to
// call, so the resampling tables cannot be made beforehand.
template <class Choose>
Kernel crop_kernel(const KernelContext& c, int interp, Choose choose) {
  const ImageSize in = image_size(c.in_shapes[0]);
  const ImageSize out = image_size(c.out_shapes[0]);
  const DType type = c.in_types[0];
  const size_t element = dtype_size(type);
  ImageResize(in.height, in.width, in.channels, out.height, out.width, interp,
              type);  // refuses bad types and sizes now
  const size_t rows =
      static_cast<size_t>(in.height * out.width * in.channels) * std::max<size_t>(element, sizeof(float));
  const size_t cut = (static_cast<size_t>(in.size()) * element + 63) / 64 * 64;
  return {[=](const KernelArgs& a) {
            const Philox stream = a.random->take(static_cast<uint64_t>(in.batch) * kCropBlocks);
            for (int64_t n = 0; n < in.batch; ++n) {
              PhiloxLane lane(stream, static_cast<uint64_t>(n), kCropBlocks);
              const Rectangle r = choose(lane);
              const char* src = a.input<char>(0) + static_cast<size_t>(n * in.size()) * element;
              char* dst = a.output<char>(0) + static_cast<size_t>(n * out.size()) * element;
              const bool same_size = r.width == out.width && r.height == out.height;
              char* piece = same_size ? dst : static_cast<char*>(a.workspace);
              const size_t row = static_cast<size_t>(r.width * in.channels) * element;
              for (int64_t y = 0; y < r.height; ++y) {
                std::copy_n(src + static_cast<size_t>(((r.y + y) * in.width + r.x) * in.channels) * element, row,
                            piece + static_cast<size_t>(y) * row);
              }
              if (same_size) continue;
              const ImageResize resize(r.height, r.width, in.channels, out.height, out.width, interp, type);
              resize.run(piece, dst, static_cast<char*>(a.workspace) + cut);
            }
          },
          cut + rows};
}

OpDef& crop_op(const char* name, const char* doc) {
  return register_op(name).doc(doc).infer_type(infer_same_type).zero_gradient().random();
}

void infer_crop(int width, int height, ShapeVec& in, ShapeVec& out, const char* name) {
  require(width > 0 && height > 0, "operator ", name, ": width and height must be positive");
  if (!in[0].ndim_known()) return;
  require_image(in[0], name);
  Shape result = in[0];
  result[in[0].ndim() - 3] = height;
  result[in[0].ndim() - 2] = width;
  assign_shape(out[0], result);
}

}  // namespace

MXNET_REGISTER(image_random_crop) {
  crop_op("_image_random_crop", "A random rectangle of an image; a smaller image is enlarged.")
      .params(Params<RandomCropParam>()
                  .field("xrange", &RandomCropParam::xrange, "Range of the left edge, as parts of the free space.")
                  .field("yrange", &RandomCropParam::yrange, "Range of the top edge, as parts of the free space.")
                  .required("width", &RandomCropParam::width, "Width of the crop.")
                  .required("height", &RandomCropParam::height, "Height of the crop.")
                  .field("interp", &RandomCropParam::interp, "0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<RandomCropParam>();
        infer_crop(p.width, p.height, in, out, "_image_random_crop");
      })
      .kernel([](const KernelContext& c) {
        const auto p = c.attrs.get<RandomCropParam>();
        check_range(p.xrange, "xrange", 0, 1);
        check_range(p.yrange, "yrange", 0, 1);
        const ImageSize in = image_size(c.in_shapes[0]);
        return crop_kernel(c, p.interp, [=](PhiloxLane& lane) {
          return place(lane, in, std::min<int64_t>(p.width, in.width), std::min<int64_t>(p.height, in.height), p.xrange,
                       p.yrange);
        });
      });
  crop_op("_image_random_resized_crop", "A rectangle of random area and ratio of an image, in the given size.")
      .params(Params<ResizedCropParam>()
                  .field("xrange", &ResizedCropParam::xrange, "Range of the left edge, as parts of the free space.")
                  .field("yrange", &ResizedCropParam::yrange, "Range of the top edge, as parts of the free space.")
                  .required("width", &ResizedCropParam::width, "Width of the output.")
                  .required("height", &ResizedCropParam::height, "Height of the output.")
                  .field("area", &ResizedCropParam::area, "Range of the area, as parts of the image's.")
                  .field("ratio", &ResizedCropParam::ratio, "Range of width over height.")
                  .field("interp", &ResizedCropParam::interp, "0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.")
                  .field("max_trial", &ResizedCropParam::max_trial, "Tries before the whole image is taken."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<ResizedCropParam>();
        infer_crop(p.width, p.height, in, out, "_image_random_resized_crop");
      })
      .kernel([](const KernelContext& c) {
        const auto p = c.attrs.get<ResizedCropParam>();
        check_range(p.xrange, "xrange", 0, 1);
        check_range(p.yrange, "yrange", 0, 1);
        check_range(p.area, "area", 0, 1);
        check_range(p.ratio, "ratio", 1e-6f, 1e6f);
        const ImageSize in = image_size(c.in_shapes[0]);
        return crop_kernel(c, p.interp, [=](PhiloxLane& lane) {
          for (int i = 0; i < p.max_trial; ++i) {
            const double area =
                static_cast<double>(in.pixels()) * (p.area[0] + (p.area[1] - p.area[0]) * lane.uniform());
            const double ratio = p.ratio[0] + (p.ratio[1] - p.ratio[0]) * lane.uniform();
            const auto width = static_cast<int64_t>(std::llround(std::sqrt(area * ratio)));
            const auto height = static_cast<int64_t>(std::llround(std::sqrt(area / ratio)));
            if (width > 0 && height > 0 && width <= in.width && height <= in.height)
              return place(lane, in, width, height, p.xrange, p.yrange);
          }
          return Rectangle{0, 0, in.width, in.height};
        });
      });
}

}  // namespace mxnet
