// GridGenerator, BilinearSampler and SpatialTransformer.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

enum TransformType { kAffine = 0, kWarp = 1 };

struct GridParam {
  int transform_type = kAffine;
  Shape target_shape{0, 0};
};

struct SamplerParam {
  std::optional<bool> cudnn_off;
};

struct TransformerParam {
  Shape target_shape{0, 0};
  int transform_type = kAffine;
  int sampler_type = 0;
  std::optional<bool> cudnn_off;
};

// Position i of n on [-1, 1].
template <class A>
A normalised(int64_t i, int64_t n) {
  return n > 1 ? A(-1) + A(i) * (A(2) / A(n - 1)) : A(-1);
}

// ---- GridGenerator ---------------------------------------------------------------------------------------------------

void infer_grid(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<GridParam>();
  Shape& data = in[0];
  if (p.transform_type == kAffine) {
    require(p.target_shape.ndim() == 2 && p.target_shape[0] > 0 && p.target_shape[1] > 0,
            "GridGenerator: target_shape must be two positive numbers for an affine transform, given ", p.target_shape);
    assign_shape(data, Shape{-1, 6}, "GridGenerator data");
    assign_shape(out[0], Shape{data[0], 2, p.target_shape[0], p.target_shape[1]}, "GridGenerator");
    assign_shape(out[1], Shape{3, checked_mul(p.target_shape[0], p.target_shape[1], "target_shape")}, "GridGenerator");
    data[0] = out[0][0];
    return;
  }
  assign_shape(data, out[0], "GridGenerator");
  if (!data.ndim_known()) return;
  require(data.ndim() == 4 && (data[1] < 0 || data[1] == 2),
          "GridGenerator: a flow field should be of shape (batch, 2, height, width), given ", data);
  data[1] = 2;
  assign_shape(out[0], data, "GridGenerator");
  assign_shape(out[1], Shape{2, data[2], data[3]}, "GridGenerator");
}

// target pixels as homogeneous coordinates [x; y; 1], each a row of height * width numbers.
template <class T>
void write_target(T* target, int64_t height, int64_t width) {
  using A = compute_t<T>;
  const int64_t n = height * width;
  for (int64_t h = 0; h < height; ++h) {
    for (int64_t w = 0; w < width; ++w) {
      target[h * width + w] = static_cast<T>(normalised<A>(w, width));
      target[n + h * width + w] = static_cast<T>(normalised<A>(h, height));
      target[2 * n + h * width + w] = static_cast<T>(1);
    }
  }
}

// One image's source coordinates: theta (2 x 3) times the target pixels.
template <class A, class T>
void affine_grid(const T* theta, int64_t height, int64_t width, A* x, A* y) {
  A t[6];
  for (int i = 0; i < 6; ++i) t[i] = static_cast<A>(theta[i]);
  for (int64_t h = 0; h < height; ++h) {
    const A v = normalised<A>(h, height);
    for (int64_t w = 0; w < width; ++w) {
      const A u = normalised<A>(w, width);
      x[h * width + w] = t[0] * u + t[1] * v + t[2];
      y[h * width + w] = t[3] * u + t[4] * v + t[5];
    }
  }
}

