// Accuracy of the vector mathematics of every instruction set this processor has, and of the loops around them.
#include "kernels/vmath.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/vmath_special.h"

namespace mxnet {
namespace {

double ulp_error(float got, double want) {
  const float nearest = static_cast<float>(want);
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : 1e9;
  const float size = std::max(std::abs(nearest), std::numeric_limits<float>::min());
  const double ulp = static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity())) - static_cast<double>(size);
  return std::abs(static_cast<double>(got) - want) / ulp;
}

class VMathTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    table_ = find_vmath(GetParam());
    if (!table_) GTEST_SKIP() << "this processor lacks " << GetParam();
  }

  // The largest error over samples of [low, high], half of them spread over the binades.
  double worst(Unary op, double (*exact)(double), float low, float high) {
    std::vector<float> x, y(20011);
    for (int i = 0; i < 10000; ++i) x.push_back(low + (high - low) * static_cast<float>(i) / 9999.0f);
    for (int i = 0; i < 10000; ++i) {
      const float v = std::ldexp(1.0f + static_cast<float>(i % 97) / 97.0f, -(i % 60)) * (i % 2 ? 1.0f : -1.0f);
      x.push_back(std::min(high, std::max(low, v)));
    }
    for (int i = 0; i < 11; ++i) x.push_back(low + static_cast<float>(i) * 0.013f);  // a length that leaves a tail
    table_->unary[static_cast<int>(op)](x.data(), y.data(), static_cast<int64_t>(x.size()));
    double error = 0;
    for (size_t i = 0; i < x.size(); ++i) error = std::max(error, ulp_error(y[i], exact(static_cast<double>(x[i]))));
    return error;
  }

  float value(Unary op, float x) {
    float y = 0;
    table_->unary[static_cast<int>(op)](&x, &y, 1);
    return y;
  }

  const VMath* table_ = nullptr;
};

TEST_P(VMathTest, UnaryErrorsAreSmall) {
  EXPECT_LT(worst(Unary::kExp, [](double x) { return std::exp(x); }, -87, 88.7f), 2.0);
  EXPECT_LT(worst(Unary::kExpm1, [](double x) { return std::expm1(x); }, -20, 80), 3.0);
  EXPECT_LT(worst(Unary::kLog, [](double x) { return std::log(x); }, 1e-30f, 1e10f), 2.0);
  EXPECT_LT(worst(Unary::kLog2, [](double x) { return std::log2(x); }, 1e-30f, 1e10f), 3.0);
  EXPECT_LT(worst(Unary::kLog10, [](double x) { return std::log10(x); }, 1e-30f, 1e10f), 3.0);
  EXPECT_LT(worst(Unary::kLog1p, [](double x) { return std::log1p(x); }, -0.999f, 1e6f), 3.5);
  EXPECT_LT(worst(Unary::kTanh, [](double x) { return std::tanh(x); }, -10, 10), 2.0);
  EXPECT_LT(worst(Unary::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -80, 80), 3.0);
  EXPECT_LT(worst(Unary::kErf, [](double x) { return std::erf(x); }, -5, 5), 2.5);
  EXPECT_LT(worst(Unary::kSqrt, [](double x) { return std::sqrt(x); }, 0, 1e6f), 0.51);
  EXPECT_LT(worst(Unary::kCosh, [](double x) { return std::cosh(x); }, -80, 80), 4.0);
  EXPECT_LT(worst(Unary::kErfinv, erfinv_number, -0.99999f, 0.99999f), 0.6);
}

TEST_P(VMathTest, EdgesOfTheRange) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(value(Unary::kExp, inf), inf);
  EXPECT_EQ(value(Unary::kExp, -inf), 0.0f);
  EXPECT_EQ(value(Unary::kExp, 89.0f), inf);
  EXPECT_EQ(value(Unary::kExp, -104.0f), 0.0f);
  EXPECT_NEAR(value(Unary::kExp, -100.0f), std::exp(-100.0), 2e-45);  // subnormal
  EXPECT_TRUE(std::isnan(value(Unary::kExp, nan)));
  EXPECT_EQ(value(Unary::kLog, 0.0f), -inf);
  EXPECT_TRUE(std::isnan(value(Unary::kLog, -1.0f)));
  EXPECT_EQ(value(Unary::kLog, inf), inf);
  EXPECT_NEAR(value(Unary::kLog, 1e-40f), std::log(static_cast<double>(1e-40f)), 1e-5);
  EXPECT_EQ(value(Unary::kTanh, inf), 1.0f);
  EXPECT_EQ(value(Unary::kTanh, -inf), -1.0f);
  EXPECT_TRUE(std::signbit(value(Unary::kTanh, -0.0f)));
  EXPECT_EQ(value(Unary::kSigmoid, -200.0f), 0.0f);
  EXPECT_EQ(value(Unary::kLog1p, inf), inf);
  EXPECT_EQ(value(Unary::kLog1p, -1.0f), -inf);
  EXPECT_EQ(value(Unary::kRint, 0.5f), 0.0f);
  EXPECT_EQ(value(Unary::kRint, -2.5f), -3.0f);
  EXPECT_EQ(value(Unary::kRound, -2.5f), -3.0f);
}

