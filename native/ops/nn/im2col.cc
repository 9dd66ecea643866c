// im2col and col2im: the patches of images as columns, and the sum of columns back into images.
#include "kernels/im2col.h"

#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/nn/conv_common.h"

namespace mxnet {
namespace {

struct Im2colParam {
  Shape kernel;
  Shape stride = Shape::scalar();
  Shape dilate = Shape::scalar();
  Shape pad = Shape::scalar();
};

struct Col2imParam : Im2colParam {
  Shape output_size;
};

template <class P>
Params<P>& window_fields(Params<P>& schema) {
  return schema.required("kernel", static_cast<Shape P::*>(&P::kernel), "Window size: (w,), (h, w) or (d, h, w).")
      .field("stride", static_cast<Shape P::*>(&P::stride), "Step of the window; 1 everywhere by default.")
      .field("dilate", static_cast<Shape P::*>(&P::dilate), "Distance between the taps of the window; 1 by default.")
      .field("pad", static_cast<Shape P::*>(&P::pad), "Zeros added on both sides; none by default.");
}

// The window over an image of the given spatial size (three entries, trailing ones count).
ConvGeometry window(const Im2colParam& p, const Shape& size, int first_axis, const char* name) {
  ConvGeometry g;
  g.spatial = p.kernel.ndim();
  require(g.spatial >= 1 && g.spatial <= 3, name, ": kernel must have 1, 2 or 3 dimensions, given ", p.kernel);
  require(size.ndim() - first_axis == g.spatial, name, ": kernel ", p.kernel, " does not suit images of shape ", size);
  g.kernel = window_tuple(p.kernel, g.spatial, 1, 1, "kernel", name);
  g.stride = window_tuple(p.stride, g.spatial, 1, 1, "stride", name);
  g.dilate = window_tuple(p.dilate, g.spatial, 1, 1, "dilate", name);
  g.pad = window_tuple(p.pad, g.spatial, 0, 0, "pad", name);
  for (int i = 0; i < g.spatial; ++i) {
    const int at = 3 - g.spatial + i;
    g.in[at] = checked_extent(size[first_axis + i], "data", name);
    if (g.in[at] < 0) {
      g.out[at] = -1;
      continue;
    }
    const int64_t room = g.in[at] + 2 * g.pad[at] - (g.kernel[at] - 1) * g.dilate[at] - 1;
    require(room >= 0, name, ": kernel size exceed input: kernel ", p.kernel, ", images of shape ", size);
    g.out[at] = room / g.stride[at] + 1;
  }
  return g;
}

int64_t patches(const ConvGeometry& g) {
  if (g.out[0] < 0 || g.out[1] < 0 || g.out[2] < 0) return -1;
  return checked_mul(checked_mul(g.out[0], g.out[1], "patches"), g.out[2], "patches");
}

int64_t taps(const ConvGeometry& g) {
  return checked_mul(checked_mul(g.kernel[0], g.kernel[1], "kernel"), g.kernel[2], "kernel");
}

void infer_im2col(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<Im2colParam>();
  if (!in[0].ndim_known()) return;
  const ConvGeometry g = window(p, in[0], 2, "im2col");
  assign_shape(out[0], Shape{in[0][0], in[0][1] < 0 ? -1 : checked_mul(in[0][1], taps(g), "rows of im2col"), patches(g)}, "im2col");
}

void infer_col2im(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<Col2imParam>();
  const ConvGeometry g = window(p, p.output_size, 0, "col2im");
  assign_shape(in[0], Shape{-1, -1, patches(g)}, "col2im data");
  require(in[0][1] < 0 || in[0][1] % taps(g) == 0, "col2im: rows of ", in[0], " must be a multiple of the kernel size ",
          taps(g));
  Shape result{in[0][0], in[0][1] < 0 ? -1 : in[0][1] / taps(g)};
  for (int64_t size : p.output_size) result.push_back(size);
  assign_shape(out[0], result, "col2im");
}

// `image` has shape (batch, channels, spatial...).
Kernel make_kernel(const KernelContext& c, const Im2colParam& p, const Shape& image, bool to_columns) {
  const ConvGeometry g = window(p, image, 2, to_columns ? "im2col" : "col2im");
  const int64_t batch = image[0], channels = image[1];
  return visit_float(c.in_types[0], to_columns ? "im2col" : "col2im", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const int64_t image_step = channels * g.in_size(), column_step = channels * g.kernel_size() * g.out_size();
      for (int64_t n = 0; n < batch; ++n) {
        if (to_columns) {
          im2col(g, channels, args.input<T>(0) + n * image_step, args.output<T>(0) + n * column_step);
        } else {
          col2im(g, channels, args.input<T>(0) + n * column_step, args.output<T>(0) + n * image_step);
        }
      }
    }};
  });
}

}  // namespace

MXNET_REGISTER(im2col) {
  Params<Im2colParam> im2col_schema;
  window_fields(im2col_schema);
  Params<Col2imParam> col2im_schema;
  col2im_schema.required("output_size", &Col2imParam::output_size, "Spatial shape of the images.");
  window_fields(col2im_schema);
  register_op("im2col")
      .doc("Patches of images as columns: (batch, channels * kernel, patches).")
      .params(im2col_schema)
      .infer_shape(infer_im2col)
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_im2col", {0}, {0}, {}))
      .kernel([](const KernelContext& c) { return make_kernel(c, c.attrs.get<Im2colParam>(), c.in_shapes[0], true); });
  register_op("_backward_im2col")
      .internal()
      .params(im2col_schema)
      .inputs({"out_grad", "data"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("im2col", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) { return make_kernel(c, c.attrs.get<Im2colParam>(), c.out_shapes[0], false); });
  register_op("col2im")
      .doc("Adds columns of patches up into images of the given size.")
      .params(col2im_schema)
      .infer_shape(infer_col2im)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        AttrDict dict = g.parameters();
        dict.erase("output_size");
        return std::vector<Entry>{g.op("im2col", {g.out_grad()}, dict)};
      })
      .kernel([](const KernelContext& c) { return make_kernel(c, c.attrs.get<Im2colParam>(), c.out_shapes[0], false); });
}

}  // namespace mxnet
