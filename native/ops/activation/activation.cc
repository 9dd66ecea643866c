// Activation: the parameter picks one of the elementwise functions.
#include "kernels/elemwise.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

struct ActivationParam {
  int act_type = 0;
};

struct Choice {
  Unary op;
  const char* backward;
  bool from_input;
};

constexpr Choice kChoices[] = {
    {Unary::kRelu, "_backward_relu", false},         {Unary::kSigmoid, "_backward_sigmoid", false},
    {Unary::kTanh, "_backward_tanh", false},         {Unary::kSoftrelu, "_backward_softrelu", false},
    {Unary::kSoftsign, "_backward_softsign", true},
};

}  // namespace

MXNET_REGISTER(activation) {
  register_op("Activation").alias({"_npx_activation"}).doc("Applies an activation function to each element.")
      .params(Params<ActivationParam>().required_enumeration(
          "act_type", &ActivationParam::act_type,
          {{"relu", 0}, {"sigmoid", 1}, {"tanh", 2}, {"softrelu", 3}, {"softsign", 4}}, "The function."))
      .infer_shape(infer_same_shape).infer_type(infer_same_type).inplace(0, 0).pattern(Pattern::kElementwise)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const Choice& choice = kChoices[g.params<ActivationParam>().act_type];
        return std::vector<Entry>{g.op(choice.backward, {g.out_grad(), choice.from_input ? g.input(0) : g.output(0)})};
      })
      .kernel([](const KernelContext& c) {
        require(is_float(c.in_types[0]), "Activation works on floating point types, not on ", c.in_types[0]);
        return make_unary_kernel(kChoices[c.attrs.get<ActivationParam>().act_type].op, c);
      });
}

}  // namespace mxnet
