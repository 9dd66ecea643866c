// Functions of one array, one row each: name, aliases, kernel, gradient.
#include <deque>

#include "kernels/elemwise.h"
#include "op/infer.h"
#include "ops/elemwise/graph_math.h"

namespace mxnet {
namespace {

// f''(v) / (df'/dv) as a graph: the derivative of a row's gradient factor by what it is computed from.
using SecondFn = Entry (*)(const GraphMath& m, const Entry& v);

enum class GradFrom { kZero, kInput, kOutput };

struct UnaryRowDef {
  const char* name;
  const char* alias;
  const char* alias2;
  Unary op;
  const char* doc;
  GradFrom from = GradFrom::kZero;
  UnaryGrad grad = UnaryGrad::kCount;
  SecondFn second = nullptr;  // null: zero
};

Entry arc_second(const GraphMath& m, const Entry& x, double inside, double factor) {  // factor * x * (1 + inside x^2)^-3/2
  return m.scale(m.mul(x, m.power(m.add(m.scale(m.square(x), inside), 1), -1.5)), factor);
}

constexpr auto kIn = GradFrom::kInput;
constexpr auto kOut = GradFrom::kOutput;

const UnaryRowDef kRows[] = {
    {"abs", "_sparse_abs", nullptr, Unary::kAbs, "Absolute value.", kIn, UnaryGrad::kAbs},
    {"sign", "_sparse_sign", nullptr, Unary::kSign, "-1, 0 or 1 as the element is negative, zero or positive.", kIn,
     UnaryGrad::kSign},
    {"round", "_sparse_round", nullptr, Unary::kRound, "Rounds to the nearest integer, ties away from zero."},
    {"rint", "_sparse_rint", nullptr, Unary::kRint, "Rounds to the nearest integer, ties to the lower one."},
    {"ceil", "_sparse_ceil", nullptr, Unary::kCeil, "Rounds up."},
    {"floor", "_sparse_floor", nullptr, Unary::kFloor, "Rounds down."},
    {"trunc", "_sparse_trunc", nullptr, Unary::kTrunc, "Rounds towards zero."},
    {"fix", "_sparse_fix", nullptr, Unary::kTrunc, "Rounds towards zero."},
    {"logical_not", nullptr, nullptr, Unary::kLogicalNot, "1 where the element is zero, else 0."},
    {"reciprocal", nullptr, nullptr, Unary::kReciprocal, "1 / x.", kIn, UnaryGrad::kReciprocal,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.power(x, -3), 2); }},
    {"square", "_sparse_square", nullptr, Unary::kSquare, "x * x.", kIn, UnaryGrad::kSquare,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.call("ones_like", x), 2); }},
    {"sqrt", "_sparse_sqrt", nullptr, Unary::kSqrt, "Square root.", kOut, UnaryGrad::kSqrt,
     [](const GraphMath& m, const Entry& y) { return m.scale(m.power(y, -2), -0.5); }},
    {"rsqrt", "_sparse_rsqrt", nullptr, Unary::kRsqrt, "1 / sqrt(x).", kIn, UnaryGrad::kRsqrt,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.power(x, -2.5), 0.75); }},
    {"cbrt", "_sparse_cbrt", nullptr, Unary::kCbrt, "Cube root.", kOut, UnaryGrad::kCbrt,
     [](const GraphMath& m, const Entry& y) { return m.scale(m.power(y, -3), -2.0 / 3); }},
    {"rcbrt", nullptr, nullptr, Unary::kRcbrt, "1 / cbrt(x).", kIn, UnaryGrad::kRcbrt,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.mul(m.call("rcbrt", x), m.power(x, -2)), 4.0 / 9); }},
    {"expm1", "_sparse_expm1", nullptr, Unary::kExpm1, "exp(x) - 1, exact near zero.", kIn, UnaryGrad::kExpm1,
     [](const GraphMath& m, const Entry& x) { return m.call("exp", x); }},
    {"log", "_sparse_log", nullptr, Unary::kLog, "Natural logarithm.", kIn, UnaryGrad::kLog,
     [](const GraphMath& m, const Entry& x) { return m.negative(m.power(x, -2)); }},
    {"log2", "_sparse_log2", nullptr, Unary::kLog2, "Logarithm to base 2.", kIn, UnaryGrad::kLog2,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.power(x, -2), -1.4426950408889634); }},
    {"log10", "_sparse_log10", nullptr, Unary::kLog10, "Logarithm to base 10.", kIn, UnaryGrad::kLog10,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.power(x, -2), -0.43429448190325183); }},
    {"log1p", "_sparse_log1p", nullptr, Unary::kLog1p, "log(1 + x), exact near zero.", kIn, UnaryGrad::kLog1p,
     [](const GraphMath& m, const Entry& x) { return m.negative(m.power(m.add(x, 1), -2)); }},
    {"sin", "_sparse_sin", nullptr, Unary::kSin, "Sine of radians.", kIn, UnaryGrad::kSin,
     [](const GraphMath& m, const Entry& x) { return m.negative(m.call("sin", x)); }},
    {"cos", "_sparse_cos", nullptr, Unary::kCos, "Cosine of radians.", kIn, UnaryGrad::kCos,
     [](const GraphMath& m, const Entry& x) { return m.negative(m.call("cos", x)); }},
    {"tan", "_sparse_tan", nullptr, Unary::kTan, "Tangent of radians.", kOut, UnaryGrad::kTan,
     [](const GraphMath& m, const Entry& y) { return m.scale(y, 2); }},
    {"arcsin", "_sparse_arcsin", nullptr, Unary::kArcsin, "Inverse sine, in [-pi/2, pi/2].", kIn, UnaryGrad::kArcsin,
     [](const GraphMath& m, const Entry& x) { return arc_second(m, x, -1, 1); }},
    {"arccos", "_sparse_arccos", nullptr, Unary::kArccos, "Inverse cosine, in [0, pi].", kIn, UnaryGrad::kArccos,
     [](const GraphMath& m, const Entry& x) { return arc_second(m, x, -1, -1); }},
    {"arctan", "_sparse_arctan", nullptr, Unary::kArctan, "Inverse tangent, in (-pi/2, pi/2).", kIn, UnaryGrad::kArctan,
     [](const GraphMath& m, const Entry& x) { return m.scale(m.mul(x, m.power(m.add(m.square(x), 1), -2)), -2); }},
    {"sinh", "_sparse_sinh", nullptr, Unary::kSinh, "Hyperbolic sine.", kIn, UnaryGrad::kSinh,
     [](const GraphMath& m, const Entry& x) { return m.call("sinh", x); }},
    {"cosh", "_sparse_cosh", nullptr, Unary::kCosh, "Hyperbolic cosine.", kIn, UnaryGrad::kCosh,
     [](const GraphMath& m, const Entry& x) { return m.call("cosh", x); }},
    {"tanh", "_sparse_tanh", nullptr, Unary::kTanh, "Hyperbolic tangent.", kOut, UnaryGrad::kTanh,
     [](const GraphMath& m, const Entry& y) { return m.scale(y, -2); }},
    {"arcsinh", "_sparse_arcsinh", nullptr, Unary::kArcsinh, "Inverse hyperbolic sine.", kIn, UnaryGrad::kArcsinh,
     [](const GraphMath& m, const Entry& x) { return arc_second(m, x, 1, -1); }},
    {"arccosh", "_sparse_arccosh", nullptr, Unary::kArccosh, "Inverse hyperbolic cosine.", kIn, UnaryGrad::kArccosh,
     [](const GraphMath& m, const Entry& x) {
       return m.negative(m.mul(x, m.power(m.add(m.square(x), -1), -1.5)));
     }},
    {"arctanh", "_sparse_arctanh", nullptr, Unary::kArctanh, "Inverse hyperbolic tangent.", kIn, UnaryGrad::kArctanh,
     [](const GraphMath& m, const Entry& x) {
       return m.scale(m.mul(x, m.power(m.add(m.negative(m.square(x)), 1), -2)), 2);
     }},
    {"degrees", "_sparse_degrees", nullptr, Unary::kDegrees, "Radians to degrees.", kIn, UnaryGrad::kDegrees},
    {"radians", "_sparse_radians", nullptr, Unary::kRadians, "Degrees to radians.", kIn, UnaryGrad::kRadians},
    {"gamma", "_npx_gamma", "_sparse_gamma", Unary::kGamma, "The gamma function.", kIn, UnaryGrad::kGamma,
     [](const GraphMath& m, const Entry& x) {
       const Entry psi = m.square(m.call("_digamma", x));
       return m.mul(m.call("gamma", x), m.g.op("elemwise_add", {psi, m.call("_trigamma", x)}));
     }},
    {"gammaln", "_npx_gammaln", "_sparse_gammaln", Unary::kGammaln, "Logarithm of the absolute value of gamma(x).", kIn,
     UnaryGrad::kGammaln, [](const GraphMath& m, const Entry& x) { return m.call("_trigamma", x); }},
    {"erf", "_npx_erf", nullptr, Unary::kErf, "The error function.", kIn, UnaryGrad::kErf,
     [](const GraphMath& m, const Entry& x) {
       return m.scale(m.mul(x, m.call("exp", m.negative(m.square(x)))), -2 * 1.1283791670955126);
     }},
    {"erfinv", "_npx_erfinv", nullptr, Unary::kErfinv, "Inverse of the error function; NaN outside [-1, 1].", kIn,
     UnaryGrad::kErfinv,
     [](const GraphMath& m, const Entry& x) {
       const Entry y = m.call("erfinv", x);
       constexpr double quarter_pi_root = 0.88622692545275801;  // sqrt(pi) / 2
       return m.scale(m.mul(y, m.call("exp", m.scale(m.square(y), 2))), 2 * quarter_pi_root * quarter_pi_root);
     }},
    {"relu", "_sparse_relu", nullptr, Unary::kRelu, "max(x, 0).", kOut, UnaryGrad::kRelu},
    {"sigmoid", "_sparse_sigmoid", nullptr, Unary::kSigmoid, "1 / (1 + exp(-x)).", kOut, UnaryGrad::kSigmoid,
     [](const GraphMath& m, const Entry& y) { return m.add(m.scale(y, -2), 1); }},
    {"softsign", nullptr, nullptr, Unary::kSoftsign, "x / (1 + |x|).", kIn, UnaryGrad::kSoftsign,
     [](const GraphMath& m, const Entry& x) {
       return m.scale(m.mul(m.call("sign", x), m.power(m.add(m.call("abs", x), 1), -3)), -2);
     }},
    // Parts of Activation and LeakyReLU.
    {"_softrelu", nullptr, nullptr, Unary::kSoftrelu, "log(1 + exp(x)).", kOut, UnaryGrad::kSoftrelu,
     [](const GraphMath& m, const Entry& y) { return m.call("exp", m.negative(y)); }},
    {"_gelu", nullptr, nullptr, Unary::kGelu, "x times the normal distribution function of x.", kIn, UnaryGrad::kGelu,
     [](const GraphMath& m, const Entry& x) {
       constexpr double density_at_zero = 0.3989422804014327;  // 1 / sqrt(2 pi)
       const Entry density = m.call("exp", m.scale(m.square(x), -0.5));
       return m.mul(m.scale(density, density_at_zero), m.add(m.negative(m.square(x)), 2));
     }},
};