TEST_P(VMathTest, RowsOfAnyLengthAndStep) {
  std::vector<float> a(70), b(70), y(71);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(2 * i + 1);
  }
  const auto sub = table_->binary[static_cast<int>(Binary::kSub)];
  for (int64_t n = 0; n <= 70; ++n) {
    for (int steps = 0; steps <= 3; ++steps) {
      std::fill(y.begin(), y.end(), -7.0f);
      sub(a.data(), b.data(), y.data(), n, steps);
      for (size_t i = 0; i < static_cast<size_t>(n); ++i) EXPECT_EQ(y[i], a[steps & 1 ? i : 0] - b[steps & 2 ? i : 0]);
      EXPECT_EQ(y[static_cast<size_t>(n)], -7.0f);  // nothing beyond
    }
  }
}

TEST_P(VMathTest, Reductions) {
  for (int64_t n : {0, 1, 3, 17, 64, 1000}) {
    std::vector<float> x;
    for (int64_t i = 0; i < n; ++i) x.push_back(static_cast<float>((i * 37) % 101) - 50.0f);
    double sum = 0, squares = 0;
    float high = -std::numeric_limits<float>::infinity();
    for (float v : x) {
      sum += static_cast<double>(v);
      squares += static_cast<double>(v) * static_cast<double>(v);
      high = std::max(high, v);
    }
    EXPECT_EQ(table_->reduce_row[static_cast<int>(Reduce::kSum)](x.data(), n), static_cast<float>(sum));
    EXPECT_NEAR(table_->reduce_row[static_cast<int>(Reduce::kSumSquares)](x.data(), n), squares, squares * 1e-6);
    EXPECT_EQ(table_->reduce_row[static_cast<int>(Reduce::kMax)](x.data(), n), high);
    EXPECT_NEAR(table_->dot(x.data(), x.data(), n), squares, squares * 1e-6);
  }
  std::vector<float> with_nan(40, 1.0f);
  with_nan[33] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(table_->reduce_row[static_cast<int>(Reduce::kMax)](with_nan.data(), 40)));
  EXPECT_EQ(table_->reduce_row[static_cast<int>(Reduce::kNanSum)](with_nan.data(), 40), 39.0f);
  EXPECT_EQ(table_->reduce_row[static_cast<int>(Reduce::kNanProd)](with_nan.data(), 40), 1.0f);
}

TEST_P(VMathTest, Halves) {
  std::vector<uint16_t> bits, back(65536);
  for (uint32_t i = 0; i < 65536; ++i) bits.push_back(static_cast<uint16_t>(i));
  std::vector<float> wide(65536);
  table_->half_to_float(bits.data(), wide.data(), 65536);
  table_->float_to_half(wide.data(), back.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) {
    if (std::isnan(wide[i])) continue;  // payloads may change
    EXPECT_EQ(back[i], bits[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, VMathTest, testing::Values("base", "avx2", "avx512"));

TEST(VMathSpecial, ErfinvInvertsErf) {
  for (double y : {-5.5, -2.0, -0.3, 1e-9, 0.4769362762044699, 1.5, 3.0, 5.0}) {
    EXPECT_NEAR(erfinv_number(std::erf(y)), y, std::abs(y) < 4 ? 1e-9 : 0.1) << y;  // erf(5) has lost most digits
  }
  EXPECT_NEAR(erfinv_number(0.5), 0.47693627620446987, 1e-15);
}

TEST(VMathSpecial, DerivativesOfLogGamma) {
  for (double x : {-2.3, -0.4, 0.1, 0.7, 1.0, 3.5, 25.0}) {
    const double h = 1e-5 * std::max(1.0, std::abs(x));
    EXPECT_NEAR(digamma_number(x), (std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h), 1e-6 * std::max(1.0, std::abs(digamma_number(x))));
    EXPECT_NEAR(trigamma_number(x), (digamma_number(x + h) - digamma_number(x - h)) / (2 * h), 1e-5 * std::max(1.0, trigamma_number(x)));
  }
}

}  // namespace
}  // namespace mxnet
