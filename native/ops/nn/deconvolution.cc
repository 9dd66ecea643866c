// Deconvolution: the transpose of a convolution in one to three dimensions.
#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/nn/conv_common.h"

namespace mxnet {
namespace {

ParamSchema schema() {
  using P = DeconvParam;
  return Params<P>()
      .required("kernel", static_cast<Shape P::*>(&P::kernel), "Window size: (w,), (h, w) or (d, h, w).")
      .field("stride", static_cast<Shape P::*>(&P::stride), "Step of the window in the output; 1 by default.")
      .field("dilate", static_cast<Shape P::*>(&P::dilate), "Distance between the taps of the window; 1 by default.")
      .field("pad", static_cast<Shape P::*>(&P::pad), "Elements cut from both sides of the output; none by default.")
      .field("adj", static_cast<Shape P::*>(&P::adj), "Elements added on the far side of the output; below the stride.")
      .field("target_shape", static_cast<Shape P::*>(&P::target_shape),
             "Spatial shape of the output; replaces pad and adj.")
      .required("num_filter", static_cast<uint32_t P::*>(&P::num_filter), "Number of output channels.")
      .range(1, 100000)
      .field("num_group", static_cast<uint32_t P::*>(&P::num_group), "Number of groups that channels are split into.")
      .field("workspace", static_cast<uint64_t P::*>(&P::workspace), "Workspace limit in megabytes; a hint for GPUs.")
      .range(0, 8192)
      .field("no_bias", static_cast<bool P::*>(&P::no_bias), "Leave out the bias.")
      .optional_enumeration("cudnn_tune", static_cast<int P::*>(&P::cudnn_tune),
                            {{"off", 0}, {"limited_workspace", 1}, {"fastest", 2}}, -1,
                            "How to choose a GPU algorithm; a hint.")
      .field("cudnn_off", static_cast<bool P::*>(&P::cudnn_off), "Do not use cuDNN; a hint for GPUs.")
      .optional_enumeration("layout", static_cast<int P::*>(&P::layout),
                            {{"NCW", kNCW}, {"NCHW", kNCHW}, {"NCDHW", kNCDHW}, {"NHWC", kNHWC}, {"NDHWC", kNDHWC}},
                            kLayoutNone, "Order of the axes of data, weight and output; channels first by default.");
}

// The window with the padding that the node really uses and, for each spatial dimension, the output size of `size`.
struct DeconvWindow : ConvWindow {
  std::array<int64_t, 3> adj{0, 0, 0};
  std::array<int64_t, 3> target{0, 0, 0};
  bool has_target = false;

  explicit DeconvWindow(const ConvParam& p) : ConvWindow(p, "Deconvolution") {
    adj = window_tuple(p.adj, spatial, 0, 0, "adj", "Deconvolution");
    target = window_tuple(p.target_shape, spatial, 0, -1, "target_shape", "Deconvolution");
    for (int i = 0; i < spatial; ++i) {
      has_target = has_target || target[at(i)] > 0;
      require(adj[at(i)] < stride[at(i)] || adj[at(i)] == 0, "Deconvolution: adj ", p.adj,
              " must be smaller than the stride ", p.stride);
    }
  }

