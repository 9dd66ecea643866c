// Functions of two arrays. One row declares the elementwise form, the broadcasting one and those with a scalar.
#include <cmath>

#include "kernels/elemwise.h"
#include "op/infer.h"
#include "ops/elemwise/graph_math.h"
#include "ops/elemwise/scalar_param.h"

namespace mxnet {
namespace {

// How a gradient names its operators: those for equal shapes or those that broadcast.
struct Form {
  const GradientBuilder& g;
  bool broadcast;

  Entry call(const char* elemwise, const char* broadcasting, Entry a, Entry b) const {
    return g.op(broadcast ? broadcasting : elemwise, {std::move(a), std::move(b)});
  }
  Entry mul(Entry a, Entry b) const { return call("elemwise_mul", "broadcast_mul", std::move(a), std::move(b)); }
  Entry div(Entry a, Entry b) const { return call("elemwise_div", "broadcast_div", std::move(a), std::move(b)); }
  Entry sub(Entry a, Entry b) const { return call("elemwise_sub", "broadcast_sub", std::move(a), std::move(b)); }
  Entry negative(Entry x) const { return g.op("negative", {std::move(x)}); }
  // Gradients of the two inputs, summed over what was broadcast.
  std::vector<Entry> done(Entry a, Entry b) const {
    if (!broadcast) return {a, b};
    return {g.op("_backward_reduce_to", {a, g.input(0)}), g.op("_backward_reduce_to", {b, g.input(1)})};
  }
};

using GradFn = std::vector<Entry> (*)(const Form& f);
using ScalarGradFn = Entry (*)(const GraphMath& m, const ScalarParam& p);

struct ScalarNames {
  const char* name = nullptr;
  const char* alias = nullptr;
  const char* alias2 = nullptr;
  ScalarGradFn gradient = nullptr;  // null: zero
};

struct BinaryRowDef {
  Binary op;
  const char* doc;
  std::vector<const char*> elemwise;   // name, aliases
  std::vector<const char*> broadcast;
  GradFn gradient;                     // null: zero
  ScalarNames scalar;
  ScalarNames reversed;
};

Entry pass(const GraphMath& m, const ScalarParam&) { return m.g.out_grad(); }

const std::vector<BinaryRowDef>& rows() {
  static const std::vector<BinaryRowDef> table = {
      {Binary::kAdd, "lhs + rhs.", {"elemwise_add", "_Plus", "_add", "_plus", "_sparse_elemwise_add"},
       {"broadcast_add", "_sparse_broadcast_add", "_sparse_broadcast_plus", "broadcast_plus"},
       [](const Form& f) { return f.done(f.g.out_grad(), f.g.out_grad()); },
       {"_plus_scalar", "_PlusScalar", nullptr, pass}, {}},
      {Binary::kSub, "lhs - rhs.", {"elemwise_sub", "_Minus", "_minus", "_sparse_elemwise_sub", "_sub"},
       {"broadcast_sub", "_sparse_broadcast_minus", "_sparse_broadcast_sub", "broadcast_minus"},
       [](const Form& f) { return f.done(f.g.out_grad(), f.negative(f.g.out_grad())); },
       {"_minus_scalar", "_MinusScalar", nullptr, pass},
       {"_rminus_scalar", "_RMinusScalar", nullptr,
        [](const GraphMath& m, const ScalarParam&) { return m.negative(m.g.out_grad()); }}},
      {Binary::kMul, "lhs * rhs.", {"elemwise_mul", "_Mul", "_mul", "_sparse_elemwise_mul"},
       {"broadcast_mul", "_sparse_broadcast_mul"},
       [](const Form& f) {
         return f.done(f.mul(f.g.out_grad(), f.g.input(1)), f.mul(f.g.out_grad(), f.g.input(0)));
       },
       {"_mul_scalar", "_MulScalar", nullptr,
        [](const GraphMath& m, const ScalarParam& p) { return m.scale(m.g.out_grad(), p.scalar); }}, {}},
      {Binary::kDiv, "lhs / rhs; of integers, truncated, and zero for a zero divisor.",
       {"elemwise_div", "_Div", "_div", "_sparse_elemwise_div"}, {"broadcast_div", "_sparse_broadcast_div"},
       [](const Form& f) {
         const Entry by_lhs = f.div(f.g.out_grad(), f.g.input(1));
         return f.done(by_lhs, f.negative(f.mul(by_lhs, f.g.output(0))));
       },
       {"_div_scalar", "_DivScalar", nullptr,
        [](const GraphMath& m, const ScalarParam& p) { return m.with_scalar("_div_scalar", m.g.out_grad(), p.scalar); }},
       {"_rdiv_scalar", "_RDivScalar", nullptr,
        [](const GraphMath& m, const ScalarParam& p) {
          return m.scale(m.div(m.g.out_grad(), m.square(m.g.input(0))), -p.scalar);
        }}},
      {Binary::kMod, "The remainder of lhs / rhs, with the sign of rhs; zero for a zero divisor.", {"_mod", "_Mod"},
       {"broadcast_mod"},
       [](const Form& f) {
         const Entry floor = f.g.op("floor", {f.div(f.g.input(0), f.g.input(1))});
         return f.done(f.g.out_grad(), f.negative(f.mul(f.g.out_grad(), floor)));
       },
       {"_mod_scalar", "_ModScalar", nullptr, pass},
       {"_rmod_scalar", "_RModScalar", nullptr,
        [](const GraphMath& m, const ScalarParam& p) {
          const Entry floor = m.call("floor", m.with_scalar("_rdiv_scalar", m.g.input(0), p.scalar));
          return m.negative(m.mul(m.g.out_grad(), floor));
        }}},
      {Binary::kPower, "lhs to the power rhs.", {"_power", "_Power"}, {"broadcast_power"},
       [](const Form& f) {
         const Entry lhs = f.g.input(0), rhs = f.g.input(1);
         const Entry less = f.g.op("_minus_scalar", {rhs}, {{"scalar", "1"}});
         const Entry by_lhs = f.mul(f.call("_power", "broadcast_power", lhs, less), rhs);
         const Entry by_rhs = f.mul(f.g.output(0), f.g.op("log", {lhs}));
         return f.done(f.mul(f.g.out_grad(), by_lhs), f.mul(f.g.out_grad(), by_rhs));
       },
       {"_power_scalar", "_PowerScalar", nullptr,
        [](const GraphMath& m, const ScalarParam& p) {
          return m.mul(m.g.out_grad(), m.scale(m.power(m.g.input(0), p.scalar - 1), p.scalar));
        }},
       {"_rpower_scalar", "_RPowerScalar", nullptr,
        [](const GraphMath& m, const ScalarParam& p) {
          return m.scale(m.mul(m.g.out_grad(), m.g.output(0)), std::log(p.scalar));
        }}},
      {Binary::kMaximum, "The larger of lhs and rhs; NaN if either is.", {"_maximum", "_Maximum"},
       {"broadcast_maximum", "_npi_maximum"},
       [](const Form& f) {
         const Entry lhs = f.g.input(0), rhs = f.g.input(1);
         return f.done(f.mul(f.g.out_grad(), f.call("_greater_equal", "broadcast_greater_equal", lhs, rhs)),
                       f.mul(f.g.out_grad(), f.call("_lesser", "broadcast_lesser", lhs, rhs)));
       },
       {"_maximum_scalar", "_MaximumScalar", "_npi_maximum_scalar",
        [](const GraphMath& m, const ScalarParam& p) {
          return m.mul(m.g.out_grad(), m.with_scalar("_greater_equal_scalar", m.g.input(0), p.scalar));
        }}, {}},
      {Binary::kMinimum, "The smaller of lhs and rhs; NaN if either is.", {"_minimum", "_Minimum"},
       {"broadcast_minimum", "_npi_minimum"},
       [](const Form& f) {
         const Entry lhs = f.g.input(0), rhs = f.g.input(1);
         return f.done(f.mul(f.g.out_grad(), f.call("_lesser_equal", "broadcast_lesser_equal", lhs, rhs)),
                       f.mul(f.g.out_grad(), f.call("_greater", "broadcast_greater", lhs, rhs)));
       },
       {"_minimum_scalar", "_MinimumScalar", "_npi_minimum_scalar",
        [](const GraphMath& m, const ScalarParam& p) {
          return m.mul(m.g.out_grad(), m.with_scalar("_lesser_equal_scalar", m.g.input(0), p.scalar));
        }}, {}},
      {Binary::kHypot, "sqrt(lhs^2 + rhs^2).", {"_hypot", "_Hypot"}, {"broadcast_hypot"},
       [](const Form& f) {
         const Entry scaled = f.div(f.g.out_grad(), f.g.output(0));
         return f.done(f.mul(scaled, f.g.input(0)), f.mul(scaled, f.g.input(1)));
       },
       {"_hypot_scalar", "_HypotScalar", "_npi_hypot_scalar",
        [](const GraphMath& m, const ScalarParam&) {
          return m.mul(m.g.out_grad(), m.div(m.g.input(0), m.g.output(0)));
        }}, {}},
      {Binary::kEqual, "1 where lhs equals rhs, else 0.", {"_equal", "_Equal"}, {"broadcast_equal"}, nullptr,
       {"_equal_scalar", "_EqualScalar"}, {}},
      {Binary::kNotEqual, "1 where lhs differs from rhs, else 0.", {"_not_equal", "_Not_Equal"}, {"broadcast_not_equal"},
       nullptr, {"_not_equal_scalar", "_NotEqualScalar"}, {}},
      {Binary::kGreater, "1 where lhs > rhs, else 0.", {"_greater", "_Greater"}, {"broadcast_greater"}, nullptr,
       {"_greater_scalar", "_GreaterScalar"}, {}},
      {Binary::kGreaterEqual, "1 where lhs >= rhs, else 0.", {"_greater_equal", "_Greater_Equal"},
       {"broadcast_greater_equal"}, nullptr, {"_greater_equal_scalar", "_GreaterEqualScalar"}, {}},
      {Binary::kLesser, "1 where lhs < rhs, else 0.", {"_lesser", "_Lesser"}, {"broadcast_lesser"}, nullptr,
       {"_lesser_scalar", "_LesserScalar"}, {}},
      {Binary::kLesserEqual, "1 where lhs <= rhs, else 0.", {"_lesser_equal", "_Lesser_Equal"},
       {"broadcast_lesser_equal"}, nullptr, {"_lesser_equal_scalar", "_LesserEqualScalar"}, {}},
      {Binary::kLogicalAnd, "1 where both are nonzero, else 0.", {"_logical_and", "_Logical_And"},
       {"broadcast_logical_and"}, nullptr, {"_logical_and_scalar", "_LogicalAndScalar"}, {}},
      {Binary::kLogicalOr, "1 where either is nonzero, else 0.", {"_logical_or", "_Logical_Or"},
       {"broadcast_logical_or"}, nullptr, {"_logical_or_scalar", "_LogicalOrScalar"}, {}},
      {Binary::kLogicalXor, "1 where one is nonzero and the other is not, else 0.", {"_logical_xor", "_Logical_Xor"},
       {"broadcast_logical_xor"}, nullptr, {"_logical_xor_scalar", "_LogicalXorScalar"}, {}},
  };
  return table;
}

void declare_pair(const std::vector<const char*>& names, const BinaryRowDef& row, bool broadcast) {
  OpDef& def = register_op(names[0]).doc(row.doc).lenient().inputs({"lhs", "rhs"}).infer_type(infer_same_type)
                   .inplace(0, 0).inplace(1, 0)
                   .kernel([op = row.op](const KernelContext& c) { return make_binary_kernel(op, c); });
  for (size_t i = 1; i < names.size(); ++i) def.alias({names[i]});
  def.infer_shape(broadcast ? infer_broadcast_shape : infer_same_shape)
      .pattern(broadcast ? Pattern::kBroadcast : Pattern::kElementwise);
  if (!row.gradient) {
    def.zero_gradient();
    return;
  }
  def.gradient([fn = row.gradient, broadcast](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    return fn(Form{g, broadcast});
  });
}

// Powers that need no logarithm; exact for every float.
bool power_as_unary(double exponent, DType type, Unary* op) {
  if (!is_float(type)) return false;
  if (exponent == 2) *op = Unary::kSquare;
  else if (exponent == -1) *op = Unary::kReciprocal;
  else return false;
  return true;
}

void declare_scalar(const ScalarNames& names, const BinaryRowDef& row, bool reversed) {
  if (!names.name) return;
  OpDef& def = register_op(names.name).doc(row.doc).params(scalar_schema()).infer_shape(infer_same_shape)
                   .infer_type(infer_scalar_type).inplace(0, 0).pattern(Pattern::kElementwise)
                   .kernel([op = row.op, reversed](const KernelContext& c) {
                     const double scalar = c.attrs.get<ScalarParam>().scalar;
                     Unary unary;
                     if (op == Binary::kPower && !reversed && c.in_types[0] == c.out_types[0] &&
                         power_as_unary(scalar, c.out_types[0], &unary)) {
                       return make_unary_kernel(unary, c);
                     }
                     return make_scalar_kernel(op, scalar, reversed, c);
                   });
  if (names.alias) def.alias({names.alias});
  if (names.alias2) def.alias({names.alias2});
  if (!names.gradient) {
    def.zero_gradient();
    return;
  }
  def.gradient([fn = names.gradient](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    return std::vector<Entry>{fn(GraphMath{g}, g.params<ScalarParam>())};
  });
}

}  // namespace

ParamSchema scalar_schema() {
  return Params<ScalarParam>()
      .field("scalar", &ScalarParam::scalar, "The other operand.")
      .field("is_int", &ScalarParam::is_int, "Whether the scalar is an integer: an integer array stays one then.");
}

void infer_scalar_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  const bool is_int = attrs.get<ScalarParam>().is_int;
  if (in[0] == DType::kUnknown) {
    in[0] = out[0];
    return;
  }
  if (in[0] == DType::kBool) {
    assign_type(out[0], is_int ? DType::kInt64 : DType::kFloat64);
  } else {
    assign_type(out[0], is_float(in[0]) || is_int ? in[0] : DType::kFloat64);
  }
}

MXNET_REGISTER(elemwise_binary) {
  for (const BinaryRowDef& row : rows()) {
    declare_pair(row.elemwise, row, false);
    declare_pair(row.broadcast, row, true);
    declare_scalar(row.scalar, row, false);
    declare_scalar(row.reversed, row, true);
  }

  const BinaryRowDef& add = rows()[0];
  declare_pair({"_grad_add"}, add, false);
  // Forms for sparse arrays, whose implicit zeros stay zero; on dense arrays they are the plain operators.
  declare_pair({"_scatter_elemwise_div"}, rows()[3], false);
  declare_scalar({"_scatter_plus_scalar", nullptr, nullptr, pass}, add, false);
  declare_scalar({"_scatter_minus_scalar", nullptr, nullptr, pass}, rows()[1], false);
}

}  // namespace mxnet
