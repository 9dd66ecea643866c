// The prediction API.
#include "plan/predictor.h"

#include "convert.h"
#include "generated/impl.h"
#include "io/params.h"
#include "monitor.h"
#include "thread_store.h"

namespace mxnet::capi {

struct PredictorObject {
  Predictor predictor;
  std::vector<uint32_t> shape;  // what MXPredGetOutputShape gave last
};

struct NDListObject {
  std::vector<std::string> names;
  std::vector<Shape> shapes;
  std::vector<std::vector<float>> contents;
  std::vector<uint32_t> shape;  // what MXNDListGet gave last
};

namespace {

void set_dims(const Shape& shape, std::vector<uint32_t>& out) {
  out.clear();
  for (const int64_t dim : shape) out.push_back(static_cast<uint32_t>(dim));
}

std::map<std::string, Shape> named_shapes(uint32_t count, const char** keys, const uint32_t* index,
                                          const uint32_t* data, const char* function) {
  const ShapeVec list = packed_shapes(count, index, data, function);
  std::map<std::string, Shape> shapes;
  for (uint32_t i = 0; i < count; ++i) shapes[string_at(keys, i, function, "input_keys")] = list[i];
  return shapes;
}

Predictor::Request request_of(const char* json, const void* params, int params_size, int dev_type, int dev_id,
                              uint32_t num_inputs, const char** keys, const uint32_t* index, const uint32_t* data,
                              const char* function) {
  Predictor::Request request;
  request.symbol_json = json;
  request.params = {static_cast<const char*>(params), static_cast<size_t>(params_size)};
  request.context = Context::from_codes(dev_type, dev_id);
  request.input_shapes = named_shapes(num_inputs, keys, index, data, function);
  return request;
}

void* handle_of(Predictor predictor) { return make_handle(PredictorObject{std::move(predictor), {}}); }

}  // namespace

namespace impl {

void MXPredCreate(const char* symbol_json_str, const void* param_bytes, int param_size, int dev_type, int dev_id,
                  uint32_t num_input_nodes, const char** input_keys, const uint32_t* input_shape_indptr,
                  const uint32_t* input_shape_data, PredictorHandle* out) {
  *out = handle_of(Predictor(request_of(symbol_json_str, param_bytes, param_size, dev_type, dev_id, num_input_nodes,
                                        input_keys, input_shape_indptr, input_shape_data, __func__)));
}

void MXPredCreateEx(const char* symbol_json_str, const void* param_bytes, int param_size, int dev_type, int dev_id,
                    const uint32_t num_input_nodes, const char** input_keys, const uint32_t* input_shape_indptr,
                    const uint32_t* input_shape_data, const uint32_t num_provided_arg_dtypes,
                    const char** provided_arg_dtype_names, const int* provided_arg_dtypes, PredictorHandle* out) {
  Predictor::Request request = request_of(symbol_json_str, param_bytes, param_size, dev_type, dev_id, num_input_nodes,
                                          input_keys, input_shape_indptr, input_shape_data, __func__);
  for (uint32_t i = 0; i < num_provided_arg_dtypes; ++i) {
    request.input_types[string_at(provided_arg_dtype_names, i, __func__, "provided_arg_dtype_names")] =
        dtype_from_code(provided_arg_dtypes[i]);
  }
  *out = handle_of(Predictor(request));
}

void MXPredCreatePartialOut(const char* symbol_json_str, const void* param_bytes, int param_size, int dev_type,
                            int dev_id, uint32_t num_input_nodes, const char** input_keys,
                            const uint32_t* input_shape_indptr, const uint32_t* input_shape_data,
                            uint32_t num_output_nodes, const char** output_keys, PredictorHandle* out) {
  Predictor::Request request = request_of(symbol_json_str, param_bytes, param_size, dev_type, dev_id, num_input_nodes,
                                          input_keys, input_shape_indptr, input_shape_data, __func__);
  request.output_names = strings_of(num_output_nodes, output_keys, __func__, "output_keys");
  *out = handle_of(Predictor(request));
}

void MXPredCreateMultiThread(const char* symbol_json_str, const void* param_bytes, int param_size, int dev_type,
                             int dev_id, uint32_t num_input_nodes, const char** input_keys,
                             const uint32_t* input_shape_indptr, const uint32_t* input_shape_data, int num_threads,
                             PredictorHandle* out) {
  if (num_threads < 1) fail_as(ErrorKind::kValueError, "The number of predictors must be at least 1, not ", num_threads);
  const Predictor first(request_of(symbol_json_str, param_bytes, param_size, dev_type, dev_id, num_input_nodes,
                                   input_keys, input_shape_indptr, input_shape_data, __func__));
  NewHandles<PredictorObject> made(mx_store().handles[0]);
  for (int i = 0; i < num_threads; ++i) made.add(PredictorObject{Predictor(first, first.input_shapes()), {}});
  std::copy_n(made.keep(), num_threads, out);
}

void MXPredReshape(uint32_t num_input_nodes, const char** input_keys, const uint32_t* input_shape_indptr,
                   const uint32_t* input_shape_data, PredictorObject& handle, PredictorHandle* out) {
  *out = handle_of(Predictor(
      handle.predictor, named_shapes(num_input_nodes, input_keys, input_shape_indptr, input_shape_data, __func__)));
}

void MXPredGetOutputShape(PredictorObject& handle, uint32_t index, uint32_t** shape_data, uint32_t* shape_ndim) {
  set_dims(handle.predictor.output(index).shape(), handle.shape);
  *shape_data = handle.shape.data();
  *shape_ndim = static_cast<uint32_t>(handle.shape.size());
}

void MXPredGetOutputType(PredictorObject& handle, uint32_t out_index, int* out_dtype) {
  *out_dtype = static_cast<int>(handle.predictor.output(out_index).dtype());
}

void MXPredSetInput(PredictorObject& handle, const char* key, const float* data, uint32_t size) {
  handle.predictor.set_input(key, data, size);
}

void MXPredForward(PredictorObject& handle) { handle.predictor.forward(); }

// A bound network is one step: nothing is left after it.
void MXPredPartialForward(PredictorObject& handle, int step, int* step_left) {
  if (step < 0) fail_as(ErrorKind::kValueError, "Step ", step, " cannot be run");
  if (step == 0) handle.predictor.forward();
  *step_left = 0;
}

void MXPredGetOutput(PredictorObject& handle, uint32_t index, float* data, uint32_t size) {
  handle.predictor.copy_output(index, data, size);
}

void MXPredSetMonitorCallback(PredictorObject& handle, PredMonitorCallback callback, void* callback_handle,
                              bool monitor_all) {
  handle.predictor.executor().set_monitor(monitor_of(callback, callback_handle), monitor_all);
}

void MXPredFree(PredictorHandle handle) { free_handle<PredictorObject>(handle, __func__, "handle"); }

void MXNDListCreate(const char* nd_file_bytes, int nd_file_size, NDListHandle* out, uint32_t* out_length) {
  NamedArrays list = read_arrays({nd_file_bytes, static_cast<size_t>(nd_file_size)}, "the buffer");
  NDListObject object;
  object.names = std::move(list.names);
  object.names.resize(list.arrays.size());
  for (const NDArray& array : list.arrays) {
    if (array.is_none()) fail_as(ErrorKind::kValueError, "The list holds an array without shape and memory");
    object.shapes.push_back(array.shape());
    std::vector<float>& values = object.contents.emplace_back(static_cast<size_t>(array.size()));
    convert_elements(array.data(), array.dtype(), values.data(), DType::kFloat32, array.size());
  }
  *out_length = static_cast<uint32_t>(object.shapes.size());
  *out = make_handle(std::move(object));
}

void MXNDListGet(NDListObject& handle, uint32_t index, const char** out_key, const float** out_data,
                 const uint32_t** out_shape, uint32_t* out_ndim) {
  if (index >= handle.shapes.size()) {
    fail_as(ErrorKind::kIndexError, "Entry ", index, " was asked for, the list has ", handle.shapes.size());
  }
  set_dims(handle.shapes[index], handle.shape);
  *out_key = handle.names[index].c_str();
  *out_data = handle.contents[index].data();
  *out_shape = handle.shape.data();
  *out_ndim = static_cast<uint32_t>(handle.shape.size());
}

void MXNDListFree(NDListHandle handle) { free_handle<NDListObject>(handle, __func__, "handle"); }

}  // namespace impl
}  // namespace mxnet::capi
