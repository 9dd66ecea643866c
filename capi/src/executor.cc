// Executors.
#include "convert.h"
#include "executor_object.h"
#include "generated/impl.h"
#include "monitor.h"
#include "thread_store.h"

namespace mxnet::capi {
namespace {

// Everything runs on the CPU: a group's device only has to be there.
void check_groups(uint32_t count, const char* const* keys, const int* dev_types, const int* dev_ids,
                  const char* function) {
  for (uint32_t i = 0; i < count; ++i) {
    string_at(keys, i, function, "map_keys");
    require_device(Context::from_codes(dev_types[i], dev_ids[i]));
  }
}

ExecutorHandle bind(Symbol& symbol, int dev_type, int dev_id, uint32_t len, NDArrayHandle* in_args,
                    NDArrayHandle* arg_grad_store, const uint32_t* grad_req_type, uint32_t aux_states_len,
                    NDArrayHandle* aux_states, const ExecutorObject* shared, const char* function) {
  std::vector<GradReq> requests;
  for (uint32_t i = 0; i < len; ++i) requests.push_back(grad_req_from_code(grad_req_type[i]));
  return make_handle(ExecutorObject{Executor::bind(
      symbol, Context::from_codes(dev_type, dev_id), arrays_of(len, in_args, function, "in_args"),
      optional_arrays_of(len, arg_grad_store, function, "arg_grad_store"), std::move(requests),
      arrays_of(aux_states_len, aux_states, function, "aux_states"), shared ? shared->executor.get() : nullptr)});
}

// Where simple_bind and reshape put the arrays of the new executor.
struct ArrayLists {
  uint32_t* num_in_args;
  NDArrayHandle** in_args;
  NDArrayHandle** arg_grads;
  uint32_t* num_aux_states;
  NDArrayHandle** aux_states;
};

void give_executor(std::shared_ptr<Executor> executor, const ArrayLists& lists, ExecutorHandle* out) {
  ThreadStore& store = mx_store();
  NewHandles<NDArray> args(store.handles[0]);
  NewHandles<NDArray> grads(store.handles[1]);
  NewHandles<NDArray> aux(store.handles[2]);
  for (const NDArray& array : executor->args()) args.add(array);
  for (const NDArray& array : executor->grads()) {
    if (array.is_none()) {
      grads.add_null();
    } else {
      grads.add(array);
    }
  }
  for (const NDArray& array : executor->aux()) aux.add(array);
  *out = make_handle(ExecutorObject{std::move(executor)});
  *lists.num_in_args = static_cast<uint32_t>(args.size());
  *lists.num_aux_states = static_cast<uint32_t>(aux.size());
  *lists.in_args = args.keep();
  *lists.arg_grads = grads.keep();
  *lists.aux_states = aux.keep();
}

// Arguments of simple_bind that only differ in the type of dimensions.
template <class Dim>
struct SimpleBindCall {
  Symbol& symbol;
  int dev_type, dev_id;
  uint32_t num_groups;
  const char* const* group_names;
  const int *group_types, *group_ids;
  uint32_t num_reqs;
  const char *const *req_names, *const *req_types;
  uint32_t num_shapes;
  const char* const* shape_names;
  const Dim* shape_data;
  const uint32_t* shape_index;
  uint32_t num_types;
  const char* const* type_names;
  const int* types;
  uint32_t num_stypes;
  const char* const* stype_names;
  const int* stypes;
  uint32_t num_shared_args;
  const char* const* shared_args;
  int* buffer_len;
  const char* const* buffer_names;
  NDArrayHandle* buffer_arrays;
  const char*** new_buffer_names;
  NDArrayHandle** new_buffer_arrays;
  ArrayLists lists;
  const ExecutorObject* shared_exec;
  ExecutorHandle* out;
  const char* function;

  // No names: one word for all arguments, or a word for each in order.
  void read_requests(Executor::SimpleBindRequest& request) const {
    if (req_types == nullptr) {
      request.default_request = GradReq::kNull;
      return;
    }
    const auto req = [this](uint32_t i) { return grad_req_from_name(string_at(req_types, i, function, "provided_grad_req_types")); };
    if (req_names == nullptr) {
      if (num_reqs == 0) request.default_request = req(0);
      for (uint32_t i = 0; i < num_reqs; ++i) request.request_list.push_back(req(i));
      return;
    }
    request.default_request = GradReq::kNull;
    for (uint32_t i = 0; i < num_reqs; ++i) {
      request.requests[string_at(req_names, i, function, "provided_grad_req_names")] = req(i);
    }
  }