  int64_t full_size(int i, int64_t size) const { return stride[at(i)] * (size - 1) + extent(i); }
  int64_t output_size(int i, int64_t size) const {
    if (!has_target) return full_size(i, size) - 2 * pad[at(i)] + adj[at(i)];
    require(full_size(i, size) >= target[at(i)], "Deconvolution: too big target shape: ", target[at(i)],
            " where at most ", full_size(i, size), " fits");
    return target[at(i)];
  }
  int64_t padding(int i, int64_t size) const {
    return has_target ? (full_size(i, size) - target[at(i)] + 1) / 2 : pad[at(i)];
  }
};

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<ConvParam>();
  const DeconvWindow w(p);
  Shape& data = in[0];
  if (!data.ndim_known()) return;
  require(data.ndim() == w.spatial + 2, "Deconvolution: Input data should be ", w.spatial + 2,
          "D in batch-num_filter-spatial, given ", data);
  const int channel = w.channel_axis();
  if (data[channel] < 0 && in[1].ndim() == w.spatial + 2) data[channel] = in[1][0];
  require(data[channel] < 0 || data[channel] % p.num_group == 0,
          "Deconvolution: input num_filter must divide group size: channels=", data[channel],
          ", num_group=", p.num_group);
  assign_shape(in[1], w.weight_shape(data[channel], p.num_filter / p.num_group), "Deconvolution weight");
  if (!p.no_bias) assign_shape(in[2], Shape{p.num_filter}, "Deconvolution bias");
  Shape result = Shape::filled(data.ndim(), -1);
  result[0] = data[0];
  result[channel] = p.num_filter;
  for (int i = 0; i < w.spatial; ++i) {
    const int64_t size = checked_extent(data[w.axis(i)], "data", "Deconvolution");
    if (size >= 0) {
      const int64_t wanted = w.output_size(i, size);
      require(wanted > 0, "Deconvolution: the output would have ", wanted, " elements along an axis, data is ", data);
      result[w.axis(i)] = wanted;
    }
  }
  assign_shape(out[0], result, "Deconvolution output");
  data[0] = out[0][0];
}

// The convolution that this one transposes: its data is our output.
ConvGeometry geometry(const ConvParam& p, const Shape& data, const Shape& out, DType dtype) {
  require_float(dtype, "Deconvolution");
  const DeconvWindow w(p);
  ConvGeometry g;
  g.spatial = w.spatial;
  g.channels_last = w.last;
  g.batch = data[0];
  g.in_channels = p.num_filter;
  g.out_channels = data[w.channel_axis()];
  g.groups = p.num_group;
  g.kernel = w.kernel, g.stride = w.stride, g.dilate = w.dilate;
  for (int i = 0; i < w.spatial; ++i) {
    const int64_t size = data[w.axis(i)];
    g.in[w.at(i)] = out[w.axis(i)];
    g.out[w.at(i)] = size;
    g.pad[w.at(i)] = w.padding(i, size);
  }
  g.dtype = dtype;
  return g;
}

Kernel forward_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ConvParam>();
  return conv_backward_data(geometry(p, c.in_shapes[0], c.out_shapes[0], c.in_types[0]),
                            {0, 1, p.no_bias ? -1 : 2, 0}, c.is_constant(1));
}

// Inputs: out_grad, weight, data (for its shape).
Kernel backward_data_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ConvParam>();
  return conv_forward(geometry(p, c.out_shapes[0], c.in_shapes[0], c.in_types[0]), {0, 1, -1, 0}, c.is_constant(1));
}

// Inputs: out_grad, data.
Kernel backward_weight_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<ConvParam>();
  return conv_backward_weight(geometry(p, c.in_shapes[1], c.in_shapes[0], c.in_types[0]), {0, 0, -1, 1});
}

AttrDict without_bias(AttrDict dict) {
  dict["no_bias"] = "True";
  return dict;
}

}  // namespace

MXNET_REGISTER(deconvolution) {
  register_op("Deconvolution")
      .alias({"_npx_deconvolution"})
      .doc("Transposed convolution: the map that a convolution's data gradient makes, with strides, groups, dilation.")
      .params(schema())
      .inputs(conv_input_names)
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"weight", "NDArray-or-Symbol"}, {"bias", "NDArray-or-Symbol"}})
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const auto& p = g.params<ConvParam>();
        std::vector<Entry> grads{
            g.op("_backward_Deconvolution_data", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()),
            g.op("_backward_Deconvolution_weight", {g.out_grad(), g.input(0)}, g.parameters())};
        if (!p.no_bias) {
          const int channel = ConvWindow(p, "Deconvolution").channel_axis();
          grads.push_back(g.op("sum", {g.out_grad()}, {{"axis", std::to_string(channel)}, {"exclude", "True"}}));
        }
        return grads;
      })
      .kernel(forward_kernel);
  register_op("_backward_Deconvolution_data")
      .internal()
      .params(schema())
      .inputs({"out_grad", "weight", "data"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const AttrDict dict = without_bias(g.parameters());
        return std::vector<Entry>{g.op("Deconvolution", {g.out_grad(), g.input(1)}, dict),
                                  g.op("_backward_Deconvolution_weight", {g.input(0), g.out_grad()}, dict), Entry{}};
      })
      .kernel(backward_data_kernel);
  register_op("_backward_Deconvolution_weight")
      .internal()
      .params(schema())
      .inputs({"out_grad", "data"})
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<ConvParam>();
        const ConvWindow w(p, "Deconvolution");
        if (!in[1].ndim_known()) return;
        assign_shape(out[0], w.weight_shape(in[1][w.channel_axis()], p.num_filter / p.num_group));
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const AttrDict dict = without_bias(g.parameters());
        return std::vector<Entry>{
            g.op("Deconvolution", {g.input(1), g.out_grad()}, dict),
            g.op("_backward_Deconvolution_data", {g.input(0), g.out_grad(), g.input(1)}, dict)};
      })
      .kernel(backward_weight_kernel);
}

}  // namespace mxnet
