// Convolution in one to three dimensions.
#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/nn/conv_common.h"

namespace mxnet {
namespace {

ParamSchema schema(bool with_1d) {
  std::vector<EnumChoice> layouts{{"NCHW", kNCHW}, {"NHWC", kNHWC}, {"NCDHW", kNCDHW}, {"NDHWC", kNDHWC}};
  if (with_1d) layouts.push_back({"NCW", kNCW});
  return Params<ConvParam>()
      .required("kernel", &ConvParam::kernel, "Window size: (w,), (h, w) or (d, h, w).")
      .field("stride", &ConvParam::stride, "Step of the window; 1 everywhere by default.")
      .field("dilate", &ConvParam::dilate, "Distance between the taps of the window; 1 everywhere by default.")
      .field("pad", &ConvParam::pad, "Zeros added on both sides; none by default.")
      .required("num_filter", &ConvParam::num_filter, "Number of output channels.")
      .range(1, 100000)
      .field("num_group", &ConvParam::num_group, "Number of groups that channels are split into.")
      .field("workspace", &ConvParam::workspace, "Workspace limit in megabytes; a hint for GPUs.")
      .range(0, 8192)
      .field("no_bias", &ConvParam::no_bias, "Leave out the bias.")
      .optional_enumeration("cudnn_tune", &ConvParam::cudnn_tune, {{"off", 0}, {"limited_workspace", 1}, {"fastest", 2}},
                            -1, "How to choose a GPU algorithm; a hint.")
      .field("cudnn_off", &ConvParam::cudnn_off, "Do not use cuDNN; a hint for GPUs.")
      .optional_enumeration("layout", &ConvParam::layout, std::move(layouts), kLayoutNone,
                            "Order of the axes of data, weight and output; channels first by default.");
}

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<ConvParam>();
  const ConvWindow w(p, "Convolution");
  Shape& data = in[0];
  if (!data.ndim_known()) return;
  require(data.ndim() == w.spatial + 2, "Convolution: Input data should be ", w.spatial + 2,
          "D in batch-num_filter-spatial, given ", data);
  const int channel = w.channel_axis();
  if (data[channel] < 0 && in[1].ndim() == w.spatial + 2 && w.weight_inner(in[1]) >= 0) {
    data[channel] = checked_mul(w.weight_inner(in[1]), p.num_group, "channels of Convolution");
  }
  require(data[channel] < 0 || data[channel] % p.num_group == 0,
          "Convolution: input num_filter must divide group size: channels=", data[channel], ", num_group=", p.num_group);
  const int64_t inner = data[channel] < 0 ? -1 : data[channel] / p.num_group;
  assign_shape(in[1], w.weight_shape(p.num_filter, inner), "Convolution weight");
  if (!p.no_bias) assign_shape(in[2], Shape{p.num_filter}, "Convolution bias");
  Shape result = Shape::filled(data.ndim(), -1);
  result[0] = data[0];
  result[channel] = p.num_filter;
  for (int i = 0; i < w.spatial; ++i) {
    const int64_t size = checked_extent(data[w.axis(i)], "data", "Convolution");
    if (size < 0) continue;
    const int64_t room = size + 2 * w.pad[w.at(i)] - w.extent(i);
    require(room >= 0, "Convolution: kernel size exceed input: ", w.extent(i), " with dilation against ",
            size + 2 * w.pad[w.at(i)], " with padding, data is ", data);
    result[w.axis(i)] = room / w.stride[w.at(i)] + 1;
  }
  assign_shape(out[0], result, "Convolution output");
  data[0] = out[0][0];
  for (int i = 0; i < w.spatial; ++i) {
    if (data[w.axis(i)] < 0 && out[0][w.axis(i)] >= 0 && w.stride[w.at(i)] == 1) {
      checked_extent(out[0][w.axis(i)], "output", "Convolution");
      data[w.axis(i)] = out[0][w.axis(i)] - 1 + w.extent(i) - 2 * w.pad[w.at(i)];
    }
  }
}

ConvGeometry geometry(const ConvParam& p, const Shape& data, const Shape& out, DType dtype) {
  require_float(dtype, "Convolution");
  const ConvWindow w(p, "Convolution");
  ConvGeometry g;
  g.spatial = w.spatial;
  g.channels_last = w.last;
  g.batch = data[0];
  g.in_channels = data[w.channel_axis()];
  g.out_channels = p.num_filter;
  g.groups = p.num_group;
  g.kernel = w.kernel, g.stride = w.stride, g.dilate = w.dilate, g.pad = w.pad;
  for (int i = 0; i < w.spatial; ++i) {
    g.in[w.at(i)] = data[w.axis(i)];
    g.out[w.at(i)] = out[w.axis(i)];
  }
  g.dtype = dtype;
  return g;
}

Kernel forward_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ConvParam>();
  return conv_forward(geometry(p, c.in_shapes[0], c.out_shapes[0], c.in_types[0]), {0, 1, p.no_bias ? -1 : 2, 0},
                      c.is_constant(1));
}

