// Running operators at once.
#include "plan/imperative.h"

#include "convert.h"
#include "generated/impl.h"
#include "thread_store.h"

namespace mxnet::capi {
namespace {

// The device that an operator without inputs is told by its parameter `ctx`.
Context requested_context(const std::vector<std::pair<std::string, std::string>>& params) {
  for (const auto& [key, value] : params) {
    if (key != "ctx" || value.empty() || value == "None") continue;
    const Context context = Context::parse(value);
    require_device(context);
    return context;
  }
  return {};
}

void invoke_op(const OpDef& op, int num_inputs, NDArrayHandle* inputs, int* num_outputs, NDArrayHandle** outputs,
               int num_params, const char** param_keys, const char** param_vals, const char* function) {
  std::vector<std::pair<std::string, std::string>> params;
  for (int i = 0; i < num_params; ++i) {
    params.emplace_back(string_at(param_keys, static_cast<size_t>(i), function, "param_keys"),
                        string_at(param_vals, static_cast<size_t>(i), function, "param_vals"));
  }
  const std::vector<NDArray> arrays = arrays_of(num_inputs, inputs, function, "inputs");
  const std::shared_ptr<const Attrs> attrs = intern_attrs(op, params);
  ThreadStore& store = mx_store();
  if (*outputs != nullptr) {
    check_count(*num_outputs, function, "num_outputs");
    const std::vector<NDArray*> targets = objects_of<NDArray>(*num_outputs, *outputs, function, "outputs");
    std::vector<NDArray> given;
    for (const NDArray* target : targets) given.push_back(*target);
    const std::vector<NDArray> results = invoke(op, attrs, arrays, given, requested_context(params));
    for (size_t i = 0; i < targets.size(); ++i) {
      if (targets[i]->is_none()) *targets[i] = results[i];
    }
    store.ints[0].assign(targets.size(), 0);
    return;
  }
  std::vector<NDArray> results = invoke(op, attrs, arrays, {}, requested_context(params));
  results.resize(static_cast<size_t>(op.num_visible_outputs(*attrs)));
  NewHandles<NDArray> made(store.handles[0]);
  for (NDArray& array : results) made.add(std::move(array));
  store.ints[0].assign(results.size(), 0);
  *num_outputs = static_cast<int>(results.size());
  *outputs = made.keep();
}

}  // namespace

namespace impl {

void MXImperativeInvoke(OpObject& creator, int num_inputs, NDArrayHandle* inputs, int* num_outputs,
                        NDArrayHandle** outputs, int num_params, const char** param_keys, const char** param_vals) {
  invoke_op(creator, num_inputs, inputs, num_outputs, outputs, num_params, param_keys, param_vals, __func__);
}

void MXImperativeInvokeEx(OpObject& creator, int num_inputs, NDArrayHandle* inputs, int* num_outputs,
                          NDArrayHandle** outputs, int num_params, const char** param_keys, const char** param_vals,
                          const int** out_stypes) {
  invoke_op(creator, num_inputs, inputs, num_outputs, outputs, num_params, param_keys, param_vals, __func__);
  *out_stypes = mx_store().ints[0].data();
}

}  // namespace impl
}  // namespace mxnet::capi
