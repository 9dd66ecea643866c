// UpSampling: nearest neighbour for any number of inputs, or a learnt bilinear filter.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/nn/conv_common.h"

namespace mxnet {
namespace {

enum SampleType { kNearest = 0, kBilinear = 1 };
enum InputMode { kConcat = 0, kSum = 1 };

struct UpSamplingParam {
  int32_t scale = 1;
  int32_t num_filter = 0;
  int sample_type = kNearest;
  int multi_input_mode = kConcat;
  int32_t num_args = 1;
  uint64_t workspace = 512;
};

ParamSchema schema() {
  return Params<UpSamplingParam>()
      .required("scale", &UpSamplingParam::scale, "How many times larger the output is than the first input.")
      .range(1, 1000)
      .field("num_filter", &UpSamplingParam::num_filter, "Number of channels, for the bilinear filter.")
      .required_enumeration("sample_type", &UpSamplingParam::sample_type, {{"nearest", kNearest}, {"bilinear", kBilinear}},
                            "Repeat pixels, or interpolate with the given filter.")
      .enumeration("multi_input_mode", &UpSamplingParam::multi_input_mode, {{"concat", kConcat}, {"sum", kSum}},
                   "How several inputs are put together.")
      .required("num_args", &UpSamplingParam::num_args, "Number of inputs.")
      .at_least(1)
      .field("workspace", &UpSamplingParam::workspace, "Workspace limit in megabytes; a hint for GPUs.")
      .range(0, 8192);
}

// The transposed convolution that bilinear sampling is.
struct BilinearFilter {
  int64_t kernel, pad;
  explicit BilinearFilter(int64_t scale) : kernel(2 * scale - scale % 2), pad(scale / 2) {}  // pad = ceil((scale-1)/2)
};

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<UpSamplingParam>();
  Shape& data = in[0];
  if (!data.ndim_known()) return;
  require(data.ndim() == 4, "UpSampling: data should be 4D in batch-channel-y-x, given ", data);
  const auto scaled = [&](int64_t size) { return size < 0 ? -1 : checked_mul(size, p.scale, "output of UpSampling"); };
  Shape result{data[0], data[1], scaled(data[2]), scaled(data[3])};
  if (p.sample_type == kBilinear) {
    if (p.num_filter > 0) {
      if (data[1] < 0) data[1] = p.num_filter;
      require(data[1] == p.num_filter, "UpSampling: num_filter=", p.num_filter, " but data has ", data[1], " channels");
    }
    const BilinearFilter f(p.scale);
    assign_shape(in[1], Shape{data[1], 1, f.kernel, f.kernel}, "UpSampling weight");
    result[1] = data[1];
    assign_shape(out[0], result, "UpSampling");
    return;
  }
  int64_t channels = data[1];
  for (size_t i = 1; i < in.size(); ++i) {
    const Shape& other = in[i];
    if (!other.ndim_known()) return;
    require(other.ndim() == 4, "UpSampling: data should be 4D in batch-channel-y-x, given ", other);
    for (int axis = 2; axis < 4; ++axis) {
      require(other[axis] <= 0 || result[axis] < 0 || result[axis] % other[axis] == 0, "UpSampling: input ", i, " of shape ",
              other, " does not divide the output of shape ", result);
    }
    if (p.multi_input_mode == kSum) {
      require(other[1] < 0 || channels < 0 || other[1] == channels,
              "UpSampling: number of channels must be the same when multi_input_mode=sum, given ", data, " and ", other);
    } else {
      require(std::max(channels, other[1]) < kMaxExtent << 16, "UpSampling: too many channels: ", other);
      channels = channels < 0 || other[1] < 0 ? -1 : channels + other[1];
    }
  }
  result[1] = channels;
  assign_shape(out[0], result, "UpSampling");
}

// One input within the output.
struct Piece {
  int64_t channels, first_channel, height, width, scale_y, scale_x;
};

std::vector<Piece> pieces_of(const UpSamplingParam& p, const ShapeVec& shapes, size_t first, const Shape& out) {
  std::vector<Piece> pieces;
  int64_t channel = 0;
  for (size_t i = first; i < shapes.size(); ++i) {
    const Shape& s = shapes[i];
    pieces.push_back({s[1], p.multi_input_mode == kSum ? 0 : channel, s[2], s[3], s[2] == 0 ? 1 : out[2] / s[2],
                      s[3] == 0 ? 1 : out[3] / s[3]});
    channel += s[1];
  }
  return pieces;
}

Kernel nearest_forward(const KernelContext& c) {
  const auto& p = c.attrs.get<UpSamplingParam>();
  const Shape y = c.out_shapes[0];
  const std::vector<Piece> pieces = pieces_of(p, c.in_shapes, 0, y);
  const bool sum = p.multi_input_mode == kSum;
  return visit_float(c.in_types[0], "UpSampling", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      for (size_t k = 0; k < pieces.size(); ++k) {
        const Piece& q = pieces[k];
        const bool add = sum && k > 0;
        parallel_for(y[0] * q.channels, y[2] * y[3], [&](int64_t begin, int64_t end) {
          for (int64_t plane = begin; plane < end; ++plane) {
            const int64_t n = plane / q.channels, ch = plane % q.channels;
            const T* x = args.input<T>(k) + plane * q.height * q.width;
            T* to = args.output<T>(0) + (n * y[1] + q.first_channel + ch) * y[2] * y[3];
            for (int64_t h = 0; h < y[2]; ++h) {
              const T* row = x + h / q.scale_y * q.width;
              for (int64_t w = 0; w < q.width; ++w) {
                for (int64_t r = 0; r < q.scale_x; ++r, ++to) *to = add ? static_cast<T>(*to + row[w]) : row[w];
              }
            }
          }
        });
      }
    }};
  });
}

