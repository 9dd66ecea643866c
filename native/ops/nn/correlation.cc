// Correlation of the patches of two feature maps (Fischer et al., "FlowNet", 2015).
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/nn/conv_common.h"

namespace mxnet {
namespace {

struct CorrelationParam {
  uint32_t kernel_size = 1;
  uint32_t max_displacement = 1;
  uint32_t stride1 = 1;
  uint32_t stride2 = 1;
  uint32_t pad_size = 0;
  bool is_multiply = true;
};

ParamSchema schema() {
  return Params<CorrelationParam>()
      .field("kernel_size", &CorrelationParam::kernel_size, "Size of the patches; odd.")
      .field("max_displacement", &CorrelationParam::max_displacement, "Greatest distance between compared patches.")
      .field("stride1", &CorrelationParam::stride1, "Step between patches of data1.")
      .field("stride2", &CorrelationParam::stride2, "Step between displacements.")
      .field("pad_size", &CorrelationParam::pad_size, "Zeros added around both maps.")
      .field("is_multiply", &CorrelationParam::is_multiply, "Multiply the elements, rather than take absolute differences.");
}

struct CorrelationView {
  int64_t batch, channels, height, width;           // of the data
  int64_t padded_h, padded_w, pad;
  int64_t kernel, radius, displacement, stride1, stride2;
  int64_t grid_radius, grid;                        // displacements: grid x grid
  int64_t out_h, out_w;
  bool multiply;

  CorrelationView(const Shape& data, const CorrelationParam& p) {
    require(data.ndim() == 4, "Correlation: data should be a 4D tensor, given ", data);
    require(p.kernel_size % 2 == 1, "Correlation: kernel size should be odd, given ", p.kernel_size);
    require(p.stride1 > 0 && p.stride2 > 0, "Correlation: strides must be positive");
    checked_extent(data[2], "data", "Correlation");
    checked_extent(data[3], "data", "Correlation");
    batch = data[0], channels = data[1], height = data[2], width = data[3];
    pad = p.pad_size;
    padded_h = height + 2 * pad, padded_w = width + 2 * pad;
    kernel = p.kernel_size, radius = (kernel - 1) / 2;
    displacement = p.max_displacement, stride1 = p.stride1, stride2 = p.stride2;
    const int64_t border = displacement + radius;
    const auto size = [&](int64_t padded) { return (padded - 2 * border + stride1 - 1) / stride1; };
    out_h = size(padded_h), out_w = size(padded_w);
    require(padded_h > 2 * border && padded_w > 2 * border, "Correlation: cannot do with current settings: data ", data,
            " is smaller than the neighbourhood and kernel");
    grid_radius = displacement / stride2;
    grid = 2 * grid_radius + 1;
    multiply = p.is_multiply;
  }
  int64_t count() const { return kernel * kernel * channels; }
  // Index in the unpadded maps, or -1 in the border.
  int64_t source(int64_t n, int64_t c, int64_t y, int64_t x) const {
    y -= pad, x -= pad;
    if (y < 0 || y >= height || x < 0 || x >= width) return -1;
    return ((n * channels + c) * height + y) * width + x;
  }
  // fn(result index, index in data1, index in data2) for every pair of elements of image n that are compared.
  template <class Fn>
  void each_pair(int64_t n, int64_t top, Fn fn) const {
    const int64_t dy = (top / grid - grid_radius) * stride2, dx = (top % grid - grid_radius) * stride2;
    for (int64_t i = 0; i < out_h; ++i) {
      for (int64_t j = 0; j < out_w; ++j) {
        const int64_t y = i * stride1 + displacement, x = j * stride1 + displacement;
        const int64_t at = ((n * grid * grid + top) * out_h + i) * out_w + j;
        for (int64_t h = 0; h < kernel; ++h) {
          for (int64_t w = 0; w < kernel; ++w) {
            for (int64_t c = 0; c < channels; ++c) {
              fn(at, source(n, c, y + h, x + w), source(n, c, y + h + dy, x + w + dx));
            }
          }
        }
      }
    }
  }
};

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  assign_shape(in[0], in[1], "Correlation");
  assign_shape(in[1], in[0], "Correlation");
  if (!in[0].known()) return;
  const CorrelationView v(in[0], attrs.get<CorrelationParam>());
  assign_shape(out[0], Shape{v.batch, checked_mul(v.grid, v.grid, "displacements of Correlation"), v.out_h, v.out_w}, "Correlation");
  for (int i = 1; i < 3; ++i) assign_shape(out[i], Shape{v.batch, v.padded_h, v.padded_w, v.channels}, "Correlation");
}

Kernel forward_kernel(const KernelContext& c) {
  const CorrelationView v(c.in_shapes[0], c.attrs.get<CorrelationParam>());
  return visit_float(c.in_types[0], "Correlation", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[v](const KernelArgs& args) {
      const T* data[2] = {args.input<T>(0), args.input<T>(1)};
      for (int which = 0; which < 2; ++which) {  // the hidden outputs: padded, channels last
        T* padded = args.output<T>(1 + which);
        for (int64_t n = 0, at = 0; n < v.batch; ++n) {
          for (int64_t y = 0; y < v.padded_h; ++y) {
            for (int64_t x = 0; x < v.padded_w; ++x) {
              for (int64_t ch = 0; ch < v.channels; ++ch, ++at) {
                const int64_t s = v.source(n, ch, y, x);
                padded[at] = s < 0 ? T(0) : data[which][s];
              }
            }
          }
        }
      }
      T* out = args.output<T>(0);
      parallel_for(v.batch * v.grid * v.grid, v.out_h * v.out_w * v.count() * 4, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
          int64_t current = -1;
          A sum = 0;
          const auto flush = [&] {
            if (current >= 0) out[current] = static_cast<T>(sum / A(v.count()));
          };
          v.each_pair(t / (v.grid * v.grid), t % (v.grid * v.grid), [&](int64_t at, int64_t a, int64_t b) {
            if (at != current) {
              flush();
              current = at;
              sum = 0;
            }
            const A left = a < 0 ? A(0) : static_cast<A>(data[0][a]), right = b < 0 ? A(0) : static_cast<A>(data[1][b]);
            sum += v.multiply ? left * right : std::abs(left - right);
          });
          flush();
        }
      });
    }};
  });
}

