// Convolution kernels: every way of computing them gives the sums of the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/conv.h"

namespace mxnet {
namespace {

std::vector<float> numbers(int64_t count, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return values;
}

struct Index {
  const ConvGeometry& g;
  size_t data(int64_t n, int64_t c, int64_t z, int64_t y, int64_t x) const {
    const int64_t at = (z * g.in[1] + y) * g.in[2] + x;
    return static_cast<size_t>(g.channels_last ? (n * g.in_size() + at) * g.in_channels + c
                                               : (n * g.in_channels + c) * g.in_size() + at);
  }
  size_t out(int64_t n, int64_t c, int64_t at) const {
    return static_cast<size_t>(g.channels_last ? (n * g.out_size() + at) * g.out_channels + c
                                               : (n * g.out_channels + c) * g.out_size() + at);
  }
  size_t weight(int64_t o, int64_t i, int64_t tap) const {
    const int64_t inner = g.in_channels / g.groups;
    return static_cast<size_t>(g.channels_last ? (o * g.kernel_size() + tap) * inner + i : (o * inner + i) * g.kernel_size() + tap);
  }
};

// fn(data index, weight index, output index) for every product of the convolution.
template <class Fn>
void each_product(const ConvGeometry& g, Fn fn) {
  const Index index{g};
  const int64_t gi = g.in_channels / g.groups, go = g.out_channels / g.groups;
  for (int64_t n = 0; n < g.batch; ++n)
    for (int64_t o = 0; o < g.out_channels; ++o)
      for (int64_t d = 0; d < g.out[0]; ++d)
        for (int64_t h = 0; h < g.out[1]; ++h)
          for (int64_t w = 0; w < g.out[2]; ++w)
            for (int64_t i = 0; i < gi; ++i)
              for (int64_t tap = 0; tap < g.kernel_size(); ++tap) {
                const int64_t kw = tap % g.kernel[2], kh = tap / g.kernel[2] % g.kernel[1], kd = tap / g.kernel[2] / g.kernel[1];
                const int64_t z = d * g.stride[0] - g.pad[0] + kd * g.dilate[0];
                const int64_t y = h * g.stride[1] - g.pad[1] + kh * g.dilate[1];
                const int64_t x = w * g.stride[2] - g.pad[2] + kw * g.dilate[2];
                if (z < 0 || z >= g.in[0] || y < 0 || y >= g.in[1] || x < 0 || x >= g.in[2]) continue;
                fn(index.data(n, o / go * gi + i, z, y, x), index.weight(o, i, tap),
                   index.out(n, o, (d * g.out[1] + h) * g.out[2] + w));
              }
}

std::vector<ConvGeometry> geometries() {
  std::vector<ConvGeometry> list;
  const auto add = [&](int spatial, int64_t batch, int64_t in_c, int64_t out_c, int64_t groups, std::array<int64_t, 3> in,
                       std::array<int64_t, 3> kernel, std::array<int64_t, 3> stride, std::array<int64_t, 3> dilate,
                       std::array<int64_t, 3> pad) {
    ConvGeometry g;
    g.spatial = spatial;
    g.batch = batch, g.in_channels = in_c, g.out_channels = out_c, g.groups = groups;
    g.in = in, g.kernel = kernel, g.stride = stride, g.dilate = dilate, g.pad = pad;
    for (int i = 0; i < 3; ++i) g.out[i] = (in[i] + 2 * pad[i] - (kernel[i] - 1) * dilate[i] - 1) / stride[i] + 1;
    for (bool last : {false, true}) {
      g.channels_last = last;
      list.push_back(g);
    }
  };
  add(2, 2, 3, 4, 1, {1, 7, 6}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1});
  add(2, 1, 16, 16, 1, {1, 28, 28}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1});  // large enough for the library's own layout
  add(2, 2, 4, 6, 2, {1, 8, 9}, {1, 3, 2}, {1, 2, 2}, {1, 2, 1}, {0, 2, 1});
  add(2, 2, 8, 8, 8, {1, 8, 8}, {1, 3, 3}, {1, 2, 1}, {1, 1, 1}, {0, 1, 1});
  add(2, 2, 8, 5, 1, {1, 5, 5}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0});
  add(1, 3, 2, 4, 1, {1, 1, 11}, {1, 1, 4}, {1, 1, 3}, {1, 1, 1}, {0, 0, 2});
  add(3, 1, 2, 3, 1, {4, 5, 6}, {2, 3, 2}, {1, 2, 1}, {1, 1, 1}, {1, 1, 0});
  return list;
}

