// The one declaration of an operator. Everything else (C ABI, Python, Clojure, documents) derives from it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "op/kernel.h"
#include "op/node.h"
#include "op/params.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace mxnet {

using DTypeVec = std::vector<DType>;

// Shape and type inference: refine the vectors in place, in both directions, as far as what is known allows, and throw
// where it clashes. Use the helpers of op/infer.h. Called repeatedly until nothing changes.
using InferShapeFn = std::function<void(const Attrs&, ShapeVec& in, ShapeVec& out)>;
using InferTypeFn = std::function<void(const Attrs&, DTypeVec& in, DTypeVec& out)>;

// The gradient of a node as graph entries, one per input; an empty Entry is a zero gradient. An empty out_grads[i] is
// a zero gradient of output i. Use GradientBuilder (op/gradient.h).
using GradientFn = std::function<std::vector<Entry>(const NodePtr& node, const std::vector<Entry>& out_grads)>;

using NamesFn = std::function<std::vector<std::string>(const Attrs&)>;
using CountFn = std::function<int(const Attrs&)>;
using KernelFn = std::function<Kernel(const KernelContext&)>;

// How an operator may be fused with its neighbours.
enum class Pattern { kOpaque, kElementwise, kBroadcast, kReduce, kOutFusable };

class OpDef {
 public:
  explicit OpDef(std::string name) : name_(std::move(name)) {}

  // ---- declaration -------------------------------------------------------------------------------------------------
  OpDef& doc(std::string text) { doc_ = std::move(text); return *this; }
  OpDef& alias(std::initializer_list<const char*> names) { aliases_.insert(aliases_.end(), names.begin(), names.end()); return *this; }
  OpDef& params(ParamSchema schema) { schema_ = std::move(schema); return *this; }
  // No parameters, and unknown string attributes are accepted and kept (param_parser: false in 1.9.1).
  OpDef& lenient() { schema_.lenient_ = true; return *this; }

  // Names of the inputs, auxiliary ones included; default {"data"}.
  OpDef& inputs(std::vector<std::string> names);
  OpDef& inputs(NamesFn names) { input_names_ = std::move(names); return *this; }
  // Any number of inputs, counted by the parameter `count_param`; listed in the ABI as `list_name`[].
  OpDef& variadic(std::string list_name, std::string count_param, CountFn count);
  // All inputs must be given; none is made up as a variable.
  OpDef& explicit_inputs() { auto_inputs_ = false; return *this; }
  // What the ABI documents as array arguments where it differs from the names: (name, type).
  OpDef& documented_inputs(std::vector<std::pair<std::string, std::string>> list) { documented_inputs_ = std::move(list); return *this; }
  // Inputs that the operator writes (auxiliary states, optimiser states). Positions may depend on parameters.
  OpDef& mutates(std::vector<int> inputs);
  OpDef& mutates(std::function<std::vector<int>(const Attrs&)> fn) { mutable_inputs_ = std::move(fn); return *this; }
  // Attributes for a variable that is made up for input `name`, e.g. __init__.
  OpDef& auto_input_attr(std::string name, std::string key, std::string value);

  OpDef& outputs(int count) { return outputs([count](const Attrs&) { return count; }); }
  OpDef& outputs(CountFn count) { num_outputs_ = std::move(count); return *this; }
  OpDef& visible_outputs(int count) { return visible_outputs([count](const Attrs&) { return count; }); }
  OpDef& visible_outputs(CountFn count) { num_visible_ = std::move(count); return *this; }
  // Suffixes of list_outputs; default "output" for one output in all, "output0", "output1", ... for more.
  OpDef& output_names(std::vector<std::string> names);
  OpDef& output_names(NamesFn names) { output_names_ = std::move(names); return *this; }

  OpDef& infer_shape(InferShapeFn fn) { infer_shape_ = std::move(fn); return *this; }
  OpDef& infer_type(InferTypeFn fn) { infer_type_ = std::move(fn); return *this; }
  OpDef& gradient(GradientFn fn) { gradient_ = std::move(fn); return *this; }
  OpDef& zero_gradient();  // every input's gradient is zero
  // Reads its own output gradient from nowhere: a loss, whose backward ignores the head gradient.
  OpDef& loss() { is_loss_ = true; return *this; }