Kernel grid_kernel(const KernelContext& c) {
  const bool affine = c.attrs.get<GridParam>().transform_type == kAffine;
  const Shape s = c.out_shapes[0];
  return visit_float(c.in_types[0], "GridGenerator", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    Kernel kernel;
    const int64_t n = s[2] * s[3];
    kernel.workspace_bytes = affine ? static_cast<size_t>(2 * n) * sizeof(A) : 0;
    kernel.run = [=](const KernelArgs& args) {
      const T* data = args.input<T>(0);
      T* out = args.output<T>(0);
      T* target = args.output<T>(1);
      if (affine) {
        write_target(target, s[2], s[3]);
        A* grid = static_cast<A*>(args.workspace);
        for (int64_t b = 0; b < s[0]; ++b) {
          affine_grid(data + b * 6, s[2], s[3], grid, grid + n);
          for (int64_t i = 0; i < 2 * n; ++i) out[b * 2 * n + i] = static_cast<T>(grid[i]);
        }
        return;
      }
      for (int64_t h = 0; h < s[2]; ++h) {
        for (int64_t w = 0; w < s[3]; ++w) {
          target[h * s[3] + w] = static_cast<T>(static_cast<A>(w));
          target[n + h * s[3] + w] = static_cast<T>(static_cast<A>(h));
        }
      }
      const A half_x = A(s[3] - 1) / 2, half_y = A(s[2] - 1) / 2;
      for (int64_t b = 0; b < s[0]; ++b) {
        const T* flow = data + b * 2 * n;
        for (int64_t h = 0; h < s[2]; ++h) {
          for (int64_t w = 0; w < s[3]; ++w) {
            const int64_t i = h * s[3] + w;
            out[b * 2 * n + i] = static_cast<T>((static_cast<A>(flow[i]) + A(w)) / half_x - A(1));
            out[b * 2 * n + n + i] = static_cast<T>((static_cast<A>(flow[n + i]) + A(h)) / half_y - A(1));
          }
        }
      }
    };
    return kernel;
  });
}

// Inputs: out_grad, data (for its shape).
Kernel grid_backward_kernel(const KernelContext& c) {
  const bool affine = c.attrs.get<GridParam>().transform_type == kAffine;
  const Shape s = c.in_shapes[0];
  return visit_float(c.in_types[0], "GridGenerator", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[=](const KernelArgs& args) {
      const int64_t n = s[2] * s[3];
      const A half_x = A(s[3] - 1) / 2, half_y = A(s[2] - 1) / 2;
      for (int64_t b = 0; b < s[0]; ++b) {
        const T* dy = args.input<T>(0) + b * 2 * n;
        if (!affine) {
          T* dx = args.output<T>(0) + b * 2 * n;
          for (int64_t i = 0; i < n; ++i) {
            dx[i] = static_cast<T>(static_cast<A>(dy[i]) / half_x);
            dx[n + i] = static_cast<T>(static_cast<A>(dy[n + i]) / half_y);
          }
          continue;
        }
        for (int row = 0; row < 2; ++row) {
          A sum[3] = {};
          for (int64_t h = 0; h < s[2]; ++h) {
            for (int64_t w = 0; w < s[3]; ++w) {
              const A d = static_cast<A>(dy[row * n + h * s[3] + w]);
              sum[0] += d * normalised<A>(w, s[3]);
              sum[1] += d * normalised<A>(h, s[2]);
              sum[2] += d;
            }
          }
          for (int k = 0; k < 3; ++k) args.output<T>(0)[b * 6 + row * 3 + k] = static_cast<T>(sum[k]);
        }
      }
    }};
  });
}

// ---- bilinear sampling -----------------------------------------------------------------------------------------------

struct SampleView {
  int64_t batch, channels, height, width, out_height, out_width;
  int64_t plane() const { return height * width; }
  int64_t pixels() const { return out_height * out_width; }
};

// The four neighbours of a source position; those outside the image count as zero.
template <class A>
struct Corners {
  int64_t x0, y0;
  A right, below;  // weights of the neighbours on the right and below
  Corners(A gx, A gy, const SampleView& v) {
    const A x = (gx + A(1)) * A(v.width - 1) / 2, y = (gy + A(1)) * A(v.height - 1) / 2;
    // Far away or not a number: no neighbour is inside.
    const bool sane = std::abs(x) < A(1e9) && std::abs(y) < A(1e9);
    x0 = sane ? static_cast<int64_t>(std::floor(x)) : -2;
    y0 = sane ? static_cast<int64_t>(std::floor(y)) : -2;
    right = sane ? x - A(x0) : A(0);
    below = sane ? y - A(y0) : A(0);
  }
};

template <class A, class T>
A pixel(const T* image, const SampleView& v, int64_t y, int64_t x) {
  return y >= 0 && y < v.height && x >= 0 && x < v.width ? static_cast<A>(image[y * v.width + x]) : A(0);
}

