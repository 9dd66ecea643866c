// _contrib_requantize: int32 sums of quantised products brought back to 8 bits.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

constexpr int kAuto = -1;

struct RequantizeParam {
  int out_type = static_cast<int>(DType::kInt8);
  std::optional<float> min_calib_range, max_calib_range;

  DType result() const {
    if (out_type != kAuto) return static_cast<DType>(out_type);
    return min_calib_range && *min_calib_range >= 0 ? DType::kUint8 : DType::kInt8;
  }
};

float largest(float low, float high) { return std::max(std::fabs(low), std::fabs(high)); }

MXNET_REGISTER(requantize) {
  register_op("_contrib_requantize")
      .doc("Converts int32 data that stands for [min_range, max_range] to 8 bits, and gives the range that these span.")
      .params(Params<RequantizeParam>()
                  .enumeration("out_type", &RequantizeParam::out_type,
                               {{"auto", kAuto}, {"int8", static_cast<int>(DType::kInt8)},
                                {"uint8", static_cast<int>(DType::kUint8)}},
                               "Type of the result; auto: uint8 where the calibrated range has no negative numbers.")
                  .field("min_calib_range", &RequantizeParam::min_calib_range,
                         "Lowest real number to represent; None: found in the data.")
                  .field("max_calib_range", &RequantizeParam::max_calib_range,
                         "Highest real number to represent; None: found in the data."))
      .inputs({"data", "min_range", "max_range"})
      .outputs(3)
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        for (Shape* slot : {&in[1], &in[2], &out[1], &out[2]}) assign_shape(*slot, Shape{1});
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        assign_type(in[0], DType::kInt32, "data");
        for (DType* slot : {&in[1], &in[2], &out[1], &out[2]}) assign_type(*slot, DType::kFloat32);
        assign_type(out[0], attrs.get<RequantizeParam>().result());
      })
      .zero_gradient()
      .kernel([](const KernelContext& c) -> Kernel {
        const auto p = c.attrs.get<RequantizeParam>();
        const int64_t n = c.in_shapes[0].size();
        const bool is_signed = c.out_types[0] == DType::kInt8;
        return {[p, n, is_signed](const KernelArgs& a) {
          const int32_t* x = a.input<int32_t>(0);
          // One step of int32 in real numbers.
          const double unit = largest(*a.input<float>(1), *a.input<float>(2)) / 2147483647.0;
          float range = 0;
          if (p.min_calib_range && p.max_calib_range) {
            range = largest(*p.min_calib_range, *p.max_calib_range);
          } else {
            int64_t peak = 0;
            for (int64_t i = 0; i < n; ++i) peak = std::max(peak, std::abs(int64_t{x[i]}));
            range = static_cast<float>(static_cast<double>(peak) * unit);
          }
          const double top = is_signed ? 127 : 255;
          const double scale = range > 0 ? unit * top / range : 0;
          parallel_for(n, 2, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const double size = std::min(std::fabs(x[i] * scale) + 0.5, top);
              if (is_signed) {
                a.output<int8_t>(0)[i] = static_cast<int8_t>(x[i] < 0 ? -static_cast<int>(size) : static_cast<int>(size));
              } else {
                a.output<uint8_t>(0)[i] = x[i] < 0 ? 0 : static_cast<uint8_t>(size);
              }
            }
          });
          *a.output<float>(1) = is_signed ? -range : 0;
          *a.output<float>(2) = range;
        }, 0};
      });
}

}  // namespace
}  // namespace mxnet
