#include "kernels/vmath_special.h"

#include <cmath>
#include <limits>

namespace mxnet {
namespace {
constexpr double kPi = 3.14159265358979323846;
}

// Reflection to the right half-plane, recurrence up to 10, then the asymptotic series (Abramowitz and Stegun, 6.3).
double digamma_number(double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma_number(1 - x) - kPi / std::tan(kPi * x);
  }
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return result + std::log(x) - 0.5 / x - series;
}

double trigamma_number(double x) {  // Abramowitz and Stegun, 6.4
  if (std::isnan(x)) return x;
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::infinity();
    const double s = std::sin(kPi * x);
    return kPi * kPi / (s * s) - trigamma_number(1 - x);
  }
  double result = 0;
  for (; x < 10; x += 1) result += 1 / (x * x);
  const double z = 1 / (x * x);
  const double series =
      1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * (691.0 / 2730)))));
  return result + 1 / x + z / 2 + z / x * series;
}

// A rough start by Winitzki's formula, then Halley's iteration on erf(y) = x.
double erfinv_number(double x) {
  if (std::isnan(x) || x < -1 || x > 1) return std::numeric_limits<double>::quiet_NaN();
  if (x == 1 || x == -1) return x * std::numeric_limits<double>::infinity();
  if (x == 0) return x;
  const double a = 0.147;
  const double l = std::log((1 - x) * (1 + x));
  const double t = 2 / (kPi * a) + l / 2;
  double y = std::copysign(std::sqrt(std::sqrt(t * t - l / a) - t), x);
  for (int i = 0; i < 3; ++i) {
    // erf(y) - x; erfc keeps its digits where 1 - |x| is small
    const double error = x > 0 ? (1 - x) - std::erfc(y) : std::erfc(-y) - (1 + x);
    const double step = error / (1.1283791670955126 * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}

}  // namespace mxnet