// grid(n, i, gx, gy) gives the source position of output pixel i of image n.
template <class T, class Grid>
void sample(const T* data, T* out, const SampleView& v, Grid grid) {
  using A = compute_t<T>;
  parallel_for(v.batch * v.pixels(), v.channels * 10, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t n = p / v.pixels(), i = p % v.pixels();
      A gx, gy;
      grid(n, i, gx, gy);
      const Corners<A> k(gx, gy, v);
      for (int64_t c = 0; c < v.channels; ++c) {
        const T* image = data + (n * v.channels + c) * v.plane();
        const A top = pixel<A>(image, v, k.y0, k.x0) * (1 - k.right) + pixel<A>(image, v, k.y0, k.x0 + 1) * k.right;
        const A low = pixel<A>(image, v, k.y0 + 1, k.x0) * (1 - k.right) + pixel<A>(image, v, k.y0 + 1, k.x0 + 1) * k.right;
        out[(n * v.channels + c) * v.pixels() + i] = static_cast<T>(top * (1 - k.below) + low * k.below);
      }
    }
  });
}

SampleView sample_view(const Shape& data, int64_t out_height, int64_t out_width) {
  return {data[0], data[1], data[2], data[3], out_height, out_width};
}

void infer_sampler(const Attrs&, ShapeVec& in, ShapeVec& out) {
  Shape& data = in[0];
  Shape& grid = in[1];
  require(!data.ndim_known() || data.ndim() == 4, "BilinearSampler: data should be 4D in batch-channel-y-x, given ", data);
  if (!grid.ndim_known()) return;
  require(grid.ndim() == 4 && (grid[1] < 0 || grid[1] == 2),
          "BilinearSampler: grid should be of shape (batch, 2, height, width), given ", grid);
  grid[1] = 2;
  if (!data.ndim_known()) return;
  if (grid[0] < 0) grid[0] = data[0];
  if (data[0] < 0) data[0] = grid[0];
  require(grid[0] == data[0], "BilinearSampler: batch sizes of data and grid differ: ", data, " and ", grid);
  assign_shape(out[0], Shape{data[0], data[1], grid[2], grid[3]}, "BilinearSampler");
  assign_shape(out[1], Shape{data[0], grid[2], grid[3], 2}, "BilinearSampler");
}

Kernel sampler_kernel(const KernelContext& c) {
  const Shape g = c.in_shapes[1];
  const SampleView v = sample_view(c.in_shapes[0], g[2], g[3]);
  return visit_float(c.in_types[0], "BilinearSampler", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[v](const KernelArgs& args) {
      const T* grid = args.input<T>(1);
      T* position = args.output<T>(1);  // source positions in pixels
      const int64_t n = v.pixels();
      for (int64_t b = 0; b < v.batch; ++b) {
        for (int64_t i = 0; i < n; ++i) {
          position[(b * n + i) * 2] = static_cast<T>((static_cast<A>(grid[b * 2 * n + n + i]) + 1) * A(v.height - 1) / 2);
          position[(b * n + i) * 2 + 1] = static_cast<T>((static_cast<A>(grid[b * 2 * n + i]) + 1) * A(v.width - 1) / 2);
        }
      }
      sample(args.input<T>(0), args.output<T>(0), v, [&](int64_t b, int64_t i, A& x, A& y) {
        x = static_cast<A>(grid[b * 2 * n + i]);
        y = static_cast<A>(grid[b * 2 * n + n + i]);
      });
    }};
  });
}

