// ROIAlign: bilinear samples of regions, averaged in bins. He et al., Mask R-CNN (ICCV 2017).
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct RoiAlignParam {
  Shape pooled_size;
  float spatial_scale;
  int sample_ratio = -1;
  bool position_sensitive = false;
  bool aligned = false;
};

// A bilinear sample: four places in a plane and their weights; no weight outside of it.
struct Sample {
  int64_t at[4];
  float weight[4];
};

Sample bilinear_sample(float y, float x, int64_t height, int64_t width) {
  if (y < -1 || y > static_cast<float>(height) || x < -1 || x > static_cast<float>(width)) return {};
  y = std::max(y, 0.0f);
  x = std::max(x, 0.0f);
  int64_t low_y = static_cast<int64_t>(y);
  int64_t low_x = static_cast<int64_t>(x);
  int64_t high_y = low_y + 1;
  int64_t high_x = low_x + 1;
  if (low_y >= height - 1) {
    low_y = high_y = height - 1;
    y = static_cast<float>(low_y);
  }
  if (low_x >= width - 1) {
    low_x = high_x = width - 1;
    x = static_cast<float>(low_x);
  }
  const float py = y - static_cast<float>(low_y);
  const float px = x - static_cast<float>(low_x);
  return {{low_y * width + low_x, low_y * width + high_x, high_y * width + low_x, high_y * width + high_x},
          {(1 - py) * (1 - px), (1 - py) * px, py * (1 - px), py * px}};
}

struct RoiGeometry {
  int64_t batch, channels, height, width;  // of the data
  int64_t rois, out_channels, bins_y, bins_x;
  RoiAlignParam p;

  // visit(sample, 1 / samples) for the samples of one bin of a region.
  template <class T, class Visit>
  void bin(const T* roi, int64_t by, int64_t bx, const Visit& visit) const {
    const float offset = p.aligned ? 0.5f : 0.0f;
    const auto scaled = [&](int k) { return static_cast<float>(roi[k]) * p.spatial_scale - offset; };
    const float x0 = scaled(1);
    const float y0 = scaled(2);
    float w = scaled(3) - x0;
    float h = scaled(4) - y0;
    if (!p.aligned) {
      w = std::max(w, 1.0f);
      h = std::max(h, 1.0f);
    }
    const float bin_h = h / static_cast<float>(bins_y);
    const float bin_w = w / static_cast<float>(bins_x);
    // A region cannot need more samples than the data has elements, whatever its corners say.
    const auto samples = [&](float bin_size, int64_t limit) -> int64_t {
      if (p.sample_ratio > 0) return p.sample_ratio;
      const float wanted = std::ceil(bin_size);
      return wanted > 0 ? static_cast<int64_t>(std::min(wanted, static_cast<float>(4 * limit + 4))) : 0;
    };
    const int64_t ny = samples(bin_h, height);
    const int64_t nx = samples(bin_w, width);
    const float share = 1.0f / static_cast<float>(std::max<int64_t>(ny * nx, 1));
    for (int64_t i = 0; i < ny; ++i) {
      const float y =
          y0 + static_cast<float>(by) * bin_h + (static_cast<float>(i) + 0.5f) * bin_h / static_cast<float>(ny);
      for (int64_t j = 0; j < nx; ++j) {
        const float x =
            x0 + static_cast<float>(bx) * bin_w + (static_cast<float>(j) + 0.5f) * bin_w / static_cast<float>(nx);
        visit(bilinear_sample(y, x, height, width), share);
      }
    }
  }

  // The plane of the data that output channel `c` of a region reads in bin (by, bx); -1: the region has no image.
  template <class T>
  int64_t plane(const T* roi, int64_t c, int64_t by, int64_t bx) const {
    const auto image = static_cast<int64_t>(static_cast<float>(roi[0]));
    if (image < 0 || image >= batch) return -1;
    return image * channels + (p.position_sensitive ? (c * bins_y + by) * bins_x + bx : c);
  }
};

RoiGeometry geometry(const RoiAlignParam& p, const Shape& data, const Shape& rois) {
  const int64_t bins = p.pooled_size[0] * p.pooled_size[1];
  return {data[0],          data[1],          data[2],
          data[3],          rois[0],          p.position_sensitive ? data[1] / bins : data[1],
          p.pooled_size[0], p.pooled_size[1], p};
}

