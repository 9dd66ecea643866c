#include "kernels/conv.h"

#include "base/parallel.h"

namespace mxnet {
namespace {

#ifdef MXNET_USE_ONEDNN
bool use_onednn(const ConvGeometry& g) {
  return g.dtype == DType::kFloat32 && g.products() > 0 && g.in_size() > 0;
}

// `kernel`, whose output number `out` then gets bias[c] added to every element of channel c of the data.
Kernel with_data_bias(Kernel kernel, const ConvGeometry& g, int bias, int out) {
  const int64_t channels = g.in_channels;
  const int64_t rows = g.channels_last ? g.batch * g.in_size() : g.batch * channels;
  const int64_t width = g.channels_last ? channels : g.in_size();
  const bool last = g.channels_last;
  kernel.run = [run = std::move(kernel.run), channels, rows, width, last, bias, out](const KernelArgs& a) {
    run(a);
    const float* b = a.input<float>(bias);
    float* y = a.output<float>(out);
    parallel_for(rows, width, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        float* row = y + r * width;
        if (last) {
          for (int64_t j = 0; j < width; ++j) row[j] += b[j];
        } else {
          const float value = b[r % channels];
          for (int64_t j = 0; j < width; ++j) row[j] += value;
        }
      }
    });
  };
  return kernel;
}
#endif

}  // namespace

Kernel conv_forward(const ConvGeometry& g, ConvArgs args, [[maybe_unused]] bool weight_constant) {
#ifdef MXNET_USE_ONEDNN
  if (use_onednn(g)) {
    if (Kernel kernel = onednn::conv_forward(g, args, weight_constant); kernel.run) return kernel;
  }
#endif
  return reference::conv_forward(g, args);
}

Kernel conv_backward_data(const ConvGeometry& g, ConvArgs args, [[maybe_unused]] bool weight_constant) {
#ifdef MXNET_USE_ONEDNN
  if (use_onednn(g)) {
    if (Kernel kernel = onednn::conv_backward_data(g, args, weight_constant); kernel.run) {
      return args.bias < 0 ? kernel : with_data_bias(std::move(kernel), g, args.bias, args.data);
    }
  }
#endif
  return reference::conv_backward_data(g, args);
}

Kernel conv_backward_weight(const ConvGeometry& g, ConvArgs args) {
#ifdef MXNET_USE_ONEDNN
  if (use_onednn(g)) {
    if (Kernel kernel = onednn::conv_backward_weight(g, args); kernel.run) return kernel;
  }
#endif
  return reference::conv_backward_weight(g, args);
}

}  // namespace mxnet
