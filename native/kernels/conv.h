// Convolution kernels: forward, gradient of the data and gradient of weight and bias. Deconvolution is the same three
// with the roles of data and output exchanged.
#pragma once

#include <array>
#include <vector>

#include "op/kernel.h"

namespace mxnet {

// A convolution in 1 to 3 spatial dimensions, held as three with leading ones.
struct ConvGeometry {
  int spatial = 2;  // 1, 2 or 3: how many of the trailing entries below count
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  std::array<int64_t, 3> in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilate{1, 1, 1}, pad{0, 0, 0};
  bool channels_last = false;  // data N,spatial...,C and weight O,spatial...,I; else N,C,spatial... and O,I,spatial...
  DType dtype = DType::kFloat32;

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  double products() const {
    return double(batch) * double(out_channels) * double(in_channels / groups) * double(kernel_size()) * double(out_size());
  }
  int64_t weight_count() const { return out_channels * (in_channels / groups) * kernel_size(); }
};

// Which input or output of the operator plays which part; -1: absent.
struct ConvArgs {
  int data = -1, weight = -1, bias = -1, out = -1;
};

// out = data * weight + bias. Inputs: data, weight, bias; output: out. `weight_constant` lets the kernel keep a packed
// copy of the weight for as long as its version does not change.
Kernel conv_forward(const ConvGeometry& g, ConvArgs args, bool weight_constant);
// data = gradient of the data. Inputs: out, weight, and bias (added to the result, one number per channel of the data:
// for deconvolution); output: data.
Kernel conv_backward_data(const ConvGeometry& g, ConvArgs args, bool weight_constant);
// weight, bias = their gradients. Inputs: data, out; outputs: weight and, where wanted, bias.
Kernel conv_backward_weight(const ConvGeometry& g, ConvArgs args);

// The same on BLAS, for every float type; the first three choose between these and oneDNN.
namespace reference {
Kernel conv_forward(const ConvGeometry& g, ConvArgs args);
Kernel conv_backward_data(const ConvGeometry& g, ConvArgs args);
Kernel conv_backward_weight(const ConvGeometry& g, ConvArgs args);
}  // namespace reference

#ifdef MXNET_USE_ONEDNN
namespace onednn {
// A kernel without `run` where oneDNN has no implementation.
Kernel conv_forward(const ConvGeometry& g, ConvArgs args, bool weight_constant);
Kernel conv_backward_data(const ConvGeometry& g, ConvArgs args, bool weight_constant);
Kernel conv_backward_weight(const ConvGeometry& g, ConvArgs args);
}  // namespace onednn
#endif

}  // namespace mxnet
