// What Convolution and Deconvolution share.
#pragma once

#include <string>
#include <vector>

#include "kernels/conv.h"
#include "op/params.h"

namespace mxnet {

// Layout codes: the number of spatial dimensions less one, doubled, plus one for channels last; -1: the default.
enum ConvLayout { kLayoutNone = -1, kNCW = 0, kNWC = 1, kNCHW = 2, kNHWC = 3, kNCDHW = 4, kNDHWC = 5 };

// Names the first part of `layout` that does not suit `spatial` dimensions; else whether channels come last.
inline bool channels_last(int layout, int spatial, const char* op_name) {
  if (layout == kLayoutNone) return false;
  require(layout / 2 + 1 == spatial, op_name, ": Invalid layout for ", spatial + 2, "d shape");
  return layout % 2 == 1;
}

struct ConvParam {
  Shape kernel;
  Shape stride = Shape::scalar();
  Shape dilate = Shape::scalar();
  Shape pad = Shape::scalar();
  Shape adj = Shape::scalar();           // Deconvolution only
  Shape target_shape = Shape::scalar();  // Deconvolution only
  uint32_t num_filter = 0;
  uint32_t num_group = 1;
  uint64_t workspace = 1024;
  bool no_bias = false;
  int cudnn_tune = -1;
  bool cudnn_off = false;
  int layout = kLayoutNone;
};

struct DeconvParam : ConvParam {
  DeconvParam() {
    workspace = 512;
    no_bias = true;
  }
};

// The kernel, stride, dilation and padding of a node, checked.
struct ConvWindow {
  int spatial = 0;
  bool last = false;  // channels last
  std::array<int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, dilate{1, 1, 1}, pad{0, 0, 0};  // trailing entries count
  ConvWindow(const ConvParam& p, const char* op_name);

  int axis(int i) const { return (last ? 1 : 2) + i; }  // data axis of spatial dimension i in [0, spatial)
  int channel_axis() const { return last ? spatial + 1 : 1; }
  int at(int i) const { return 3 - spatial + i; }  // index of spatial dimension i in the arrays above
  int64_t extent(int i) const { return (kernel[at(i)] - 1) * dilate[at(i)] + 1; }
  // Shape of a filter bank with `outer` leading channels and `inner` others.
  Shape weight_shape(int64_t outer, int64_t inner) const;
  int64_t weight_inner(const Shape& weight) const { return weight[last ? spatial + 1 : 1]; }
};

// A parameter tuple as three numbers with leading defaults; empty: all defaults. Error unless the rank fits.
std::array<int64_t, 3> window_tuple(const Shape& tuple, int spatial, int64_t fallback, int64_t least,
                                    const char* name, const char* op_name);

// Sizes of spatial axes, strides and the like are below this, so that their products fit 64 bits.
inline constexpr int64_t kMaxExtent = int64_t{1} << 31;
// `size`, or an error when it is not below kMaxExtent.
int64_t checked_extent(int64_t size, const char* what, const char* op_name);

std::vector<std::string> conv_input_names(const Attrs& attrs);

}  // namespace mxnet