Kernel forward_kernel(const KernelContext& c) {
  const RoiGeometry g = geometry(c.attrs.get<RoiAlignParam>(), c.in_shapes[0], c.in_shapes[1]);
  return visit_float(c.in_types[0], "_contrib_ROIAlign", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[g](const KernelArgs& a) {
      const T* data = a.input<T>(0);
      const T* rois = a.input<T>(1);
      T* y = a.output<T>(0);
      const int64_t per_roi = g.out_channels * g.bins_y * g.bins_x;
      parallel_for(g.rois, per_roi * 40, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T* roi = rois + 5 * r;
          T* out = y + r * per_roi;
          for (int64_t c = 0; c < g.out_channels; ++c) {
            for (int64_t by = 0; by < g.bins_y; ++by) {
              for (int64_t bx = 0; bx < g.bins_x; ++bx) {
                float sum = 0;
                const int64_t n = g.plane(roi, c, by, bx);
                if (n >= 0) {
                  const T* plane = data + n * g.height * g.width;
                  g.bin(roi, by, bx, [&](const Sample& s, float share) {
                    for (int k = 0; k < 4; ++k) sum += s.weight[k] * static_cast<float>(plane[s.at[k]]) * share;
                  });
                }
                *out++ = static_cast<T>(sum);
              }
            }
          }
        }
      });
    }};
  });
}

// Inputs: output gradient, regions, data. Output 0: the gradient of the data.
Kernel backward_kernel(const KernelContext& c) {
  const RoiGeometry g = geometry(c.attrs.get<RoiAlignParam>(), c.out_shapes[0], c.in_shapes[1]);
  return visit_float(c.out_types[0], "_backward_ROIAlign", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const int64_t total = g.batch * g.channels * g.height * g.width;
    const bool direct = sizeof(T) >= sizeof(float);
    return {[=](const KernelArgs& a) {
              using Sum = std::conditional_t<sizeof(T) >= sizeof(float), T, float>;
              Sum* dx = direct ? reinterpret_cast<Sum*>(a.output<T>(0)) : static_cast<Sum*>(a.workspace);
              std::fill_n(dx, total, Sum(0));
              const T* dy = a.input<T>(0);
              for (int64_t r = 0; r < g.rois; ++r) {
                const T* roi = a.input<T>(1) + 5 * r;
                for (int64_t c = 0; c < g.out_channels; ++c) {
                  for (int64_t by = 0; by < g.bins_y; ++by) {
                    for (int64_t bx = 0; bx < g.bins_x; ++bx) {
                      const auto gradient = static_cast<float>(*dy++);
                      const int64_t n = g.plane(roi, c, by, bx);
                      if (n < 0) continue;
                      Sum* plane = dx + n * g.height * g.width;
                      g.bin(roi, by, bx, [&](const Sample& s, float share) {
                        for (int k = 0; k < 4; ++k) plane[s.at[k]] += static_cast<Sum>(s.weight[k] * gradient * share);
                      });
                    }
                  }
                }
              }
              if (!direct) {
                for (int64_t i = 0; i < total; ++i) a.output<T>(0)[i] = static_cast<T>(dx[i]);
              }
            },
            direct ? 0 : static_cast<size_t>(total) * sizeof(float)};
  });
}

Params<RoiAlignParam> roi_params() {
  return Params<RoiAlignParam>()
      .required("pooled_size", &RoiAlignParam::pooled_size, "Rows and columns of bins.")
      .required("spatial_scale", &RoiAlignParam::spatial_scale, "Size of the data over the size of the image.")
      .field("sample_ratio", &RoiAlignParam::sample_ratio,
             "Samples of a bin along each axis; -1: as many as it has pixels.")
      .field("position_sensitive", &RoiAlignParam::position_sensitive, "Every bin reads channels of its own.")
      .field("aligned", &RoiAlignParam::aligned, "Shift the regions by half a pixel.");
}

}  // namespace

MXNET_REGISTER(roi_align) {
  register_op("_contrib_ROIAlign")
      .doc("Regions (image, left, top, right, bottom) of an NCHW array, each averaged into a grid of bins.")
      .inputs({"data", "rois"})
      .params(roi_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<RoiAlignParam>();
        require(p.pooled_size.ndim() == 2 && p.pooled_size[0] > 0 && p.pooled_size[1] > 0,
                "operator _contrib_ROIAlign: pooled_size must be two positive numbers, not ", p.pooled_size);
        if (!in[0].ndim_known() || !in[1].ndim_known()) return;
        require(in[0].ndim() == 4,
                "operator _contrib_ROIAlign: data must have shape (batch, channels, height, width), not ", in[0]);
        require(in[1].ndim() == 2 && (in[1][1] < 0 || in[1][1] == 5),
                "operator _contrib_ROIAlign: rois must have shape (regions, 5), not ", in[1]);
        int64_t channels = in[0][1];
        if (p.position_sensitive && channels >= 0) {
          const int64_t bins = p.pooled_size[0] * p.pooled_size[1];
          require(channels % bins == 0, "operator _contrib_ROIAlign: ", channels, " channels cannot be shared out to ",
                  bins, " bins");
          channels /= bins;
        }
        assign_shape(out[0], Shape{in[1][0], channels, p.pooled_size[0], p.pooled_size[1]});
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_ROIAlign", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()),
                                  Entry{}};
      })
      .kernel(forward_kernel);
  register_op("_backward_ROIAlign")
      .internal()
      .inputs({"ograd", "rois", "data"})
      .params(roi_params())
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .kernel(backward_kernel);
}

}  // namespace mxnet