// Inputs: out_grad, data, grid; outputs: the gradients of data and grid.
Kernel sampler_backward_kernel(const KernelContext& c) {
  const Shape g = c.in_shapes[2];
  const SampleView v = sample_view(c.in_shapes[1], g[2], g[3]);
  return visit_float(c.in_types[0], "BilinearSampler", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[v](const KernelArgs& args) {
      const T* dy = args.input<T>(0);
      const T* data = args.input<T>(1);
      const T* grid = args.input<T>(2);
      T* ddata = args.output<T>(0);
      T* dgrid = args.output<T>(1);
      const int64_t n = v.pixels();
      parallel_for(v.batch * v.channels, n * 10, [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
          const T* g = grid + plane / v.channels * 2 * n;
          T* image = ddata + plane * v.plane();
          std::fill_n(image, v.plane(), T(0));
          const auto give = [&](int64_t y, int64_t x, A value) {
            if (y < 0 || y >= v.height || x < 0 || x >= v.width) return;
            T& slot = image[y * v.width + x];
            slot = static_cast<T>(static_cast<A>(slot) + value);
          };
          for (int64_t i = 0; i < n; ++i) {
            const Corners<A> k(static_cast<A>(g[i]), static_cast<A>(g[n + i]), v);
            const A d = static_cast<A>(dy[plane * n + i]);
            give(k.y0, k.x0, d * (1 - k.right) * (1 - k.below));
            give(k.y0, k.x0 + 1, d * k.right * (1 - k.below));
            give(k.y0 + 1, k.x0, d * (1 - k.right) * k.below);
            give(k.y0 + 1, k.x0 + 1, d * k.right * k.below);
          }
        }
      });
      parallel_for(v.batch * n, v.channels * 10, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const int64_t b = p / n, i = p % n;
          const T* g = grid + b * 2 * n;
          const Corners<A> k(static_cast<A>(g[i]), static_cast<A>(g[n + i]), v);
          A dx = 0, dyy = 0;
          for (int64_t c = 0; c < v.channels; ++c) {
            const T* image = data + (b * v.channels + c) * v.plane();
            const A d = static_cast<A>(dy[(b * v.channels + c) * n + i]);
            const A tl = pixel<A>(image, v, k.y0, k.x0), tr = pixel<A>(image, v, k.y0, k.x0 + 1);
            const A bl = pixel<A>(image, v, k.y0 + 1, k.x0), br = pixel<A>(image, v, k.y0 + 1, k.x0 + 1);
            dx += d * ((tr - tl) * (1 - k.below) + (br - bl) * k.below);
            dyy += d * ((bl - tl) * (1 - k.right) + (br - tr) * k.right);
          }
          dgrid[b * 2 * n + i] = static_cast<T>(dx * A(v.width - 1) / 2);
          dgrid[b * 2 * n + n + i] = static_cast<T>(dyy * A(v.height - 1) / 2);
        }
      });
    }};
  });
}

// ---- SpatialTransformer ----------------------------------------------------------------------------------------------

void infer_transformer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<TransformerParam>();
  Shape& data = in[0];
  if (!data.ndim_known()) return;
  require(data.ndim() == 4, "SpatialTransformer: input data should be 4D in batch-num_filter-y-x, given ", data);
  require(p.target_shape.ndim() == 2 && p.target_shape[0] > 0 && p.target_shape[1] > 0,
          "SpatialTransformer: target_shape must be two positive numbers, given ", p.target_shape);
  assign_shape(in[1], Shape{data[0], 6}, "SpatialTransformer loc");
  data[0] = in[1][0];
  assign_shape(out[0], Shape{data[0], data[1], p.target_shape[0], p.target_shape[1]}, "SpatialTransformer");
  assign_shape(out[1], Shape{3, checked_mul(p.target_shape[0], p.target_shape[1], "target_shape")}, "SpatialTransformer");
  assign_shape(out[2], Shape{data[0], 2, checked_mul(p.target_shape[0], p.target_shape[1], "target_shape")}, "SpatialTransformer");
}

Kernel transformer_kernel(const KernelContext& c) {
  const Shape y = c.out_shapes[0];
  const SampleView v = sample_view(c.in_shapes[0], y[2], y[3]);
  return visit_float(c.in_types[0], "SpatialTransformer", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    Kernel kernel;
    const int64_t n = v.pixels();
    kernel.workspace_bytes = static_cast<size_t>(v.batch * 2 * n) * sizeof(A);
    kernel.run = [v, n](const KernelArgs& args) {
      A* grid = static_cast<A*>(args.workspace);
      write_target(args.output<T>(1), v.out_height, v.out_width);
      for (int64_t b = 0; b < v.batch; ++b) {
        affine_grid(args.input<T>(1) + b * 6, v.out_height, v.out_width, grid + b * 2 * n, grid + b * 2 * n + n);
      }
      for (int64_t i = 0; i < v.batch * 2 * n; ++i) args.output<T>(2)[i] = static_cast<T>(grid[i]);
      sample(args.input<T>(0), args.output<T>(0), v, [&](int64_t b, int64_t i, A& x, A& y) {
        x = grid[b * 2 * n + i];
        y = grid[b * 2 * n + n + i];
      });
    };
    return kernel;
  });
}

