// Array mathematics on float32, compiled once per instruction set and chosen by the processor at first use. The same
// functions serve whole arrays and, tile by tile, every other float type and fused expressions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxnet {

enum class Unary : int {
  kAbs, kSign, kRint, kRound, kCeil, kFloor, kTrunc, kNegative, kReciprocal, kSquare, kSqrt, kRsqrt, kCbrt, kRcbrt,
  kExp, kExpm1, kLog, kLog2, kLog10, kLog1p, kSin, kCos, kTan, kArcsin, kArccos, kArctan, kSinh, kCosh, kTanh,
  kArcsinh, kArccosh, kArctanh, kDegrees, kRadians, kGamma, kGammaln, kDigamma, kTrigamma, kErf, kErfinv, kLogicalNot,
  kRelu, kSigmoid, kSoftsign, kSoftrelu, kGelu, kCount
};

enum class Binary : int {
  kAdd, kSub, kMul, kDiv, kMod, kPower, kMaximum, kMinimum, kHypot, kEqual, kNotEqual, kGreater, kGreaterEqual, kLesser,
  kLesserEqual, kLogicalAnd, kLogicalOr, kLogicalXor, kSmoothL1, kSmoothL1Grad, kCount
};

// g * f'(v), where v is the input or the output of f, whichever makes f' cheap.
enum class UnaryGrad : int {
  kAbs, kSign, kReciprocal, kSquare, kSqrt, kRsqrt, kCbrt, kRcbrt, kExpm1, kLog, kLog2, kLog10, kLog1p, kSin, kCos, kTan,
  kArcsin, kArccos, kArctan, kSinh, kCosh, kTanh, kArcsinh, kArccosh, kArctanh, kDegrees, kRadians, kGamma, kGammaln,
  kErf, kErfinv, kRelu, kSigmoid, kSoftsign, kSoftrelu, kGelu, kCount
};

enum class Reduce : int { kSum, kSumSquares, kSumAbs, kMax, kMin, kProd, kNanSum, kNanProd, kCount };

// Pointers are of the element type that the function was asked for.
using UnaryRow = void (*)(const void* x, void* y, int64_t n);
// `steps`: bit 0, a advances with the output; bit 1, b does. A clear bit is one value for the whole row.
using BinaryRow = void (*)(const void* a, const void* b, void* y, int64_t n, int steps);
inline constexpr int kStepA = 1;
inline constexpr int kStepB = 2;
inline constexpr int kStepBoth = 3;

struct VMath {
  const char* name;
  UnaryRow unary[static_cast<int>(Unary::kCount)];
  BinaryRow binary[static_cast<int>(Binary::kCount)];
  BinaryRow grad[static_cast<int>(UnaryGrad::kCount)];
  // One number for n consecutive ones; n up to a few thousand keeps sums accurate.
  float (*reduce_row[static_cast<int>(Reduce::kCount)])(const float* x, int64_t n);
  // y[j] = reduction of x[r * stride + j] over r in [0, rows), for j in [0, n).
  void (*reduce_columns[static_cast<int>(Reduce::kCount)])(const float* x, int64_t stride, int64_t rows, int64_t n,
                                                           float* y);
  // y = exp((x - shift) * scale); returns the sum of y. y may be x; y null: only the sum.
  float (*exp_shifted)(const float* x, float shift, float scale, float* y, int64_t n);
  float (*dot)(const float* a, const float* b, int64_t n);
  // y = a * x + b
  void (*affine)(const float* x, float a, float b, float* y, int64_t n);
  void (*half_to_float)(const uint16_t* x, float* y, int64_t n);
  void (*float_to_half)(const float* x, uint16_t* y, int64_t n);
};

// The fastest for this processor. MXNET_CPU_ISA=base|avx2 asks for less.
const VMath& vmath();
// "base", "avx2" or "avx512"; null when it was not built or the processor lacks it.
const VMath* find_vmath(const char* name);

}  // namespace mxnet
