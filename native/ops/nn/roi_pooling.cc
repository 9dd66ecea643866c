// ROIPooling: the maximum over each bin of each region of interest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct RoiParam {
  Shape pooled_size;
  float spatial_scale = 1;
};

ParamSchema schema() {
  return Params<RoiParam>()
      .required("pooled_size", &RoiParam::pooled_size, "Height and width of the output.")
      .required("spatial_scale", &RoiParam::spatial_scale, "Size of the data over the size of the image that rois refer to.")
      .range(0, 1);
}

struct RoiView {
  int64_t batch, channels, height, width, rois, pooled_h, pooled_w;
  float scale;
  RoiView(const Shape& data, int64_t count, const RoiParam& p)
      : batch(data[0]), channels(data[1]), height(data[2]), width(data[3]), rois(count), pooled_h(p.pooled_size[0]),
        pooled_w(p.pooled_size[1]), scale(p.spatial_scale) {}
};

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<RoiParam>();
  require(p.pooled_size.ndim() == 2 && p.pooled_size[0] > 0 && p.pooled_size[1] > 0,
          "ROIPooling: pooled_size must be two positive numbers, given ", p.pooled_size);
  assign_shape(in[1], Shape{-1, 5}, "ROIPooling rois");
  if (!in[0].ndim_known()) return;
  require(in[0].ndim() == 4, "ROIPooling: data should be a 4D tensor, given ", in[0]);
  const Shape result{in[1][0], in[0][1], p.pooled_size[0], p.pooled_size[1]};
  for (Shape& shape : out) assign_shape(shape, result, "ROIPooling");
}

// One region: its image and, in pixels of the data, its corner and the size of its bins.
template <class A>
struct Region {
  int64_t image, x, y;
  A bin_h, bin_w;
  template <class T>
  Region(const T* roi, const RoiView& v) {
    const auto cell = [&](int i) { return static_cast<int64_t>(std::round(static_cast<A>(roi[i]) * A(v.scale))); };
    image = static_cast<int64_t>(static_cast<A>(roi[0]));
    x = cell(1), y = cell(2);
    const int64_t h = std::max<int64_t>(cell(4) - y + 1, 1), w = std::max<int64_t>(cell(3) - x + 1, 1);
    bin_h = A(h) / A(v.pooled_h);
    bin_w = A(w) / A(v.pooled_w);
  }
};

// fn(result index, position of the greatest element in its plane or -1, plane) for all results of the planes
// [begin, end) of images * channels. Regions of an image outside the batch give nothing.
template <class T, class Fn>
void each_result(const T* data, const T* rois, const RoiView& v, int64_t begin, int64_t end, Fn fn) {
  using A = compute_t<T>;
  for (int64_t r = 0; r < v.rois; ++r) {
    const Region<A> region(rois + r * 5, v);
    const bool valid = region.image >= 0 && region.image < v.batch;
    for (int64_t c = 0; c < v.channels; ++c) {
      const int64_t plane = (valid ? region.image : 0) * v.channels + c;
      if (plane < begin || plane >= end) continue;
      const T* image = data + plane * v.height * v.width;
      for (int64_t ph = 0; ph < v.pooled_h; ++ph) {
        for (int64_t pw = 0; pw < v.pooled_w; ++pw) {
          const auto clip = [](int64_t value, int64_t size) { return std::clamp<int64_t>(value, 0, size); };
          const int64_t h0 = clip(region.y + static_cast<int64_t>(std::floor(A(ph) * region.bin_h)), v.height);
          const int64_t h1 = clip(region.y + static_cast<int64_t>(std::ceil(A(ph + 1) * region.bin_h)), v.height);
          const int64_t w0 = clip(region.x + static_cast<int64_t>(std::floor(A(pw) * region.bin_w)), v.width);
          const int64_t w1 = clip(region.x + static_cast<int64_t>(std::ceil(A(pw + 1) * region.bin_w)), v.width);
          int64_t best = -1;
          for (int64_t h = h0; h < h1 && valid; ++h) {
            for (int64_t w = w0; w < w1; ++w) {
              const int64_t at = h * v.width + w;
              if (best < 0 || static_cast<A>(image[at]) > static_cast<A>(image[best])) best = at;
            }
          }
          fn(((r * v.channels + c) * v.pooled_h + ph) * v.pooled_w + pw, best, plane);
        }
      }
    }
  }
}

template <class Fn>
void each_plane_range(const RoiView& v, Fn fn) {
  parallel_for(v.batch * v.channels, std::max<int64_t>(1, v.rois * v.height * v.width / std::max<int64_t>(1, v.batch)), fn);
}

Kernel forward_kernel(const KernelContext& c) {
  const RoiView v(c.in_shapes[0], c.in_shapes[1][0], c.attrs.get<RoiParam>());
  return visit_float(c.in_types[0], "ROIPooling", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[v](const KernelArgs& args) {
      const T* data = args.input<T>(0);
      T* y = args.output<T>(0);
      T* places = args.output<T>(1);
      each_plane_range(v, [&](int64_t begin, int64_t end) {
        each_result(data, args.input<T>(1), v, begin, end, [&](int64_t i, int64_t best, int64_t plane) {
          y[i] = best < 0 ? T(0) : data[plane * v.height * v.width + best];
          places[i] = static_cast<T>(static_cast<compute_t<T>>(best));
        });
      });
    }};
  });
}

// Inputs: out_grad, data, rois; outputs: the gradients of data and rois (zero).
Kernel backward_kernel(const KernelContext& c) {
  const RoiView v(c.in_shapes[1], c.in_shapes[2][0], c.attrs.get<RoiParam>());
  return visit_float(c.in_types[0], "ROIPooling", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[v](const KernelArgs& args) {
      const T* dy = args.input<T>(0);
      T* dx = args.output<T>(0);
      std::fill_n(args.output<T>(1), v.rois * 5, T(0));
      each_plane_range(v, [&](int64_t begin, int64_t end) {
        std::fill(dx + begin * v.height * v.width, dx + end * v.height * v.width, T(0));
        each_result(args.input<T>(1), args.input<T>(2), v, begin, end, [&](int64_t i, int64_t best, int64_t plane) {
          if (best < 0) return;
          T& slot = dx[plane * v.height * v.width + best];
          slot = static_cast<T>(static_cast<A>(slot) + static_cast<A>(dy[i]));
        });
      });
    }};
  });
}

}  // namespace

MXNET_REGISTER(roi_pooling) {
  register_op("ROIPooling")
      .alias({"_npx_roi_pooling"})
      .doc("Pools each region of interest to a fixed size by maximum; a region is (image, x1, y1, x2, y2).")
      .params(schema())
      .inputs({"data", "rois"})
      .outputs(2)
      .visible_outputs(1)
      .output_names({"output", "maxidx"})
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_ROIPooling", {0}, {0, 1}, {}))
      .kernel(forward_kernel);
  register_op("_backward_ROIPooling")
      .internal()
      .params(schema())
      .inputs({"out_grad", "data", "rois"})
      .outputs(2)
      .infer_shape(shape_like_inputs({1, 2}))
      .infer_type(infer_same_type)
      .kernel(backward_kernel);
}

}  // namespace mxnet