// Inputs: out_grad, then the data (for their shapes).
Kernel nearest_backward(const KernelContext& c) {
  const auto& p = c.attrs.get<UpSamplingParam>();
  const Shape y = c.in_shapes[0];
  const std::vector<Piece> pieces = pieces_of(p, c.in_shapes, 1, y);
  return visit_float(c.in_types[0], "UpSampling", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[=](const KernelArgs& args) {
      for (size_t k = 0; k < pieces.size(); ++k) {
        const Piece& q = pieces[k];
        parallel_for(y[0] * q.channels, y[2] * y[3], [&](int64_t begin, int64_t end) {
          for (int64_t plane = begin; plane < end; ++plane) {
            const int64_t n = plane / q.channels, ch = plane % q.channels;
            const T* dy = args.input<T>(0) + (n * y[1] + q.first_channel + ch) * y[2] * y[3];
            T* dx = args.output<T>(k) + plane * q.height * q.width;
            for (int64_t h = 0; h < q.height; ++h) {
              for (int64_t w = 0; w < q.width; ++w) {
                A total = 0;
                for (int64_t r = 0; r < q.scale_y; ++r) {
                  const T* from = dy + (h * q.scale_y + r) * y[3] + w * q.scale_x;
                  for (int64_t s = 0; s < q.scale_x; ++s) total += static_cast<A>(from[s]);
                }
                dx[h * q.width + w] = static_cast<T>(total);
              }
            }
          }
        });
      }
    }};
  });
}

Kernel bilinear_forward(const KernelContext& c) {
  require_float(c.in_types[0], "UpSampling");
  const auto& p = c.attrs.get<UpSamplingParam>();
  const BilinearFilter f(p.scale);
  const Shape &x = c.in_shapes[0], &y = c.out_shapes[0];
  ConvGeometry g;
  g.batch = x[0];
  g.in_channels = g.out_channels = g.groups = x[1];
  g.in = {1, y[2], y[3]};
  g.out = {1, x[2], x[3]};
  g.kernel = {1, f.kernel, f.kernel};
  g.stride = {1, p.scale, p.scale};
  g.pad = {0, f.pad, f.pad};
  g.dtype = c.in_types[0];
  return conv_backward_data(g, {0, 1, -1, 0}, c.is_constant(1));
}

std::vector<Entry> gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  const auto& p = g.params<UpSamplingParam>();
  if (p.sample_type == kNearest) {
    std::vector<Entry> args{g.out_grad()};
    args.insert(args.end(), node->inputs.begin(), node->inputs.end());
    return g.spread(g.node("_backward_UpSampling", std::move(args), g.parameters()));
  }
  const BilinearFilter f(p.scale);
  require(p.num_filter > 0, "UpSampling: the gradient of bilinear sampling needs num_filter");
  const auto pair = [](int64_t v) { return text("(", v, ",", v, ")"); };
  const AttrDict dict{{"kernel", pair(f.kernel)}, {"stride", pair(p.scale)}, {"pad", pair(f.pad)},
                      {"num_filter", std::to_string(p.num_filter)}, {"num_group", std::to_string(p.num_filter)},
                      {"no_bias", "True"}};
  return {g.op("_backward_Deconvolution_data", {g.out_grad(), g.input(1), g.input(0)}, dict),
          g.op("_backward_Deconvolution_weight", {g.out_grad(), g.input(0)}, dict)};
}

}  // namespace

MXNET_REGISTER(up_sampling) {
  const auto count = [](const Attrs& attrs) {
    const auto& p = attrs.get<UpSamplingParam>();
    return p.sample_type == kBilinear ? 2 : p.num_args;
  };
  register_op("UpSampling")
      .doc("Enlarges images by a whole factor: by repeating pixels, or by a bilinear filter given as weight.")
      .params(schema())
      .variadic("data", "num_args", count)
      .inputs([](const Attrs& attrs) {
        const auto& p = attrs.get<UpSamplingParam>();
        if (p.sample_type == kBilinear) return std::vector<std::string>{"data", "weight"};
        std::vector<std::string> names;
        for (int i = 0; i < p.num_args; ++i) names.push_back("arg" + std::to_string(i));
        return names;
      })
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient(gradient)
      .kernel([](const KernelContext& c) {
        return c.attrs.get<UpSamplingParam>().sample_type == kBilinear ? bilinear_forward(c) : nearest_forward(c);
      });
  register_op("_backward_UpSampling")
      .internal()
      .params(schema())
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"out_grad"};
        for (int i = 0; i < attrs.get<UpSamplingParam>().num_args; ++i) names.push_back("arg" + std::to_string(i));
        return names;
      })
      .outputs([](const Attrs& attrs) { return attrs.get<UpSamplingParam>().num_args; })
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        for (size_t i = 0; i < out.size(); ++i) assign_shape(out[i], in[i + 1]);
      })
      .infer_type(infer_same_type)
      .kernel(nearest_backward);
}

}  // namespace mxnet
