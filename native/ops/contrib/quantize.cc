// quantize, quantize_v2 and dequantize: 8-bit integers and the range of real numbers that they stand for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

enum OutType { kOutAuto = -1, kOutInt8 = 5, kOutUint8 = 3 };

struct QuantizeParam {
  int out_type = kOutUint8;
};
struct QuantizeV2Param {
  int out_type = kOutInt8;
  std::optional<float> min_calib_range;
  std::optional<float> max_calib_range;
};
struct DequantizeParam {
  int out_type = 0;
};

float magnitude(float low, float high) { return std::max(std::abs(low), std::abs(high)); }

template <class Q>
Q quantized(float value, float scale) {
  constexpr auto low = static_cast<float>(std::numeric_limits<Q>::min());
  constexpr auto high = static_cast<float>(std::numeric_limits<Q>::max());
  return static_cast<Q>(std::clamp(std::nearbyint(value * scale), low, high));
}

template <class Q>
void quantize_array(const float* x, Q* y, int64_t n, float scale) {
  parallel_for(n, 2, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = quantized<Q>(x[i], scale);
  });
}

// Integers of this type reach half a step beyond their largest value.
float steps_of(DType type) { return type == DType::kInt8 ? 127.5f : 255.5f; }

void run_quantize(const KernelArgs& a, int64_t n, DType type, float low, float high, float steps) {
  const float reach = magnitude(low, high);
  const float scale = reach > 0 ? steps / reach : 0.0f;
  if (type == DType::kInt8) {
    quantize_array(a.input<float>(0), a.output<int8_t>(0), n, scale);
    *a.output<float>(1) = -reach;
    *a.output<float>(2) = reach;
  } else {
    quantize_array(a.input<float>(0), a.output<uint8_t>(0), n, scale);
    *a.output<float>(1) = low;
    *a.output<float>(2) = high;
  }
}

void infer_ranges(const Attrs&, ShapeVec& in, ShapeVec& out) {
  assign_shape(out[0], in[0]);
  assign_shape(in[0], out[0]);
  for (size_t i = 1; i < in.size(); ++i) assign_shape(in[i], Shape{1}, "range");
  for (size_t i = 1; i < out.size(); ++i) assign_shape(out[i], Shape{1}, "range");
}

void infer_quantize_type(int out_type, DTypeVec& in, DTypeVec& out) {
  for (DType& t : in) assign_type(t, DType::kFloat32, "quantize");
  assign_type(out[0], dtype_from_code(out_type));
  assign_type(out[1], DType::kFloat32);
  assign_type(out[2], DType::kFloat32);
}

int resolved_type(const QuantizeV2Param& p) {
  if (p.out_type != kOutAuto) return p.out_type;
  return p.min_calib_range && p.max_calib_range && *p.min_calib_range >= 0 ? kOutUint8 : kOutInt8;
}

Kernel quantize_v2_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<QuantizeV2Param>();
  const int64_t n = c.in_shapes[0].size();
  return {[=, type = c.out_types[0]](const KernelArgs& a) {
    float low = p.min_calib_range.value_or(0);
    float high = p.max_calib_range.value_or(0);
    if (!p.min_calib_range || !p.max_calib_range) {
      const float* x = a.input<float>(0);
      low = n > 0 ? *std::min_element(x, x + n) : 0.0f;
      high = n > 0 ? *std::max_element(x, x + n) : 0.0f;
    }
    run_quantize(a, n, type, low, high, steps_of(type));
  }};
}

Kernel dequantize_kernel(const KernelContext& c) {
  const int64_t n = c.in_shapes[0].size();
  const DType type = c.in_types[0];
  const auto make = [&](auto tag) -> Kernel {
    using Q = decltype(tag);
    return {[=](const KernelArgs& a) {
      const float scale = magnitude(*a.input<float>(1), *a.input<float>(2)) / steps_of(type);
      const Q* x = a.input<Q>(0);
      float* y = a.output<float>(0);
      parallel_for(n, 1, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) y[i] = static_cast<float>(x[i]) * scale;
      });
    }};
  };
  require(type == DType::kInt8 || type == DType::kUint8,
          "operator _contrib_dequantize: data must be int8 or uint8, not ", type);
  return type == DType::kInt8 ? make(int8_t{}) : make(uint8_t{});
}

}  // namespace

MXNET_REGISTER(quantize) {
  register_op("_contrib_quantize")
      .doc("float32 numbers as 8-bit integers, given the range of the numbers.")
      .inputs({"data", "min_range", "max_range"})
      .outputs(3)
      .params(Params<QuantizeParam>().enumeration("out_type", &QuantizeParam::out_type,
                                                  {{"int8", kOutInt8}, {"uint8", kOutUint8}}, "Type of the integers."))
      .infer_shape(infer_ranges)
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        infer_quantize_type(attrs.get<QuantizeParam>().out_type, in, out);
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const int64_t n = c.in_shapes[0].size();
        return {[n, type = c.out_types[0]](const KernelArgs& a) {
          run_quantize(a, n, type, *a.input<float>(1), *a.input<float>(2), type == DType::kInt8 ? 127.0f : 255.0f);
        }};
      });
  register_op("_contrib_quantize_v2")
      .doc("float32 numbers as 8-bit integers, with a calibrated range or that of the numbers themselves.")
      .outputs(3)
      .params(Params<QuantizeV2Param>()
                  .enumeration("out_type", &QuantizeV2Param::out_type,
                               {{"auto", kOutAuto}, {"int8", kOutInt8}, {"uint8", kOutUint8}},
                               "Type of the integers; auto: uint8 when the calibrated range has no negative numbers.")
                  .field("min_calib_range", &QuantizeV2Param::min_calib_range, "Lower end of the range.")
                  .field("max_calib_range", &QuantizeV2Param::max_calib_range, "Upper end of the range."))
      .infer_shape(infer_ranges)
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        infer_quantize_type(resolved_type(attrs.get<QuantizeV2Param>()), in, out);
      })
      .kernel(quantize_v2_kernel);
  register_op("_contrib_dequantize")
      .doc("8-bit integers as float32 numbers, given the range they stand for.")
      .inputs({"data", "min_range", "max_range"})
      .params(Params<DequantizeParam>().enumeration("out_type", &DequantizeParam::out_type, {{"float32", 0}},
                                                    "Type of the numbers."))
      .infer_shape(infer_ranges)
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(in[1], DType::kFloat32, "min_range of dequantize");
        assign_type(in[2], DType::kFloat32, "max_range of dequantize");
        assign_type(out[0], DType::kFloat32, "dequantize");
      })
      .kernel(dequantize_kernel);
}

}  // namespace mxnet
