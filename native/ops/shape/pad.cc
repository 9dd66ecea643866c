// Pad: borders of a constant, of the edge, or mirrored.
#include <algorithm>

#include "base/parallel.h"
#include "ops/shape/common.h"

namespace mxnet {
namespace {

enum PadMode { kConstant, kEdge, kReflect };

struct PadParam {
  int mode;
  Shape pad_width;
  double constant_value = 0;
};

void infer_pad(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<PadParam>();
  if (!in[0].ndim_known()) return;
  const int ndim = in[0].ndim();
  require(ndim == 4 || ndim == 5, "operator Pad: data must have 4 or 5 dimensions, not shape ", in[0]);
  require(p.pad_width.ndim() == 2 * ndim, "operator Pad: pad_width ", p.pad_width,
          " must have two numbers for each axis of shape ", in[0]);
  Shape result = in[0];
  for (int i = 0; i < ndim; ++i) {
    const int64_t before = p.pad_width[2 * i];
    const int64_t after = p.pad_width[2 * i + 1];
    require(before >= 0 && after >= 0, "operator Pad: pad_width ", p.pad_width, " must not be negative");
    require(i >= 2 || (before == 0 && after == 0),
            "operator Pad: the first two axes cannot be padded, but pad_width is ", p.pad_width);
    if (in[0][i] < 0) continue;
    require(p.mode != kReflect || (before < in[0][i] && after < in[0][i]),
            "operator Pad: reflection needs pads smaller than axis ", i, " of shape ", in[0], ", but pad_width is ",
            p.pad_width);
    result[i] = in[0][i] + before + after;
  }
  assign_shape(out[0], result);
}

// For every index of the padded axes (as a depth, height, width volume) the index in the data, or -1 for the constant.
struct PadMaps {
  int64_t planes = 1;
  Shape data;  // depth, height, width
  Shape padded;
  std::vector<int64_t> map[3];
};

PadMaps pad_maps(const PadParam& p, const Shape& data) {
  PadMaps maps;
  maps.planes = data[0] * data[1];
  const int spatial = data.ndim() - 2;
  maps.data = maps.padded = Shape{1, 1, 1};
  for (int i = 0; i < 3; ++i) {
    const int axis = i - (3 - spatial) + 2;
    const bool real = i >= 3 - spatial;
    const int64_t n = real ? data[axis] : 1;
    const int64_t before = real ? p.pad_width[2 * axis] : 0;
    const int64_t after = real ? p.pad_width[2 * axis + 1] : 0;
    maps.data[i] = n;
    maps.padded[i] = n + before + after;
    for (int64_t k = -before; k < n + after; ++k) {
      int64_t source = k;
      if (k < 0 || k >= n) {
        source = p.mode == kConstant ? -1
                 : p.mode == kEdge   ? std::clamp<int64_t>(k, 0, n - 1)
                 : k < 0             ? -k
                                     : 2 * (n - 1) - k;
      }
      maps.map[i].push_back(source);
    }
  }
  return maps;
}

template <class T>
Kernel pad_forward(PadMaps maps, T value) {
  return {[maps = std::move(maps), value](const KernelArgs& a) {
    const T* x = a.input<T>(0);
    T* y = a.output<T>(0);
    const int64_t rows = maps.padded[0] * maps.padded[1];
    const int64_t width = maps.padded[2];
    parallel_for(maps.planes * rows, width, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t d = maps.map[0][r % rows / maps.padded[1]];
        const int64_t h = maps.map[1][r % maps.padded[1]];
        T* out = y + r * width;
        if (d < 0 || h < 0) {
          std::fill_n(out, width, value);
          continue;
        }
        const T* in = x + ((r / rows * maps.data[0] + d) * maps.data[1] + h) * maps.data[2];
        for (int64_t w = 0; w < width; ++w) out[w] = maps.map[2][w] < 0 ? value : in[maps.map[2][w]];
      }
    });
  }};
}

template <class T>
Kernel pad_backward(PadMaps maps) {
  return {[maps = std::move(maps)](const KernelArgs& a) {
    const T* dy = a.input<T>(0);
    T* dx = a.output<T>(0);
    const int64_t plane_in = maps.data.size();
    const int64_t plane_out = maps.padded.size();
    parallel_for(maps.planes, plane_out, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        T* out = dx + n * plane_in;
        std::fill_n(out, plane_in, T(0));
        const T* in = dy + n * plane_out;
        for (int64_t d : maps.map[0]) {
          for (int64_t h : maps.map[1]) {
            for (int64_t w : maps.map[2]) {
              const T g = *in++;
              if (d < 0 || h < 0 || w < 0) continue;
              T& slot = out[(d * maps.data[1] + h) * maps.data[2] + w];
              slot = static_cast<T>(static_cast<compute_t<T>>(slot) + static_cast<compute_t<T>>(g));
            }
          }
        }
      }
    });
  }};
}

}  // namespace

MXNET_REGISTER(pad) {
  const auto params = [] {
    return Params<PadParam>()
        .required_enumeration("mode", &PadParam::mode,
                              {{"constant", kConstant}, {"edge", kEdge}, {"reflect", kReflect}},
                              "What the border is made of.")
        .required("pad_width", &PadParam::pad_width, "Elements before and after each axis; the first four must be 0.")
        .field("constant_value", &PadParam::constant_value, "The value of a constant border.");
  };
  register_op("Pad")
      .alias({"pad"})
      .doc("Adds a border to the spatial axes of a 4- or 5-dimensional array.")
      .params(params())
      .infer_shape(infer_pad)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_Pad", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<PadParam>();
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return pad_forward<T>(pad_maps(p, c.in_shapes[0]), static_cast<T>(p.constant_value));
        });
      });
  register_op("_backward_Pad")
      .internal()
      .inputs({"ograd", "data"})
      .params(params())
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return pad_backward<T>(pad_maps(c.attrs.get<PadParam>(), c.out_shapes[0]));
        });
      });
}

}  // namespace mxnet
