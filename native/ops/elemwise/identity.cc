// Operators that pass their input on: copies, casts, gradient stops.
#include "kernels/elemwise.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

std::vector<Entry> pass_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  std::vector<Entry> grads(node->inputs.size());
  if (!ograds.empty()) grads[0] = ograds[0];
  return grads;
}

OpDef& declare(const char* name, const char* doc) {
  return register_op(name).doc(doc).lenient().infer_shape(infer_same_shape).infer_type(infer_same_type)
      .inplace(0, 0).pattern(Pattern::kElementwise).kernel(make_copy_kernel);
}

struct CastParam {
  int dtype = 0;
};

struct AmpMulticastParam {
  int num_outputs = 0;
  bool cast_narrow = false;
};

void infer_cast_type(const Attrs& attrs, DTypeVec&, DTypeVec& out) {
  assign_type(out[0], static_cast<DType>(attrs.get<CastParam>().dtype));
}

// A target that has a type keeps it.
void infer_copy_type(const Attrs&, DTypeVec& in, DTypeVec& out) {
  if (out[0] == DType::kUnknown) out[0] = in[0];
}

bool is_amp_float(DType t) { return t == DType::kFloat32 || t == DType::kFloat16 || t == DType::kBfloat16; }

// Only floats of up to 32 bits are converted; all else passes unchanged.
void infer_amp_cast_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  if (in[0] == DType::kUnknown) return;
  assign_type(out[0], is_amp_float(in[0]) ? static_cast<DType>(attrs.get<CastParam>().dtype) : in[0]);
}

void infer_each_shape(const Attrs&, ShapeVec& in, ShapeVec& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    assign_shape(out[i], in[i]);
    assign_shape(in[i], out[i]);
  }
}

// The widest (or narrowest) of the inputs; float32 stands between float16 and everything else.
void infer_multicast_type(const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
  const bool narrow = attrs.get<AmpMulticastParam>().cast_narrow;
  DType chosen = DType::kUnknown;
  for (DType t : in) {
    if (t == DType::kUnknown) return;
    require(is_float(t), "amp_multicast: inputs must be of a float type, one is ", t);
    if (chosen == DType::kUnknown) chosen = t;
    if (narrow ? dtype_size(t) < dtype_size(chosen) : dtype_size(t) > dtype_size(chosen)) chosen = t;
  }
  for (DType& t : out) assign_type(t, chosen);
}

KernelContext one_of(const KernelContext& c, size_t i, ShapeVec& in, ShapeVec& out, DTypeVec& in_types, DTypeVec& out_types) {
  in = {c.in_shapes[i]};
  out = {c.out_shapes[i]};
  in_types = {c.in_types[i]};
  out_types = {c.out_types[i]};
  return KernelContext{c.attrs, in, out, in_types, out_types, c.is_train, {}};
}

// Each output is a cast of the input at its place.
Kernel make_multicast_kernel(const KernelContext& c) {
  std::vector<Kernel> kernels;
  for (size_t i = 0; i < c.out_shapes.size(); ++i) {
    ShapeVec in, out;
    DTypeVec in_types, out_types;
    kernels.push_back(make_cast_kernel(one_of(c, i, in, out, in_types, out_types)));
  }
  return {[kernels](const KernelArgs& args) {
    for (size_t i = 0; i < kernels.size(); ++i) {
      KernelArgs one = args;
      one.in = args.in + i;
      one.out = args.out + i;
      kernels[i].run(one);
    }
  }};
}

// Inputs: gradient, array whose type the result gets.
void declare_cast_back(const char* name) {
  register_op(name).internal().lenient().inputs({"ograd", "like"}).infer_shape(infer_same_shape)
      .infer_type(type_like_inputs({1})).pattern(Pattern::kElementwise)
      .gradient([name](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op(name, {g.out_grad(), g.input(0)}), Entry{}};
      })
      .kernel(make_cast_kernel);
}

GradientFn cast_gradient(const char* name) {
  return [name](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    return std::vector<Entry>{g.op(name, {g.out_grad(), g.input(0)})};
  };
}

}  // namespace

MXNET_REGISTER(elemwise_identity) {
  declare("_copy", "A copy.").alias({"identity"}).gradient(pass_gradient);
  declare("BlockGrad", "Passes the input on and stops its gradient.").alias({"_sparse_stop_gradient", "stop_gradient"})
      .zero_gradient();
  declare("_identity_with_attr_like_rhs", "The first input, with the shape of the second.").inputs({"lhs", "rhs"})
      .gradient(pass_gradient);

  register_op("_copyto").doc("A copy, possibly on another device or into an array of another type.")
      .alias({"_npi_copyto"}).documented_inputs({{"data", "NDArray"}}).lenient().infer_shape(infer_same_shape)
      .infer_type(infer_copy_type).pattern(Pattern::kElementwise).gradient(cast_gradient("_backward_cast"))
      .kernel(make_cast_kernel);

  register_op("Cast").alias({"_npi_cast", "_npx_cast", "cast"}).doc("Converts the elements to another type.")
      .params(Params<CastParam>().required_enumeration("dtype", &CastParam::dtype,
                                                       dtype_choices({0, 1, 2, 3, 4, 5, 6, 7, 12}), "Type of the output."))
      .infer_shape(infer_same_shape).infer_type(infer_cast_type).pattern(Pattern::kElementwise)
      .gradient(cast_gradient("_backward_cast")).kernel(make_cast_kernel);
  declare_cast_back("_backward_cast");

  register_op("amp_cast").doc("Converts a float array to another type; arrays of other types pass unchanged.")
      .params(Params<CastParam>().required_enumeration("dtype", &CastParam::dtype,
                                                       dtype_choices({0, 1, 2, 3, 4, 5, 6, 12}), "Type of the output."))
      .infer_shape(infer_same_shape).infer_type(infer_amp_cast_type).pattern(Pattern::kElementwise)
      .gradient(cast_gradient("_backward_amp_cast")).kernel(make_cast_kernel);
  declare_cast_back("_backward_amp_cast");

  register_op("amp_multicast").doc("Converts float arrays to their widest type, or to their narrowest.")
      .params(Params<AmpMulticastParam>()
                  .required("num_outputs", &AmpMulticastParam::num_outputs, "Number of arrays.")
                  .field("cast_narrow", &AmpMulticastParam::cast_narrow, "Convert to the narrowest type instead."))
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names;
        const int n = attrs.get<AmpMulticastParam>().num_outputs;
        for (int i = 0; i < n; ++i) names.push_back("data_" + std::to_string(i));
        return names;
      })
      .documented_inputs({{"data", "NDArray-or-Symbol[]"}})
      .outputs([](const Attrs& attrs) { return attrs.get<AmpMulticastParam>().num_outputs; })
      .infer_shape(infer_each_shape).infer_type(infer_multicast_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> grads;
        for (size_t i = 0; i < node->inputs.size(); ++i) grads.push_back(g.op("_backward_amp_cast", {g.out_grad(i), g.input(i)}));
        return grads;
      })
      .kernel(make_multicast_kernel);
}

}  // namespace mxnet