Kernel backward_data_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ConvParam>();
  return conv_backward_data(geometry(p, c.out_shapes[0], c.in_shapes[0], c.in_types[0]), {0, 1, -1, 0},
                            c.is_constant(1));
}

Kernel backward_weight_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ConvParam>();
  return conv_backward_weight(geometry(p, c.in_shapes[1], c.in_shapes[0], c.in_types[0]),
                              {1, 0, p.no_bias ? -1 : 1, 0});
}

void infer_backward_weight(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<ConvParam>();
  const ConvWindow w(p, "Convolution");
  if (!in[1].ndim_known()) return;
  assign_shape(out[0], w.weight_shape(p.num_filter, in[1][w.channel_axis()] / p.num_group));
  if (!p.no_bias) assign_shape(out[1], Shape{p.num_filter});
}

std::vector<Entry> gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const NodePtr weight = g.node("_backward_Convolution_weight", {g.out_grad(), g.input(0)}, g.parameters());
  std::vector<Entry> grads{
      g.op("_backward_Convolution_data", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()), Entry{weight, 0, 0}};
  if (!g.params<ConvParam>().no_bias) grads.push_back(Entry{weight, 1, 0});
  return grads;
}

AttrDict without_bias(AttrDict dict) {
  dict["no_bias"] = "True";
  return dict;
}

void register_convolution(const char* name, bool with_1d, std::initializer_list<const char*> aliases) {
  register_op(name)
      .alias(aliases)
      .doc("Convolution over one, two or three spatial axes, with groups, strides and dilation.")
      .params(schema(with_1d))
      .inputs(conv_input_names)
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient(gradient)
      .kernel(forward_kernel);
}

}  // namespace

MXNET_REGISTER(convolution) {
  register_convolution("Convolution", true, {"_npx_convolution"});
  register_convolution("Convolution_v1", false, {});

  register_op("_backward_Convolution_data")
      .internal()
      .params(schema(true))
      .inputs({"out_grad", "weight", "data"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const AttrDict dict = without_bias(g.parameters());
        return std::vector<Entry>{g.op("Convolution", {g.out_grad(), g.input(1)}, dict),
                                  g.op("_backward_Convolution_weight", {g.input(0), g.out_grad()}, dict), Entry{}};
      })
      .kernel(backward_data_kernel);
  register_op("_backward_Convolution_weight")
      .internal()
      .params(schema(true))
      .inputs({"out_grad", "data"})
      .outputs([](const Attrs& attrs) { return attrs.get<ConvParam>().no_bias ? 1 : 2; })
      .infer_shape(infer_backward_weight)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> args{g.input(1), g.out_grad(0)};
        if (!g.params<ConvParam>().no_bias) args.push_back(g.out_grad(1));
        return std::vector<Entry>{
            g.op("Convolution", std::move(args), g.parameters()),
            g.op("_backward_Convolution_data", {g.input(0), g.out_grad(0), g.input(1)}, g.parameters())};
      })
      .kernel(backward_weight_kernel);
}

}  // namespace mxnet