  OpDef& kernel(KernelFn fn) { kernel_ = std::move(fn); return *this; }
  // Output `out` may share memory with input `in`: the kernel reads an element before it writes it.
  OpDef& inplace(int in, int out) { inplace_.emplace_back(in, out); return *this; }
  // Output 0 is input 0 under another shape: no work, the same memory.
  OpDef& view() { is_view_ = true; return *this; }
  // The same, but only outside training (Dropout).
  OpDef& view_in_inference(std::function<bool(const Attrs&)> when) { inference_view_ = std::move(when); return *this; }
  OpDef& random() { uses_random_ = true; return *this; }   // draws numbers: never folded, merged or skipped
  // Acts differently in training; the plan builds one kernel for each mode.
  OpDef& pattern(Pattern pattern) { pattern_ = pattern; return *this; }
  // Not listed to users (gradient operators).
  OpDef& internal() { internal_ = true; return *this; }

  // ---- reading -----------------------------------------------------------------------------------------------------
  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  const std::vector<std::string>& aliases() const { return aliases_; }
  const ParamSchema& schema() const { return schema_; }
  std::vector<std::string> input_names(const Attrs& attrs) const { return input_names_(attrs); }
  int num_inputs(const Attrs& attrs) const { return num_inputs_ ? num_inputs_(attrs) : static_cast<int>(input_names_(attrs).size()); }
  bool is_variadic() const { return num_inputs_ != nullptr; }
  const std::string& count_param() const { return count_param_; }
  bool auto_inputs() const { return auto_inputs_; }
  std::vector<std::pair<std::string, std::string>> documented_inputs() const;
  std::vector<int> mutable_inputs(const Attrs& attrs) const { return mutable_inputs_ ? mutable_inputs_(attrs) : std::vector<int>{}; }
  bool has_mutable_inputs() const { return mutable_inputs_ != nullptr; }
  const std::map<std::string, AttrDict>& auto_input_attrs() const { return auto_input_attrs_; }
  int num_outputs(const Attrs& attrs) const { return num_outputs_(attrs); }
  int num_visible_outputs(const Attrs& attrs) const { return num_visible_ ? num_visible_(attrs) : num_outputs_(attrs); }
  std::vector<std::string> output_names(const Attrs& attrs) const;
  const InferShapeFn& infer_shape() const { return infer_shape_; }
  const InferTypeFn& infer_type() const { return infer_type_; }
  const GradientFn& gradient() const { return gradient_; }
  bool is_loss() const { return is_loss_; }
  bool has_kernel() const { return kernel_ != nullptr; }
  Kernel make_kernel(const KernelContext& context) const;
  const std::vector<std::pair<int, int>>& inplace_pairs() const { return inplace_; }
  bool is_view() const { return is_view_; }
  bool acts_as_view(const Attrs& attrs, bool is_train) const { return is_view_ || (!is_train && inference_view_ && inference_view_(attrs)); }
  bool uses_random() const { return uses_random_; }
  Pattern pattern() const { return pattern_; }
  bool is_internal() const { return internal_; }

  // Parses the parameters of a node; see ParamSchema::parse.
  Attrs parse(AttrDict dict, std::string_view node_name) const;

 private:
  std::string name_;
  std::string doc_;
  std::vector<std::string> aliases_;
  ParamSchema schema_;
  NamesFn input_names_ = [](const Attrs&) { return std::vector<std::string>{"data"}; };
  CountFn num_inputs_;
  std::string count_param_;
  std::string list_name_;
  bool auto_inputs_ = true;
  std::vector<std::pair<std::string, std::string>> documented_inputs_;
  std::function<std::vector<int>(const Attrs&)> mutable_inputs_;
  std::map<std::string, AttrDict> auto_input_attrs_;
  CountFn num_outputs_ = [](const Attrs&) { return 1; };
  CountFn num_visible_;
  NamesFn output_names_;
  InferShapeFn infer_shape_;
  InferTypeFn infer_type_;
  GradientFn gradient_;
  KernelFn kernel_;
  std::vector<std::pair<int, int>> inplace_;
  Pattern pattern_ = Pattern::kOpaque;
  bool is_loss_ = false;
  bool is_view_ = false;
  std::function<bool(const Attrs&)> inference_view_;
  bool uses_random_ = false;
  bool internal_ = false;
};

}  // namespace mxnet
