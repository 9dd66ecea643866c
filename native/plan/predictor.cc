#include "plan/predictor.h"

#include <algorithm>
#include <cstring>

#include "graph/symbol_json.h"
#include "io/params.h"

namespace mxnet {
namespace {

// The symbol cut at the named nodes ("fc1" or "fc1_output").
Symbol cut_at(const Symbol& symbol, const std::vector<std::string>& names) {
  const Symbol internals = symbol.internals();
  const std::vector<std::string> all = internals.list_outputs();
  Symbol cut;
  for (const std::string& name : names) {
    auto it = std::find(all.begin(), all.end(), name + "_output");
    if (it == all.end()) it = std::find(all.begin(), all.end(), name);
    if (it == all.end()) {
      const std::string near = nearest_name(name, all);
      fail_as(ErrorKind::kValueError, "The symbol has no output called ", name, near.empty() ? "" : "; the nearest is ",
              near);
    }
    cut.outputs.push_back(internals.outputs[static_cast<size_t>(it - all.begin())]);
  }
  return cut;
}

}  // namespace

Predictor::Predictor(const Request& request)
    : symbol_(symbol_from_json(request.symbol_json)),
      context_(request.context),
      input_shapes_(request.input_shapes),
      input_types_(request.input_types) {
  if (!request.output_names.empty()) symbol_ = cut_at(symbol_, request.output_names);
  if (!request.params.empty()) {
    NamedArrays list = read_arrays(request.params, "the parameters");
    if (list.names.empty() && !list.arrays.empty()) fail("the parameters have no names");
    for (size_t i = 0; i < list.arrays.size(); ++i) {
      const std::string& name = list.names[i];
      if (name.starts_with("aux:")) {
        aux_[name.substr(4)] = list.arrays[i];
      } else {
        args_[name.starts_with("arg:") ? name.substr(4) : name] = list.arrays[i];
      }
    }
  }
  bind();
}

Predictor::Predictor(const Predictor& other, std::map<std::string, Shape> input_shapes)
    : symbol_(other.symbol_),
      context_(other.context_),
      input_shapes_(std::move(input_shapes)),
      input_types_(other.input_types_),
      args_(other.args_),
      aux_(other.aux_) {
  bind();
}

void Predictor::bind() {
  const std::vector<std::string> arguments = symbol_.list_inputs(InputKind::kReadOnly);
  Executor::SimpleBindRequest request;
  request.default_request = GradReq::kNull;
  // Parameters are used where they lie; their shapes take part in the inference, so that a wrong file is found out.
  std::map<std::string, NDArray> shared;
  for (const auto& [name, array] : args_) {
    if (array.is_none() || input_shapes_.count(name) > 0) continue;
    request.shapes[name] = array.shape();
    request.types[name] = array.dtype();
    shared[name] = array;
  }
  for (const auto& [name, array] : aux_) {
    if (array.is_none()) continue;
    request.shapes[name] = array.shape();
    request.types[name] = array.dtype();
  }
  for (const auto& [name, shape] : input_shapes_) {
    if (std::find(arguments.begin(), arguments.end(), name) == arguments.end()) {
      const std::string near = nearest_name(name, arguments);
      fail_as(ErrorKind::kValueError, "The symbol has no input called ", name, near.empty() ? "" : "; the nearest is ",
              near);
    }
    request.shapes[name] = shape;
  }
  for (const auto& [name, type] : input_types_) request.types[name] = type;
  request.shared_buffer = &shared;
  executor_ = Executor::simple_bind(symbol_, context_, request);
  const std::vector<std::string>& aux_names = executor_->aux_names();
  for (size_t i = 0; i < aux_names.size(); ++i) {
    const auto it = aux_.find(aux_names[i]);
    if (it != aux_.end() && !it->second.is_none()) copy_array(it->second, executor_->aux()[i]);
  }
}

void Predictor::set_input(const std::string& name, const void* data, size_t size) {
  const std::vector<std::string>& names = executor_->arg_names();
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) {
    const std::string near = nearest_name(name, names);
    fail_as(ErrorKind::kValueError, "The predictor has no input called ", name, near.empty() ? "" : "; the nearest is ",
            near);
  }
  const NDArray& array = executor_->args()[static_cast<size_t>(it - names.begin())];
  if (static_cast<int64_t>(size) != array.size()) {
    fail_as(ErrorKind::kValueError, "Input ", name, ": ", size, " elements were given for shape ",
            tuple_text(array.shape()));
  }
  if (array.bytes() != 0) std::memcpy(array.data(), data, array.bytes());
  array.mark_written();
}

const NDArray& Predictor::output(size_t index) const {
  const std::vector<NDArray>& outputs = executor_->outputs();
  if (index >= outputs.size()) {
    fail_as(ErrorKind::kIndexError, "Output ", index, " was asked for, the predictor has ", outputs.size());
  }
  return outputs[index];
}

void Predictor::copy_output(size_t index, void* data, size_t size) const {
  const NDArray& array = output(index);
  if (static_cast<int64_t>(size) != array.size()) {
    fail_as(ErrorKind::kValueError, "Output ", index, ": room for ", size, " elements was given for shape ",
            tuple_text(array.shape()));
  }
  if (array.bytes() != 0) std::memcpy(data, array.data(), array.bytes());
}

}  // namespace mxnet