  void run() const {
    check_groups(num_groups, group_names, group_types, group_ids, function);
    Executor::SimpleBindRequest request;
    read_requests(request);
    const ShapeVec shapes = packed_shapes(num_shapes, shape_index, shape_data, function);
    for (uint32_t i = 0; i < num_shapes; ++i) {
      request.shapes[string_at(shape_names, i, function, "provided_arg_shape_names")] = shapes[i];
    }
    for (uint32_t i = 0; i < num_types; ++i) {
      const std::string name = string_at(type_names, i, function, "provided_arg_dtype_names");
      if (types[i] != -1) request.types[name] = dtype_from_code(types[i]);
    }
    for (uint32_t i = 0; i < num_stypes; ++i) {
      if (stypes[i] > 0) {
        fail_as(ErrorKind::kNotImplementedError, "simple_bind: argument ",
                string_at(stype_names, i, function, "provided_arg_stype_names"), " asks for storage type ", stypes[i],
                "; only dense arrays (0) can be bound");
      }
    }
    request.shared_arg_names = strings_of(num_shared_args, shared_args, function, "shared_arg_name_list");
    std::map<std::string, NDArray> buffer;
    const bool use_buffer = buffer_len != nullptr && *buffer_len >= 0;
    if (use_buffer) {
      check_array(buffer_names, *buffer_len, function, "shared_buffer_name_list");
      check_array(buffer_arrays, *buffer_len, function, "shared_buffer_handle_list");
      check_pointer(new_buffer_names, function, "updated_shared_buffer_name_list");
      check_pointer(new_buffer_arrays, function, "updated_shared_buffer_handle_list");
      for (int i = 0; i < *buffer_len; ++i) {
        buffer[string_at(buffer_names, static_cast<size_t>(i), function, "shared_buffer_name_list")] =
            deref<NDArray>(buffer_arrays[i], function, "shared_buffer_handle_list");
      }
      request.shared_buffer = &buffer;
    }
    request.shared = shared_exec ? shared_exec->executor.get() : nullptr;
    std::shared_ptr<Executor> executor =
        Executor::simple_bind(symbol, Context::from_codes(dev_type, dev_id), request);
    if (use_buffer) {
      ThreadStore& store = mx_store();
      NewHandles<NDArray> arrays(store.handles[3]);
      std::vector<std::string> names;
      for (const auto& [name, array] : buffer) {
        names.push_back(name);
        arrays.add(array);
      }
      *buffer_len = static_cast<int>(names.size());
      give_executor(std::move(executor), lists, out);
      *new_buffer_names = store.texts.set(std::move(names));
      *new_buffer_arrays = arrays.keep();
      return;
    }
    give_executor(std::move(executor), lists, out);
  }
};

template <class Dim>
void reshape(int partial_shaping, int allow_up_sizing, int dev_type, int dev_id, uint32_t num_shapes,
             const char** shape_names, const Dim* shape_data, const uint32_t* shape_index, const ArrayLists& lists,
             const ExecutorObject& old, ExecutorHandle* out, const char* function) {
  const ShapeVec list = packed_shapes(num_shapes, shape_index, shape_data, function);
  std::map<std::string, Shape> shapes;
  for (uint32_t i = 0; i < num_shapes; ++i) {
    shapes[string_at(shape_names, i, function, "provided_arg_shape_names")] = list[i];
  }
  give_executor(old.executor->reshape(partial_shaping != 0, allow_up_sizing != 0,
                                      Context::from_codes(dev_type, dev_id), shapes),
                lists, out);
}

}  // namespace

namespace impl {

void MXExecutorFree(ExecutorHandle handle) { free_handle<ExecutorObject>(handle, __func__, "handle"); }

void MXExecutorPrint(ExecutorObject& handle, const char** out_str) {
  std::string& text = mx_store().text;
  text = handle.executor->debug_text();
  *out_str = text.c_str();
}

void MXExecutorForward(ExecutorObject& handle, int is_train) { handle.executor->forward(is_train != 0); }

void MXExecutorBackwardEx(ExecutorObject& handle, uint32_t len, NDArrayHandle* head_grads, int is_train) {
  handle.executor->backward(head_grads == nullptr ? std::vector<NDArray>()
                                                  : optional_arrays_of(len, head_grads, __func__, "head_grads"),
                            is_train != 0);
}

void MXExecutorBackward(ExecutorObject& handle, uint32_t len, NDArrayHandle* head_grads) {
  MXExecutorBackwardEx(handle, len, head_grads, 1);
}

void MXExecutorOutputs(ExecutorObject& handle, uint32_t* out_size, NDArrayHandle** out) {
  NewHandles<NDArray> made(mx_store().handles[0]);
  for (const NDArray& array : handle.executor->outputs()) made.add(array);
  *out_size = static_cast<uint32_t>(made.size());
  *out = made.keep();
}

void MXExecutorBind(SymbolObject& symbol_handle, int dev_type, int dev_id, uint32_t len, NDArrayHandle* in_args,
                    NDArrayHandle* arg_grad_store, uint32_t* grad_req_type, uint32_t aux_states_len,
                    NDArrayHandle* aux_states, ExecutorHandle* out) {
  *out = bind(symbol_handle, dev_type, dev_id, len, in_args, arg_grad_store, grad_req_type, aux_states_len, aux_states,
              nullptr, __func__);
}

void MXExecutorBindX(SymbolObject& symbol_handle, int dev_type, int dev_id, uint32_t num_map_keys,
                     const char** map_keys, const int* map_dev_types, const int* map_dev_ids, uint32_t len,
                     NDArrayHandle* in_args, NDArrayHandle* arg_grad_store, uint32_t* grad_req_type,
                     uint32_t aux_states_len, NDArrayHandle* aux_states, ExecutorHandle* out) {
  check_groups(num_map_keys, map_keys, map_dev_types, map_dev_ids, __func__);
  *out = bind(symbol_handle, dev_type, dev_id, len, in_args, arg_grad_store, grad_req_type, aux_states_len, aux_states,
              nullptr, __func__);
}

void MXExecutorBindEX(SymbolObject& symbol_handle, int dev_type, int dev_id, uint32_t num_map_keys,
                      const char** map_keys, const int* map_dev_types, const int* map_dev_ids, uint32_t len,
                      NDArrayHandle* in_args, NDArrayHandle* arg_grad_store, uint32_t* grad_req_type,
                      uint32_t aux_states_len, NDArrayHandle* aux_states, ExecutorObject* shared_exec,
                      ExecutorHandle* out) {
  check_groups(num_map_keys, map_keys, map_dev_types, map_dev_ids, __func__);
  *out = bind(symbol_handle, dev_type, dev_id, len, in_args, arg_grad_store, grad_req_type, aux_states_len, aux_states,
              shared_exec, __func__);
}

void MXExecutorSimpleBind(SymbolObject& symbol_handle, int dev_type, int dev_id, const uint32_t num_g2c_keys, const
                          char** g2c_keys, const int* g2c_dev_types, const int* g2c_dev_ids, const uint32_t
                          provided_grad_req_list_len, const char** provided_grad_req_names, const char**
                          provided_grad_req_types, const uint32_t num_provided_arg_shapes, const char**
                          provided_arg_shape_names, const uint32_t* provided_arg_shape_data, const uint32_t*
                          provided_arg_shape_idx, const uint32_t num_provided_arg_dtypes, const char**
                          provided_arg_dtype_names, const int* provided_arg_dtypes, const uint32_t
                          num_provided_arg_stypes, const char** provided_arg_stype_names, const int*
                          provided_arg_stypes, const uint32_t num_shared_arg_names, const char** shared_arg_name_list,
                          int* shared_buffer_len, const char** shared_buffer_name_list, NDArrayHandle*
                          shared_buffer_handle_list, const char*** updated_shared_buffer_name_list, NDArrayHandle**
                          updated_shared_buffer_handle_list, uint32_t* num_in_args, NDArrayHandle** in_args,
                          NDArrayHandle** arg_grads, uint32_t* num_aux_states, NDArrayHandle** aux_states,
                          ExecutorObject* shared_exec_handle, ExecutorHandle* out) {
  SimpleBindCall<uint32_t>{symbol_handle, dev_type, dev_id, num_g2c_keys, g2c_keys, g2c_dev_types, g2c_dev_ids,
      provided_grad_req_list_len, provided_grad_req_names, provided_grad_req_types, num_provided_arg_shapes,
      provided_arg_shape_names, provided_arg_shape_data, provided_arg_shape_idx, num_provided_arg_dtypes,
      provided_arg_dtype_names, provided_arg_dtypes, num_provided_arg_stypes, provided_arg_stype_names,
      provided_arg_stypes, num_shared_arg_names, shared_arg_name_list, shared_buffer_len, shared_buffer_name_list,
      shared_buffer_handle_list, updated_shared_buffer_name_list, updated_shared_buffer_handle_list, {num_in_args,
      in_args, arg_grads, num_aux_states, aux_states}, shared_exec_handle, out, __func__}.run();
}

void MXExecutorSimpleBindEx(SymbolObject& symbol_handle, int dev_type, int dev_id, const uint32_t num_g2c_keys, const
                            char** g2c_keys, const int* g2c_dev_types, const int* g2c_dev_ids, const uint32_t
                            provided_grad_req_list_len, const char** provided_grad_req_names, const char**
                            provided_grad_req_types, const uint32_t num_provided_arg_shapes, const char**
                            provided_arg_shape_names, const int* provided_arg_shape_data, const uint32_t*
                            provided_arg_shape_idx, const uint32_t num_provided_arg_dtypes, const char**
                            provided_arg_dtype_names, const int* provided_arg_dtypes, const uint32_t
                            num_provided_arg_stypes, const char** provided_arg_stype_names, const int*
                            provided_arg_stypes, const uint32_t num_shared_arg_names, const char**
                            shared_arg_name_list, int* shared_buffer_len, const char** shared_buffer_name_list,
                            NDArrayHandle* shared_buffer_handle_list, const char*** updated_shared_buffer_name_list,
                            NDArrayHandle** updated_shared_buffer_handle_list, uint32_t* num_in_args, NDArrayHandle**
                            in_args, NDArrayHandle** arg_grads, uint32_t* num_aux_states, NDArrayHandle** aux_states,
                            ExecutorObject* shared_exec_handle, ExecutorHandle* out) {
  SimpleBindCall<int>{symbol_handle, dev_type, dev_id, num_g2c_keys, g2c_keys, g2c_dev_types, g2c_dev_ids,
      provided_grad_req_list_len, provided_grad_req_names, provided_grad_req_types, num_provided_arg_shapes,
      provided_arg_shape_names, provided_arg_shape_data, provided_arg_shape_idx, num_provided_arg_dtypes,
      provided_arg_dtype_names, provided_arg_dtypes, num_provided_arg_stypes, provided_arg_stype_names,
      provided_arg_stypes, num_shared_arg_names, shared_arg_name_list, shared_buffer_len, shared_buffer_name_list,
      shared_buffer_handle_list, updated_shared_buffer_name_list, updated_shared_buffer_handle_list, {num_in_args,
      in_args, arg_grads, num_aux_states, aux_states}, shared_exec_handle, out, __func__}.run();
}

void MXExecutorSimpleBindEx64(SymbolObject& symbol_handle, int dev_type, int dev_id, const uint32_t num_g2c_keys,
                              const char** g2c_keys, const int* g2c_dev_types, const int* g2c_dev_ids, const uint32_t
                              provided_grad_req_list_len, const char** provided_grad_req_names, const char**
                              provided_grad_req_types, const uint32_t num_provided_arg_shapes, const char**
                              provided_arg_shape_names, const int64_t* provided_arg_shape_data, const uint32_t*
                              provided_arg_shape_idx, const uint32_t num_provided_arg_dtypes, const char**
                              provided_arg_dtype_names, const int* provided_arg_dtypes, const uint32_t
                              num_provided_arg_stypes, const char** provided_arg_stype_names, const int*
                              provided_arg_stypes, const uint32_t num_shared_arg_names, const char**
                              shared_arg_name_list, int* shared_buffer_len, const char** shared_buffer_name_list,
                              NDArrayHandle* shared_buffer_handle_list, const char*** updated_shared_buffer_name_list,
                              NDArrayHandle** updated_shared_buffer_handle_list, uint32_t* num_in_args,
                              NDArrayHandle** in_args, NDArrayHandle** arg_grads, uint32_t* num_aux_states,
                              NDArrayHandle** aux_states, ExecutorObject* shared_exec_handle, ExecutorHandle* out) {
  SimpleBindCall<int64_t>{symbol_handle, dev_type, dev_id, num_g2c_keys, g2c_keys, g2c_dev_types, g2c_dev_ids,
      provided_grad_req_list_len, provided_grad_req_names, provided_grad_req_types, num_provided_arg_shapes,
      provided_arg_shape_names, provided_arg_shape_data, provided_arg_shape_idx, num_provided_arg_dtypes,
      provided_arg_dtype_names, provided_arg_dtypes, num_provided_arg_stypes, provided_arg_stype_names,
      provided_arg_stypes, num_shared_arg_names, shared_arg_name_list, shared_buffer_len, shared_buffer_name_list,
      shared_buffer_handle_list, updated_shared_buffer_name_list, updated_shared_buffer_handle_list, {num_in_args,
      in_args, arg_grads, num_aux_states, aux_states}, shared_exec_handle, out, __func__}.run();
}

void MXExecutorReshape(int partial_shaping, int allow_up_sizing, int dev_type, int dev_id, uint32_t num_map_keys,
                       const char** map_keys, const int* map_dev_types, const int* map_dev_ids, const uint32_t
                       num_provided_arg_shapes, const char** provided_arg_shape_names, const uint32_t*
                       provided_arg_shape_data, const uint32_t* provided_arg_shape_idx, uint32_t* num_in_args,
                       NDArrayHandle** in_args, NDArrayHandle** arg_grads, uint32_t* num_aux_states, NDArrayHandle**
                       aux_states, ExecutorObject& shared_exec, ExecutorHandle* out) {
  check_groups(num_map_keys, map_keys, map_dev_types, map_dev_ids, __func__);
  reshape(partial_shaping, allow_up_sizing, dev_type, dev_id, num_provided_arg_shapes, provided_arg_shape_names,
          provided_arg_shape_data, provided_arg_shape_idx,
          {num_in_args, in_args, arg_grads, num_aux_states, aux_states}, shared_exec, out, __func__);
}

void MXExecutorReshapeEx(int partial_shaping, int allow_up_sizing, int dev_type, int dev_id, uint32_t num_map_keys,
                         const char** map_keys, const int* map_dev_types, const int* map_dev_ids, const uint32_t
                         num_provided_arg_shapes, const char** provided_arg_shape_names, const int*
                         provided_arg_shape_data, const uint32_t* provided_arg_shape_idx, uint32_t* num_in_args,
                         NDArrayHandle** in_args, NDArrayHandle** arg_grads, uint32_t* num_aux_states, NDArrayHandle**
                         aux_states, ExecutorObject& shared_exec, ExecutorHandle* out) {
  check_groups(num_map_keys, map_keys, map_dev_types, map_dev_ids, __func__);
  reshape(partial_shaping, allow_up_sizing, dev_type, dev_id, num_provided_arg_shapes, provided_arg_shape_names,
          provided_arg_shape_data, provided_arg_shape_idx,
          {num_in_args, in_args, arg_grads, num_aux_states, aux_states}, shared_exec, out, __func__);
}

void MXExecutorSetMonitorCallbackEX(ExecutorObject& handle, ExecutorMonitorCallback callback, void* callback_handle,
                                    bool monitor_all) {
  handle.executor->set_monitor(monitor_of(callback, callback_handle), monitor_all);
}

void MXExecutorSetMonitorCallback(ExecutorObject& handle, ExecutorMonitorCallback callback, void* callback_handle) {
  MXExecutorSetMonitorCallbackEX(handle, callback, callback_handle, false);
}

void MXExecutorGetOptimizedSymbol(ExecutorObject& handle, SymbolHandle* out) {
  *out = make_handle(handle.executor->symbol().copy());
}

}  // namespace impl
}  // namespace mxnet::capi
