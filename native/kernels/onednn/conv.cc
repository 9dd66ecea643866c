#ifdef MXNET_USE_ONEDNN

#include "kernels/conv.h"

#include "base/parallel.h"
#include "kernels/onednn/program.h"
#include "kernels/threads.h"

namespace mxnet::onednn {
namespace {

using dnnl::memory;
using Dims = memory::dims;

// The descriptions of the user's arrays and of the free choice that a primitive may have instead.
struct ConvDescs {
  memory::desc data, weight, bias, out;  // as the user has them
  memory::desc data_work, out_work;      // handed to the primitive: `any`, or the user's own
  memory::desc weight_any;
  Dims stride, dilate, pad_before, pad_after;
  int threads;

  // kPlain: work on the user's layout; kAny: let the library choose and convert at the border; kChannelsLast.
  enum class Border { kPlain, kAny, kChannelsLast };

  ConvDescs(const ConvGeometry& g, Border border) {
    const int first = 3 - g.spatial;
    Dims in{g.batch, g.in_channels}, result{g.batch, g.out_channels}, kernel;
    for (int i = first; i < 3; ++i) {
      in.push_back(g.in[i]);
      result.push_back(g.out[i]);
      kernel.push_back(g.kernel[i]);
      stride.push_back(g.stride[i]);
      dilate.push_back(g.dilate[i] - 1);
      pad_before.push_back(g.pad[i]);
      pad_after.push_back((g.out[i] - 1) * g.stride[i] + (g.kernel[i] - 1) * g.dilate[i] + 1 - g.in[i] - g.pad[i]);
    }
    Dims filter;
    if (g.groups > 1) filter.push_back(g.groups);
    filter.push_back(g.out_channels / g.groups);
    filter.push_back(g.in_channels / g.groups);
    filter.insert(filter.end(), kernel.begin(), kernel.end());

    const auto f32 = memory::data_type::f32;
    const int lead = g.groups > 1 ? 2 : 1;  // weight axes before the input channels
    data = memory::desc(in, f32, strides(in, 1, g.channels_last));
    out = memory::desc(result, f32, strides(result, 1, g.channels_last));
    weight = memory::desc(filter, f32, strides(filter, lead, g.channels_last));
    bias = memory::desc({g.out_channels}, f32, memory::format_tag::a);
    weight_any = memory::desc(filter, f32, memory::format_tag::any);
    data_work = data;
    out_work = out;
    if (border == Border::kAny && !g.channels_last) {
      data_work = memory::desc(in, f32, memory::format_tag::any);
      out_work = memory::desc(result, f32, memory::format_tag::any);
    } else if (border == Border::kChannelsLast) {
      data_work = memory::desc(in, f32, strides(in, 1, true));
      out_work = memory::desc(result, f32, strides(result, 1, true));
    }
    threads = g.products() < (1 << 18) ? 1 : max_threads();
  }