OpDef& declare(const char* name, Unary op, const char* doc) {
  return register_op(name).doc(doc).lenient().infer_shape(infer_same_shape).infer_type(infer_same_type)
      .inplace(0, 0).pattern(Pattern::kElementwise)
      .kernel([op](const KernelContext& c) { return make_unary_kernel(op, c); });
}

const char* keep(std::string name) {  // the closures of the registry, which never ends, hold names as pointers
  static auto* names = new std::deque<std::string>;
  return names->emplace_back(std::move(name)).c_str();
}

void declare_row(const UnaryRowDef& row) {
  OpDef& def = declare(row.name, row.op, row.doc);
  const std::string_view plain = row.name[0] == '_' ? row.name + 1 : row.name;
  if (row.name[0] == '_') def.internal();
  if (row.alias) def.alias({row.alias});
  if (row.alias2) def.alias({row.alias2});
  if (row.from == GradFrom::kZero) {
    def.zero_gradient();
    return;
  }
  const char* backward = keep("_backward_" + std::string(plain));
  const bool from_input = row.from == GradFrom::kInput;
  def.gradient(from_input ? backward_op(backward, {0}, {0}, {}) : backward_op(backward, {0}, {}, {0}));
  register_op(backward).internal().lenient().inputs({"ograd", from_input ? "data" : "output"})
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).inplace(1, 0)
      .pattern(Pattern::kElementwise)
      .gradient([backward, second = row.second](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const GraphMath m{g};
        Entry by_value;
        if (second) by_value = m.mul(m.mul(g.out_grad(), g.input(0)), second(m, g.input(1)));
        return std::vector<Entry>{g.op(backward, {g.out_grad(), g.input(1)}), by_value};
      })
      .kernel([grad = row.grad](const KernelContext& c) { return make_grad_kernel(grad, c); });
}

}  // namespace

MXNET_REGISTER(elemwise_unary) {
  for (const UnaryRowDef& row : kRows) declare_row(row);

  declare("exp", Unary::kExp, "e to the power x.").alias({"_sparse_exp"})
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.mul(g.out_grad(), g.output(0))};
      });
  declare("negative", Unary::kNegative, "-x.").alias({"_sparse_negative"})
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("negative", {g.out_grad()})};
      });
  declare("_digamma", Unary::kDigamma, "Derivative of log gamma(x).").internal()
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.mul(g.out_grad(), g.op("_trigamma", {g.input(0)}))};
      });
  declare("_trigamma", Unary::kTrigamma, "Second derivative of log gamma(x).").internal();
}

}  // namespace mxnet
