// softmax, log_softmax, softmin, SoftmaxActivation.
#include "kernels/softmax.h"

#include "op/infer.h"
#include "ops/elemwise/graph_math.h"

namespace mxnet {
namespace {

struct SoftmaxParam {
  int axis = -1;
  std::optional<double> temperature;
  int dtype = -1;
  std::optional<bool> use_length = false;
};

struct SoftmaxActivationParam {
  int mode = 0;
};

ParamSchema softmax_schema() {
  return Params<SoftmaxParam>()
      .field("axis", &SoftmaxParam::axis, "Axis along which the result sums to one.")
      .field("temperature", &SoftmaxParam::temperature, "Divides the input; 1 by default.")
      .optional_enumeration("dtype", &SoftmaxParam::dtype, dtype_choices({2, 0, 1}), -1,
                            "Type of the output; the input's by default.")
      .field("use_length", &SoftmaxParam::use_length, "Whether `length` says how many elements along the axis count.");
}

enum Kind { kSoftmax, kLogSoftmax, kSoftmin };

bool uses_length(const Attrs& attrs) { return attrs.get<SoftmaxParam>().use_length.value_or(false); }

SoftmaxSpec spec_of(const KernelContext& c, const Shape& shape, Kind kind) {
  const auto& p = c.attrs.get<SoftmaxParam>();
  SoftmaxSpec s = softmax_spec(shape, shape.ndim() ? normalize_axis(p.axis, shape.ndim(), "softmax") : 0);
  s.log = kind == kLogSoftmax;
  s.scale = 1 / p.temperature.value_or(1.0);
  if (kind == kSoftmin) s.scale = -s.scale;
  return s;
}

void infer_softmax_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  assign_shape(out[0], in[0]);
  assign_shape(in[0], out[0]);
  if (in.size() < 2 || !in[0].ndim_known() || in[0].ndim() == 0) return;
  Shape length = in[0];
  length.erase(normalize_axis(attrs.get<SoftmaxParam>().axis, in[0].ndim(), "softmax"));
  if (length.ndim() == 0) length.push_back(1);
  assign_shape(in[1], length, "softmax: length");
}

void infer_softmax_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  const int wanted = attrs.get<SoftmaxParam>().dtype;
  if (wanted >= 0) {
    assign_type(out[0], static_cast<DType>(wanted));
    return;
  }
  assign_type(out[0], in[0]);
  assign_type(in[0], out[0]);
}

// With D(g, y) = scale y (g - sum(g y)) for softmax and scale (g - e^y sum(g)) for its logarithm, the derivative of D
// along g is D's transpose and the one along y is written out below.
std::vector<Entry> second_gradient(const NodePtr& node, const std::vector<Entry>& ograds, const char* name, Kind kind) {
  const GradientBuilder g(node, ograds);
  const GraphMath m{g};
  const auto& p = g.params<SoftmaxParam>();
  const double scale = (kind == kSoftmin ? -1 : 1) / p.temperature.value_or(1.0);
  const Entry gg = g.out_grad(), og = g.input(0), y = g.input(1);
  const auto sum = [&](const Entry& x) {
    return g.op("sum", {x}, {{"axis", std::to_string(p.axis)}, {"keepdims", "1"}});
  };
  std::vector<Entry> grads(node->inputs.size());
  if (kind == kLogSoftmax) {
    const Entry probability = m.call("exp", y);
    grads[0] = m.scale(g.op("broadcast_sub", {gg, sum(m.mul(gg, probability))}), scale);
    grads[1] = m.scale(g.op("broadcast_mul", {m.mul(gg, probability), sum(og)}), -scale);
    return grads;
  }
  grads[0] = g.op(name, {gg, y}, g.parameters());
  const Entry both = m.mul(gg, og);
  const Entry first = g.op("broadcast_mul", {gg, sum(m.mul(og, y))});
  const Entry second = g.op("broadcast_mul", {og, sum(m.mul(gg, y))});
  grads[1] = m.scale(g.op("elemwise_sub", {both, g.op("elemwise_add", {first, second})}), scale);
  return grads;
}

void declare(const char* name, const char* alias, const char* backward, const char* doc, Kind kind) {
  OpDef& def = register_op(name).doc(doc).params(softmax_schema());
  if (alias) def.alias({alias});
  if (kind == kSoftmax) {
    def.inputs([](const Attrs& attrs) {
      return uses_length(attrs) ? std::vector<std::string>{"data", "length"} : std::vector<std::string>{"data"};
    });
    def.documented_inputs({{"data", "NDArray-or-Symbol"}, {"length", "NDArray-or-Symbol"}});
  }
  def.infer_shape(infer_softmax_shape).infer_type(infer_softmax_type).inplace(0, 0)
      .gradient([backward](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> grads(node->inputs.size());
        // The input is needed only for its type, where the output has another.
        std::vector<Entry> inputs{g.out_grad(), g.output(0)};
        if (g.params<SoftmaxParam>().dtype >= 0) inputs.push_back(g.input(0));
        grads[0] = g.op(backward, inputs, g.parameters());
        return grads;
      })
      .kernel([kind](const KernelContext& c) {
        SoftmaxSpec s = spec_of(c, c.in_shapes[0], kind);
        s.has_length = c.in_shapes.size() > 1;
        return make_softmax_kernel(s, c);
      });

  register_op(backward).internal().params(softmax_schema())
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"ograd", "output"};
        if (attrs.get<SoftmaxParam>().dtype >= 0) names.push_back("data");
        return names;
      })
      .infer_shape(shape_like_inputs({1}))
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], in.back());
        assign_type(in[0], in[1]);
        assign_type(in[1], in[0]);
      })
      .inplace(0, 0).inplace(1, 0)
      .gradient([backward, kind](const NodePtr& node, const std::vector<Entry>& ograds) {
        return second_gradient(node, ograds, backward, kind);
      })
      .kernel([kind](const KernelContext& c) { return make_softmax_grad_kernel(spec_of(c, c.out_shapes[0], kind), c); });
}

}  // namespace

MXNET_REGISTER(softmax) {
  declare("softmax", "_npx_softmax", "_backward_softmax", "exp(x) over the sum of exp(x) along an axis.", kSoftmax);
  declare("log_softmax", "_npx_log_softmax", "_backward_log_softmax", "Logarithm of softmax, computed without loss.",
          kLogSoftmax);
  declare("softmin", nullptr, "_backward_softmin", "softmax of -x.", kSoftmin);

  register_op("SoftmaxActivation").doc("softmax along the last axis (instance) or the second one (channel).")
      .params(Params<SoftmaxActivationParam>().enumeration("mode", &SoftmaxActivationParam::mode,
                                                           {{"channel", 1}, {"instance", 0}}, "Which axis."))
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const char* axis = g.params<SoftmaxActivationParam>().mode == 1 ? "1" : "-1";
        return std::vector<Entry>{g.op("_backward_softmax", {g.out_grad(), g.output(0)}, {{"axis", axis}})};
      })
      .kernel([](const KernelContext& c) {
        const Shape& shape = c.in_shapes[0];
        const bool channel = c.attrs.get<SoftmaxActivationParam>().mode == 1;
        require(!channel || shape.ndim() > 1, "SoftmaxActivation: mode channel needs two axes, got ", shape);
        return make_softmax_kernel(softmax_spec(shape, channel ? 1 : shape.ndim() - 1), c);
      });
}

}  // namespace mxnet
