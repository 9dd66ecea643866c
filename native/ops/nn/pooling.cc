// Pooling and its older form Pooling_v1.
#include "kernels/gemm.h"
#include "kernels/pool.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/nn/conv_common.h"

namespace mxnet {
namespace {

enum Convention { kValid = 0, kFull = 1, kSame = 2 };

struct PoolParam {
  Shape kernel = Shape::scalar();
  int pool_type = static_cast<int>(PoolType::kMax);
  bool global_pool = false;
  bool cudnn_off = false;
  int pooling_convention = kValid;
  Shape stride = Shape::scalar();
  Shape pad = Shape::scalar();
  std::optional<int32_t> p_value;
  std::optional<bool> count_include_pad;
  int layout = kLayoutNone;

  PoolType type() const { return static_cast<PoolType>(pool_type); }
};

const char* const kKernelDoc = "Window size; the whole image where global_pool is set.";
const char* const kStrideDoc = "Step of the window; 1 everywhere by default.";
const char* const kPadDoc = "Border added on both sides; none by default.";

ParamSchema schema() {
  return Params<PoolParam>()
      .field("kernel", &PoolParam::kernel, kKernelDoc)
      .enumeration("pool_type", &PoolParam::pool_type, {{"max", 0}, {"avg", 1}, {"sum", 2}, {"lp", 3}},
                   "How a window becomes one number.")
      .field("global_pool", &PoolParam::global_pool, "Pool each whole image; kernel, stride and pad are ignored.")
      .field("cudnn_off", &PoolParam::cudnn_off, "Do not use cuDNN; a hint for GPUs.")
      .enumeration("pooling_convention", &PoolParam::pooling_convention,
                   {{"full", kFull}, {"valid", kValid}, {"same", kSame}},
                   "How the output size is rounded: down (valid), up (full), or input size / stride up (same).")
      .field("stride", &PoolParam::stride, kStrideDoc)
      .field("pad", &PoolParam::pad, kPadDoc)
      .field("p_value", &PoolParam::p_value, "Power of lp pooling: 1, 2 or 3.")
      .field("count_include_pad", &PoolParam::count_include_pad, "Whether averages count the border; true by default.")
      .optional_enumeration("layout", &PoolParam::layout,
                            {{"NCW", kNCW}, {"NCHW", kNCHW}, {"NCDHW", kNCDHW}, {"NWC", kNWC}, {"NHWC", kNHWC}, {"NDHWC", kNDHWC}},
                            kLayoutNone, "Order of the axes; channels first by default.");
}

ParamSchema schema_v1() {
  return Params<PoolParam>()
      .field("kernel", &PoolParam::kernel, kKernelDoc)
      .enumeration("pool_type", &PoolParam::pool_type, {{"max", 0}, {"avg", 1}, {"sum", 2}},
                   "How a window becomes one number.")
      .field("global_pool", &PoolParam::global_pool, "Pool each whole image; kernel, stride and pad are ignored.")
      .enumeration("pooling_convention", &PoolParam::pooling_convention, {{"full", kFull}, {"valid", kValid}},
                   "How the output size is rounded: down (valid) or up (full).")
      .field("stride", &PoolParam::stride, kStrideDoc)
      .field("pad", &PoolParam::pad, kPadDoc);
}

// What both forms differ in.
struct Form {
  const char* name;
  bool v1;
};
constexpr Form kNew{"Pooling", false};
constexpr Form kOld{"Pooling_v1", true};

// Whether the second, hidden output exists.
bool has_taps(const PoolParam& p) {
  return p.type() == PoolType::kMax && (p.layout == kLayoutNone || p.layout % 2 == 0);
}

int spatial_dims(const PoolParam& p, const Shape& data, const char* name) {
  require(data.ndim() >= 3 && data.ndim() <= 5, name, ": Input data should be 3D in (batch, channel, x) Or 4D in ",
          "(batch, channel, y, x) Or 5D in (batch, channel, d, y, x), given ", data);
  const int spatial = data.ndim() - 2;
  require(p.global_pool || p.kernel.ndim() == spatial, name, ": kernel ", p.kernel, " does not suit data of shape ",
          data, ": it must have ", spatial, " dimensions");
  return spatial;
}

// Kernel, stride and pad of spatial dimension i of the data.
struct PoolWindow {
  std::array<int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, pad{0, 0, 0};
  PoolWindow(const PoolParam& p, int spatial, const char* name) {
    if (p.global_pool) return;
    kernel = window_tuple(p.kernel, spatial, 1, 1, "kernel", name);
    stride = window_tuple(p.stride, spatial, 1, 1, "stride", name);
    pad = window_tuple(p.pad, spatial, 0, 0, "pad", name);
    for (int i = 0; i < 3; ++i) {
      require(p.pooling_convention != kSame || pad[i] == 0, name,
              ": Same pooling convention disables the use of pad parameter.");
    }
  }
};

int64_t same_padding(int64_t size, int64_t kernel, int64_t stride) {
  const int64_t out = (size + stride - 1) / stride;
  return std::max<int64_t>(0, (out - 1) * stride + kernel - size) / 2;
}

int64_t output_size(const PoolParam& p, const Form& form, const PoolWindow& w, int i, int64_t size, const Shape& data) {
  if (p.global_pool) return 1;
  checked_extent(size, "data", form.name);
  const int64_t padded = size + 2 * w.pad[i];
  if (p.pooling_convention == kSame) return (size + w.stride[i] - 1) / w.stride[i];
  require(w.kernel[i] <= padded, form.name, ": kernel size (", w.kernel[i], ") exceeds input (", size, " padded to ",
          padded, "), data is ", data);
  const int64_t room = padded - w.kernel[i];
  if (p.pooling_convention == kValid) return room / w.stride[i] + 1;
  if (form.v1) return std::min(room + w.stride[i] - 1, padded - 1) / w.stride[i] + 1;
  return (room + w.stride[i] - 1) / w.stride[i] + 1;
}

InferShapeFn infer_with(Form form) {
  return [form](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
    const auto& p = attrs.get<PoolParam>();
    require(p.type() != PoolType::kLp || p.p_value, form.name, ": pool_type='lp' needs p_value");
    const Shape& data = in[0];
    if (!data.ndim_known()) return;
    const int spatial = spatial_dims(p, data, form.name);
    const bool last = channels_last(p.layout, spatial, form.name);
    const PoolWindow w(p, spatial, form.name);
    Shape result = Shape::filled(data.ndim(), -1);
    const int channel = last ? spatial + 1 : 1;
    result[0] = data[0];
    result[channel] = data[channel];
    for (int i = 0; i < spatial; ++i) {
      const int axis = (last ? 1 : 2) + i;
      if (data[axis] >= 0 || p.global_pool) {
        result[axis] = output_size(p, form, w, 3 - spatial + i, data[axis], data);
      }
    }
    for (Shape& shape : out) assign_shape(shape, result, form.name);
    in[0][0] = out[0][0];
    in[0][channel] = out[0][channel];
  };
}

PoolGeometry geometry(const PoolParam& p, const Form& form, const Shape& data, const Shape& out, DType dtype) {
  require_float(dtype, form.name);
  const int spatial = spatial_dims(p, data, form.name);
  const PoolWindow w(p, spatial, form.name);
  PoolGeometry g;
  g.type = p.type();
  g.power = p.p_value.value_or(2);
  require(g.type != PoolType::kLp || (g.power >= 1 && g.power <= 3), form.name, ": p value of ", g.power,
          " is not supported yet, give 1, 2 or 3");
  g.count_include_pad = p.count_include_pad.value_or(true);
  g.fixed_divisor = form.v1;
  g.channels_last = channels_last(p.layout, spatial, form.name);
  g.batch = data[0];
  g.channels = data[g.channels_last ? spatial + 1 : 1];
  g.kernel = w.kernel, g.stride = w.stride, g.pad = w.pad;
  g.dtype = dtype;
  for (int i = 0; i < spatial; ++i) {
    const int axis = (g.channels_last ? 1 : 2) + i, at = 3 - spatial + i;
    g.in[at] = data[axis];
    g.out[at] = out[axis];
    if (p.global_pool) g.kernel[at] = std::max<int64_t>(1, data[axis]);
    if (!p.global_pool && p.pooling_convention == kSame) g.pad[at] = same_padding(data[axis], g.kernel[at], g.stride[at]);
  }
  return g;
}

void register_pooling(Form form, ParamSchema params, std::initializer_list<const char*> aliases,
                      const char* backward_name) {
  OpDef& op = register_op(form.name);
  op.alias(aliases)
      .doc("Reduces windows of the spatial axes by maximum, mean, sum or a power mean.")
      .params(params)
      .explicit_inputs()
      .infer_shape(infer_with(form))
      .infer_type(infer_same_type)
      .gradient([form, backward_name](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const auto& p = g.params<PoolParam>();
        std::vector<Entry> args{g.out_grad(), g.input(0)};
        if (!form.v1 && has_taps(p)) args.push_back(g.output(1));
        if (p.type() == PoolType::kLp) args.push_back(g.output(0));
        return std::vector<Entry>{g.op(backward_name, std::move(args), g.parameters())};
      })
      .kernel([form](const KernelContext& c) {
        const auto& p = c.attrs.get<PoolParam>();
        return pool_forward(geometry(p, form, c.in_shapes[0], c.out_shapes[0], c.in_types[0]),
                            !form.v1 && has_taps(p), c.is_train);
      });
  if (!form.v1) {
    op.outputs([](const Attrs& attrs) { return has_taps(attrs.get<PoolParam>()) ? 2 : 1; })
        .visible_outputs(1)
        .output_names({"output", "workspace"});
  }

  register_op(backward_name)
      .internal()
      .params(params)
      .inputs([form](const Attrs& attrs) {
        const auto& p = attrs.get<PoolParam>();
        std::vector<std::string> names{"out_grad", "data"};
        if (!form.v1 && has_taps(p)) names.push_back("workspace");
        if (p.type() == PoolType::kLp) names.push_back("output");
        return names;
      })
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .gradient([form](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const PoolType type = g.params<PoolParam>().type();
        require(type == PoolType::kAvg || type == PoolType::kSum, form.name,
                ": the gradient of max and lp pooling cannot be differentiated again");
        std::vector<Entry> grads(node->inputs.size());
        grads[0] = g.op(form.name, {g.out_grad()}, g.parameters());
        return grads;
      })
      .kernel([form](const KernelContext& c) {
        const auto& p = c.attrs.get<PoolParam>();
        return pool_backward(geometry(p, form, c.in_shapes[1], c.in_shapes[0], c.in_types[0]),
                             !form.v1 && has_taps(p));
      });
}

}  // namespace

MXNET_REGISTER(pooling) {
  register_pooling(kNew, schema(), {"_npx_pooling"}, "_backward_Pooling");
  register_pooling(kOld, schema_v1(), {}, "_backward_Pooling_v1");
}

}  // namespace mxnet