std::vector<Entry> transformer_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const AttrDict dict{{"transform_type", "affine"}, {"target_shape", tuple_text(g.params<TransformerParam>().target_shape)}};
  const Entry grid = g.op("GridGenerator", {g.input(1)}, dict);
  const NodePtr sampled = g.node("_backward_BilinearSampler", {g.out_grad(), g.input(0), grid});
  return {Entry{sampled, 0, 0}, g.op("_backward_GridGenerator", {Entry{sampled, 1, 0}, g.input(1)}, dict)};
}

}  // namespace

MXNET_REGISTER(spatial_transformer) {
  const std::vector<EnumChoice> affine{{"affine", kAffine}};
  const std::vector<EnumChoice> both{{"affine", kAffine}, {"warp", kWarp}};
  const ParamSchema grid_schema =
      Params<GridParam>()
          .required_enumeration("transform_type", &GridParam::transform_type, both, "Affine matrices, or a flow field.")
          .field("target_shape", &GridParam::target_shape, "Height and width of the grid, for affine.");
  const ParamSchema sampler_schema =
      Params<SamplerParam>().field("cudnn_off", &SamplerParam::cudnn_off, "Do not use cuDNN; a hint for GPUs.");

  register_op("GridGenerator")
      .doc("Sampling positions in [-1, 1] made of affine matrices or a flow field, for BilinearSampler.")
      .params(grid_schema)
      .outputs(2)
      .visible_outputs(1)
      .output_names({"output", "grid_dst"})
      .infer_shape(infer_grid)
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_GridGenerator", {0}, {0}, {}))
      .kernel(grid_kernel);
  register_op("_backward_GridGenerator")
      .internal()
      .params(grid_schema)
      .inputs({"out_grad", "data"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel(grid_backward_kernel);

  register_op("BilinearSampler")
      .doc("Samples images at positions in [-1, 1] by bilinear interpolation; zero outside the image.")
      .params(sampler_schema)
      .inputs({"data", "grid"})
      .outputs(2)
      .visible_outputs(1)
      .output_names({"output", "tmp"})
      .infer_shape(infer_sampler)
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_BilinearSampler", {0}, {0, 1}, {}))
      .kernel(sampler_kernel);
  register_op("_backward_BilinearSampler")
      .internal()
      .params(sampler_schema)
      .inputs({"out_grad", "data", "grid"})
      .outputs(2)
      .infer_shape(shape_like_inputs({1, 2}))
      .infer_type(infer_same_type)
      .kernel(sampler_backward_kernel);

  register_op("SpatialTransformer")
      .doc("Samples images at the positions that affine matrices give.")
      .params(Params<TransformerParam>()
                  .field("target_shape", &TransformerParam::target_shape, "Height and width of the output.")
                  .required_enumeration("transform_type", &TransformerParam::transform_type, affine, "How loc is read.")
                  .required_enumeration("sampler_type", &TransformerParam::sampler_type, {{"bilinear", 0}}, "How images are sampled.")
                  .field("cudnn_off", &TransformerParam::cudnn_off, "Do not use cuDNN; a hint for GPUs."))
      .inputs({"data", "loc"})
      .outputs(3)
      .visible_outputs(1)
      .output_names({"output", "grid_dst", "grid_src"})
      .infer_shape(infer_transformer)
      .infer_type(infer_same_type)
      .gradient(transformer_gradient)
      .kernel(transformer_kernel);
}

}  // namespace mxnet