  // Strides of an array whose axis `channel` lies last in memory (or where it stands).
  static Dims strides(const Dims& dims, int channel, bool channel_last) {
    Dims result(dims.size());
    memory::dim step = 1;
    if (channel_last) {
      result[channel] = 1;
      step = dims[channel];
    }
    for (int i = static_cast<int>(dims.size()) - 1; i >= 0; --i) {
      if (channel_last && i == channel) continue;
      result[i] = step;
      step *= dims[i];
    }
    return result;
  }
};

// Converting activations to the library's layout and back costs memory traffic; working on the plain layout costs
// arithmetic. Measured on AVX2: about 60 flop/ns, 9 byte/ns of conversion, and plain kernels that take 1 + `loss` times
// as long.
ConvDescs::Border choose_border(const ConvGeometry& g, double loss) {
  if (g.channels_last) return ConvDescs::Border::kPlain;
  if (g.groups > 1) return ConvDescs::Border::kAny;
  const double bytes = 4.0 * double(g.batch) * double(g.in_channels * g.in_size() + g.out_channels * g.out_size());
  if (g.kernel_size() == 1) loss = 0.1;
  const double saved = loss * 2 * g.products() / 60;
  return saved > bytes / 9 ? ConvDescs::Border::kAny : ConvDescs::Border::kPlain;
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

// `make` may find no implementation; then the kernel is empty and the caller takes another way.
template <class Make>
Kernel attempt(Make make) {
  try {
    return make();
  } catch (const dnnl::error&) {
    return {};
  }
}

dnnl::convolution_forward::primitive_desc forward_desc(const ConvDescs& d, bool with_bias, dnnl::prop_kind kind) {
  if (with_bias) {
    return {cpu_engine(), kind, kAlgorithm, d.data_work, d.weight_any, d.bias, d.out_work, d.stride, d.dilate,
            d.pad_before, d.pad_after, user_scratchpad()};
  }
  return {cpu_engine(), kind, kAlgorithm, d.data_work, d.weight_any, d.out_work, d.stride, d.dilate, d.pad_before,
          d.pad_after, user_scratchpad()};
}

}  // namespace

Kernel conv_forward(const ConvGeometry& g, ConvArgs args, bool weight_constant) {
  return attempt([&] {
    const ConvDescs d(g, choose_border(g, 0.45));
    const ThreadLimit limit(d.threads);
    const auto desc = forward_desc(d, args.bias >= 0, dnnl::prop_kind::forward_inference);
    auto program = std::make_shared<Program>(d.threads);
    std::vector<std::pair<int, Program::Slot>> list{
        {DNNL_ARG_SRC, program->load(d.data, desc.src_desc(), args.data)},
        {DNNL_ARG_WEIGHTS, program->load(d.weight, desc.weights_desc(), args.weight, weight_constant)}};
    if (args.bias >= 0) list.emplace_back(DNNL_ARG_BIAS, program->input(d.bias, args.bias));
    const Program::Slot out = program->target(d.out, desc.dst_desc(), args.out);
    list.emplace_back(DNNL_ARG_DST, out);
    program->add(dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(list));
    program->store(d.out, out, args.out);
    return Program::finish(std::move(program));
  });
}

Kernel conv_backward_data(const ConvGeometry& g, ConvArgs args, bool weight_constant) {
  return attempt([&] {
    const ConvDescs d(g, choose_border(g, 0.45));
    const ThreadLimit limit(d.threads);
    const auto hint = forward_desc(d, false, dnnl::prop_kind::forward_training);
    const dnnl::convolution_backward_data::primitive_desc desc(cpu_engine(), kAlgorithm, d.data_work, d.weight_any,
                                                               d.out_work, d.stride, d.dilate, d.pad_before,
                                                               d.pad_after, hint, user_scratchpad());
    auto program = std::make_shared<Program>(d.threads);
    std::vector<std::pair<int, Program::Slot>> list{
        {DNNL_ARG_DIFF_DST, program->load(d.out, desc.diff_dst_desc(), args.out)},
        {DNNL_ARG_WEIGHTS, program->load(d.weight, desc.weights_desc(), args.weight, weight_constant)}};
    const Program::Slot data = program->target(d.data, desc.diff_src_desc(), args.data);
    list.emplace_back(DNNL_ARG_DIFF_SRC, data);
    program->add(dnnl::convolution_backward_data(desc), desc.scratchpad_desc(), std::move(list));
    program->store(d.data, data, args.data);
    return Program::finish(std::move(program));
  });
}

Kernel conv_backward_weight(const ConvGeometry& g, ConvArgs args) {
  return attempt([&] {
    // With few input channels the blocked layouts waste lanes; channels last does not.
    const bool thin = g.groups == 1 && g.in_channels < 8 && !g.channels_last;
    const ConvDescs d(g, thin ? ConvDescs::Border::kChannelsLast : choose_border(g, 0.25));
    const ThreadLimit limit(d.threads);
    const bool with_bias = args.bias >= 0;
    const auto hint = forward_desc(d, with_bias, dnnl::prop_kind::forward_training);
    using Desc = dnnl::convolution_backward_weights::primitive_desc;
    const Desc desc = with_bias ? Desc(cpu_engine(), kAlgorithm, d.data_work, d.weight_any, d.bias, d.out_work,
                                       d.stride, d.dilate, d.pad_before, d.pad_after, hint, user_scratchpad())
                                : Desc(cpu_engine(), kAlgorithm, d.data_work, d.weight_any, d.out_work, d.stride,
                                       d.dilate, d.pad_before, d.pad_after, hint, user_scratchpad());
    auto program = std::make_shared<Program>(d.threads);
    std::vector<std::pair<int, Program::Slot>> list{
        {DNNL_ARG_SRC, program->load(d.data, desc.src_desc(), args.data)},
        {DNNL_ARG_DIFF_DST, program->load(d.out, desc.diff_dst_desc(), args.out)}};
    const Program::Slot weight = program->target(d.weight, desc.diff_weights_desc(), args.weight);
    list.emplace_back(DNNL_ARG_DIFF_WEIGHTS, weight);
    if (with_bias) list.emplace_back(DNNL_ARG_DIFF_BIAS, program->output(d.bias, args.bias));
    program->add(dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(), std::move(list));
    program->store(d.weight, weight, args.weight);
    return Program::finish(std::move(program));
  });
}

}  // namespace mxnet::onednn

#endif