// Runs a kernel twice, so that what it keeps between runs is used.
std::vector<std::vector<float>> run(const Kernel& kernel, std::vector<std::vector<float>> inputs, std::vector<size_t> sizes) {
  std::vector<void*> in, out;
  for (auto& v : inputs) in.push_back(v.data());
  std::vector<std::vector<float>> outputs;
  for (size_t n : sizes) outputs.emplace_back(n, NAN);
  for (auto& v : outputs) out.push_back(v.data());
  void* workspace = std::aligned_alloc(64, (kernel.workspace_bytes + 127) / 64 * 64);
  KernelArgs args{in.data(), out.data(), workspace, nullptr, nullptr};
  kernel.run(args);
  kernel.run(args);
  std::free(workspace);
  return outputs;
}

void expect_close(const std::vector<float>& got, const std::vector<double>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-4 * (1 + std::abs(want[i]))) << what << " element " << i;
}

class ConvKernels : public testing::TestWithParam<bool> {};

TEST_P(ConvKernels, GiveTheSumsOfTheDefinition) {
  const bool is_reference = GetParam();
  int number = 0;
  for (const ConvGeometry& g : geometries()) {
    const std::string what = "geometry " + std::to_string(number++);
    const int64_t data_count = g.batch * g.in_channels * g.in_size(), out_count = g.batch * g.out_channels * g.out_size();
    const std::vector<float> data = numbers(data_count, 1), weight = numbers(g.weight_count(), 2), out = numbers(out_count, 3),
                             bias = numbers(g.out_channels, 4), data_bias = numbers(g.in_channels, 5);
    const Index index{g};
    std::vector<double> y(out.size()), dx(data.size()), dw(weight.size()), db(bias.size());
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t i = 0; i < g.out_size(); ++i) {
        for (int64_t c = 0; c < g.out_channels; ++c) {
          y[index.out(n, c, i)] = bias[static_cast<size_t>(c)];
          db[static_cast<size_t>(c)] += out[index.out(n, c, i)];
        }
      }
      for (int64_t c = 0; c < g.in_channels; ++c) {
        for (int64_t i = 0; i < g.in_size(); ++i) dx[index.data(n, c, 0, 0, i)] = data_bias[static_cast<size_t>(c)];
      }
    }
    each_product(g, [&](size_t a, size_t b, size_t c) {
      y[c] += double(data[a]) * weight[b];
      dx[a] += double(out[c]) * weight[b];
      dw[b] += double(out[c]) * data[a];
    });
    const Kernel forward = is_reference ? reference::conv_forward(g, {0, 1, 2, 0}) : conv_forward(g, {0, 1, 2, 0}, true);
    expect_close(run(forward, {data, weight, bias}, {out.size()})[0], y, what + " forward");
    const Kernel back_data = is_reference ? reference::conv_backward_data(g, {0, 1, 2, 0}) : conv_backward_data(g, {0, 1, 2, 0}, false);
    expect_close(run(back_data, {out, weight, data_bias}, {data.size()})[0], dx, what + " data gradient");
    const Kernel back_weight = is_reference ? reference::conv_backward_weight(g, {1, 0, 1, 0}) : conv_backward_weight(g, {1, 0, 1, 0});
    const auto grads = run(back_weight, {out, data}, {weight.size(), bias.size()});
    expect_close(grads[0], dw, what + " weight gradient");
    expect_close(grads[1], db, what + " bias gradient");
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ConvKernels, testing::Bool(), [](const auto& info) { return info.param ? "Reference" : "Chosen"; });

}  // namespace
}  // namespace mxnet
