// Resizing of images in height-width-channel order, with the sampling positions and weights of OpenCV's `resize`, whose
// results models were trained on.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace mxnet {

enum Interpolation { kNearest = 0, kLinear = 1, kCubic = 2, kArea = 3, kLanczos = 4 };

// Which source positions make up each target position along one axis.
struct ResizeAxis {
  int64_t source = 0;
  int64_t target = 0;
  int taps = 1;
  std::vector<int64_t> index;  // target * taps
  std::vector<float> weight;
  std::vector<int16_t> fixed;  // the weights in 11-bit fixed point
};

class ImageResize {
 public:
  // uint8, float32 or float64 images of any number of channels.
  ImageResize(int64_t height, int64_t width, int64_t channels, int64_t out_height, int64_t out_width, int interpolation,
              DType type);
  size_t workspace_bytes() const;
  void run(const void* src, void* dst, void* workspace) const;
  // The adjoint map, for floating types: adds up what each source element gave to the gradient of the target.
  void run_adjoint(const void* grad, void* out) const;

 private:
  template <class T>
  void run_float(const T* src, T* dst, T* rows) const;
  void run_fixed(const uint8_t* src, uint8_t* dst, int32_t* rows) const;

  int64_t channels_;
  DType type_;
  bool fixed_ = false;    // 8-bit images are interpolated in fixed point
  bool average_ = false;  // 2x2 means, rounded half up
  ResizeAxis x_, y_;
};

}  // namespace mxnet
