#include <math.h>

#include <cstdint>
#include <type_traits>

#include "kernels/elemwise_rows.h"
#include "kernels/vmath_special.h"

namespace mxnet {
namespace {

#include "kernels/vmath_double.inc"
#include "kernels/vmath_functions.inc"

template <class Op>
void unary_row(const void* px, void* py, int64_t n) {
  const double* x = static_cast<const double*>(px);
  double* y = static_cast<double*>(py);
  for (int64_t i = 0; i < n; ++i) y[i] = Op::apply(x[i]);
}

template <class Op>
void binary_row(const void* pa, const void* pb, void* py, int64_t n, int steps) {
  const double* a = static_cast<const double*>(pa);
  const double* b = static_cast<const double*>(pb);
  double* y = static_cast<double*>(py);
  if (steps == kStepBoth) {
    for (int64_t i = 0; i < n; ++i) y[i] = Op::apply(a[i], b[i]);
    return;
  }
  const int64_t step_a = steps & kStepA ? 1 : 0;
  const int64_t step_b = steps & kStepB ? 1 : 0;
  for (int64_t i = 0; i < n; ++i) y[i] = Op::apply(a[i * step_a], b[i * step_b]);
}

}  // namespace

UnaryRow double_unary_row(Unary op) {
  switch (op) {
    case Unary::kAbs: return unary_row<Abs>;
    case Unary::kSign: return unary_row<Sign>;
    case Unary::kRint: return unary_row<Rint>;
    case Unary::kRound: return unary_row<Round>;
    case Unary::kCeil: return unary_row<Ceil>;
    case Unary::kFloor: return unary_row<Floor>;
    case Unary::kTrunc: return unary_row<Trunc>;
    case Unary::kNegative: return unary_row<Negative>;
    case Unary::kReciprocal: return unary_row<Reciprocal>;
    case Unary::kSquare: return unary_row<Square>;
    case Unary::kSqrt: return unary_row<Sqrt>;
    case Unary::kRsqrt: return unary_row<Rsqrt>;
    case Unary::kCbrt: return unary_row<Cbrt>;
    case Unary::kRcbrt: return unary_row<Rcbrt>;
    case Unary::kExp: return unary_row<Exp>;
    case Unary::kExpm1: return unary_row<Expm1>;
    case Unary::kLog: return unary_row<Log>;
    case Unary::kLog2: return unary_row<Log2>;
    case Unary::kLog10: return unary_row<Log10>;
    case Unary::kLog1p: return unary_row<Log1p>;
    case Unary::kSin: return unary_row<Sin>;
    case Unary::kCos: return unary_row<Cos>;
    case Unary::kTan: return unary_row<Tan>;
    case Unary::kArcsin: return unary_row<Arcsin>;
    case Unary::kArccos: return unary_row<Arccos>;
    case Unary::kArctan: return unary_row<Arctan>;
    case Unary::kSinh: return unary_row<Sinh>;
    case Unary::kCosh: return unary_row<Cosh>;
    case Unary::kTanh: return unary_row<Tanh>;
    case Unary::kArcsinh: return unary_row<Arcsinh>;
    case Unary::kArccosh: return unary_row<Arccosh>;
    case Unary::kArctanh: return unary_row<Arctanh>;
    case Unary::kDegrees: return unary_row<Degrees>;
    case Unary::kRadians: return unary_row<Radians>;
    case Unary::kGamma: return unary_row<Gamma>;
    case Unary::kGammaln: return unary_row<Gammaln>;
    case Unary::kDigamma: return unary_row<Digamma>;
    case Unary::kTrigamma: return unary_row<Trigamma>;
    case Unary::kErf: return unary_row<Erf>;
    case Unary::kErfinv: return unary_row<Erfinv>;
    case Unary::kLogicalNot: return unary_row<LogicalNot>;
    case Unary::kRelu: return unary_row<Relu>;
    case Unary::kSigmoid: return unary_row<Sigmoid>;
    case Unary::kSoftsign: return unary_row<Softsign>;
    case Unary::kSoftrelu: return unary_row<Softrelu>;
    case Unary::kGelu: return unary_row<Gelu>;
    case Unary::kCount: break;
  }
  return nullptr;
}

BinaryRow double_binary_row(Binary op) {
  switch (op) {
    case Binary::kAdd: return binary_row<Add>;
    case Binary::kSub: return binary_row<Sub>;
    case Binary::kMul: return binary_row<Mul>;
    case Binary::kDiv: return binary_row<Div>;
    case Binary::kMod: return binary_row<Mod>;
    case Binary::kPower: return binary_row<Power>;
    case Binary::kMaximum: return binary_row<Maximum>;
    case Binary::kMinimum: return binary_row<Minimum>;
    case Binary::kHypot: return binary_row<Hypot>;
    case Binary::kEqual: return binary_row<Equal>;
    case Binary::kNotEqual: return binary_row<NotEqual>;
    case Binary::kGreater: return binary_row<Greater>;
    case Binary::kGreaterEqual: return binary_row<GreaterEqual>;
    case Binary::kLesser: return binary_row<Lesser>;
    case Binary::kLesserEqual: return binary_row<LesserEqual>;
    case Binary::kLogicalAnd: return binary_row<LogicalAnd>;
    case Binary::kLogicalOr: return binary_row<LogicalOr>;
    case Binary::kLogicalXor: return binary_row<LogicalXor>;
    case Binary::kSmoothL1: return binary_row<SmoothL1>;
    case Binary::kSmoothL1Grad: return binary_row<SmoothL1Grad>;
    case Binary::kCount: break;
  }
  return nullptr;
}

BinaryRow double_grad_row(UnaryGrad op) {
  switch (op) {
    case UnaryGrad::kAbs: return binary_row<AbsGrad>;
    case UnaryGrad::kSign: return binary_row<SignGrad>;
    case UnaryGrad::kReciprocal: return binary_row<ReciprocalGrad>;
    case UnaryGrad::kSquare: return binary_row<SquareGrad>;
    case UnaryGrad::kSqrt: return binary_row<SqrtGrad>;
    case UnaryGrad::kRsqrt: return binary_row<RsqrtGrad>;
    case UnaryGrad::kCbrt: return binary_row<CbrtGrad>;
    case UnaryGrad::kRcbrt: return binary_row<RcbrtGrad>;
    case UnaryGrad::kExpm1: return binary_row<Expm1Grad>;
    case UnaryGrad::kLog: return binary_row<LogGrad>;
    case UnaryGrad::kLog2: return binary_row<Log2Grad>;
    case UnaryGrad::kLog10: return binary_row<Log10Grad>;
    case UnaryGrad::kLog1p: return binary_row<Log1pGrad>;
    case UnaryGrad::kSin: return binary_row<SinGrad>;
    case UnaryGrad::kCos: return binary_row<CosGrad>;
    case UnaryGrad::kTan: return binary_row<TanGrad>;
    case UnaryGrad::kArcsin: return binary_row<ArcsinGrad>;
    case UnaryGrad::kArccos: return binary_row<ArccosGrad>;
    case UnaryGrad::kArctan: return binary_row<ArctanGrad>;
    case UnaryGrad::kSinh: return binary_row<SinhGrad>;
    case UnaryGrad::kCosh: return binary_row<CoshGrad>;
    case UnaryGrad::kTanh: return binary_row<TanhGrad>;
    case UnaryGrad::kArcsinh: return binary_row<ArcsinhGrad>;
    case UnaryGrad::kArccosh: return binary_row<ArccoshGrad>;
    case UnaryGrad::kArctanh: return binary_row<ArctanhGrad>;
    case UnaryGrad::kDegrees: return binary_row<DegreesGrad>;
    case UnaryGrad::kRadians: return binary_row<RadiansGrad>;
    case UnaryGrad::kGamma: return binary_row<GammaGrad>;
    case UnaryGrad::kGammaln: return binary_row<GammalnGrad>;
    case UnaryGrad::kErf: return binary_row<ErfGrad>;
    case UnaryGrad::kErfinv: return binary_row<ErfinvGrad>;
    case UnaryGrad::kRelu: return binary_row<ReluGrad>;
    case UnaryGrad::kSigmoid: return binary_row<SigmoidGrad>;
    case UnaryGrad::kSoftsign: return binary_row<SoftsignGrad>;
    case UnaryGrad::kSoftrelu: return binary_row<SoftreluGrad>;
    case UnaryGrad::kGelu: return binary_row<GeluGrad>;
    case UnaryGrad::kCount: break;
  }
  return nullptr;
}

}  // namespace mxnet