// Inputs: out_grad, data1, data2.
Kernel backward_kernel(const KernelContext& c) {
  const CorrelationView v(c.in_shapes[1], c.attrs.get<CorrelationParam>());
  return visit_float(c.in_types[0], "Correlation", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[v](const KernelArgs& args) {
      const T *dy = args.input<T>(0), *x1 = args.input<T>(1), *x2 = args.input<T>(2);
      T *d1 = args.output<T>(0), *d2 = args.output<T>(1);
      const int64_t image = v.channels * v.height * v.width;
      parallel_for(v.batch, v.grid * v.grid * v.out_h * v.out_w * v.count() * 8, [&](int64_t begin, int64_t end) {
        std::fill(d1 + begin * image, d1 + end * image, T(0));
        std::fill(d2 + begin * image, d2 + end * image, T(0));
        const auto give = [](T* to, int64_t at, A value) {
          if (at >= 0) to[at] = static_cast<T>(static_cast<A>(to[at]) + value);
        };
        for (int64_t n = begin; n < end; ++n) {
          for (int64_t top = 0; top < v.grid * v.grid; ++top) {
            v.each_pair(n, top, [&](int64_t at, int64_t a, int64_t b) {
              const A g = static_cast<A>(dy[at]) / A(v.count());
              const A left = a < 0 ? A(0) : static_cast<A>(x1[a]), right = b < 0 ? A(0) : static_cast<A>(x2[b]);
              if (v.multiply) {
                give(d1, a, g * right);
                give(d2, b, g * left);
              } else {
                const A sign = left >= right ? A(1) : A(-1);
                give(d1, a, g * sign);
                give(d2, b, -g * sign);
              }
            });
          }
        }
      });
    }};
  });
}

}  // namespace

MXNET_REGISTER(correlation) {
  register_op("Correlation")
      .doc("Compares patches of two feature maps at every displacement up to a greatest one.")
      .params(schema())
      .inputs({"data1", "data2"})
      .outputs(3)
      .visible_outputs(1)
      .output_names({"output", "tmp1", "tmp2"})
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_Correlation", {0}, {0, 1}, {}))
      .kernel(forward_kernel);
  register_op("_backward_Correlation")
      .internal()
      .params(schema())
      .inputs({"out_grad", "data1", "data2"})
      .outputs(2)
      .infer_shape(shape_like_inputs({1, 2}))
      .infer_type(infer_same_type)
      .kernel(backward_kernel);
}

}  // namespace mxnet
