// Dense arrays.
#include "tensor/ndarray.h"

#include <cstring>

#include "convert.h"
#include "engine/engine.h"
#include "generated/impl.h"
#include "io/params.h"
#include "thread_store.h"

namespace mxnet::capi::impl {
namespace {

// `delay_alloc` only says when memory may be taken; it is always there when first used.
template <class Dim>
void create(const char* function, const Dim* shape, int64_t ndim, int dev_type, int dev_id, int dtype,
            NDArrayHandle* out) {
  const Context context = Context::from_codes(dev_type, dev_id);
  require_device(context);
  const DType type = dtype_from_code(dtype);
  if (ndim == 0 && !is_numpy_shape()) {
    *out = make_handle(NDArray());
    return;
  }
  // Sizes are what they say here: in legacy mode too a 0 makes an empty array.
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < ndim; ++i) {
    const auto dim = static_cast<int64_t>(shape[i]);
    if (dim < 0) fail_as(ErrorKind::kValueError, function, ": dimension ", i, " of the shape is ", dim);
    dims.push_back(dim);
  }
  *out = make_handle(NDArray(Shape(dims), type, context));
}

void check_size(const NDArray& array, size_t size, const char* function) {
  if (array.is_none()) fail_as(ErrorKind::kValueError, function, ": the array has no shape and no memory yet");
  if (static_cast<int64_t>(size) != array.size()) {
    fail_as(ErrorKind::kValueError, function, ": ", size, " elements were given for an array of shape ",
            tuple_text(array.shape()), " with ", array.size());
  }
}

void reshape(const NDArray& array, std::vector<int64_t> target, bool reverse, NDArrayHandle* out,
             const char* function) {
  if (array.is_none()) fail_as(ErrorKind::kValueError, function, ": the array has no shape and no memory yet");
  *out = make_handle(array.reshape(resolve_reshape(array.shape(), target, reverse)));
}

void give_list(NamedArrays list, uint32_t* out_size, NDArrayHandle** out_arr, uint32_t* out_name_size,
               const char*** out_names) {
  ThreadStore& store = mx_store();
  NewHandles<NDArray> made(store.handles[0]);
  for (NDArray& array : list.arrays) made.add(std::move(array));
  *out_name_size = static_cast<uint32_t>(list.names.size());
  *out_names = store.texts.set(std::move(list.names));
  *out_size = static_cast<uint32_t>(made.size());
  *out_arr = made.keep();
}

std::span<const char> bytes_of(const void* data, size_t size) { return {static_cast<const char*>(data), size}; }

}  // namespace

void MXNDArrayLoadFromRawBytes(const void* buf, size_t size, NDArrayHandle* out) {
  *out = make_handle(read_array(bytes_of(buf, size)));
}

void MXNDArraySaveRawBytes(NDArrayObject& handle, size_t* out_size, const char** out_buf) {
  wait_to_read(handle);
  std::string& bytes = mx_store().text;
  bytes = write_array(handle);
  *out_size = bytes.size();
  *out_buf = bytes.data();
}

void MXNDArraySave(const char* fname, uint32_t num_args, NDArrayHandle* args, const char** keys) {
  const std::vector<NDArray> arrays = arrays_of(num_args, args, __func__, "args");
  for (const NDArray& array : arrays) wait_to_read(array);
  std::vector<std::string> names;
  if (keys != nullptr) names = strings_of(num_args, keys, __func__, "keys");
  write_arrays_file(fname, arrays, names);
}

void MXNDArrayLoad(const char* fname, uint32_t* out_size, NDArrayHandle** out_arr, uint32_t* out_name_size,
                   const char*** out_names) {
  give_list(read_arrays_file(fname), out_size, out_arr, out_name_size, out_names);
}

void MXNDArrayLoadFromBuffer(const void* ndarray_buffer, size_t size, uint32_t* out_size, NDArrayHandle** out_arr,
                             uint32_t* out_name_size, const char*** out_names) {
  give_list(read_arrays(bytes_of(ndarray_buffer, size), "the buffer"), out_size, out_arr, out_name_size, out_names);
}

void MXNDArrayCreateNone(NDArrayHandle* out) { *out = make_handle(NDArray()); }

void MXNDArrayCreate(const uint32_t* shape, uint32_t ndim, int dev_type, int dev_id, int, NDArrayHandle* out) {
  create(__func__, shape, ndim, dev_type, dev_id, static_cast<int>(DType::kFloat32), out);
}

void MXNDArrayCreateEx(const uint32_t* shape, uint32_t ndim, int dev_type, int dev_id, int, int dtype,
                       NDArrayHandle* out) {
  create(__func__, shape, ndim, dev_type, dev_id, dtype, out);
}

void MXNDArrayCreateEx64(const int64_t* shape, int ndim, int dev_type, int dev_id, int, int dtype,
                         NDArrayHandle* out) {
  create(__func__, shape, ndim, dev_type, dev_id, dtype, out);
}

void MXNDArrayFree(NDArrayHandle handle) { free_handle<NDArray>(handle, __func__, "handle"); }

void MXShallowCopyNDArray(NDArrayObject& src, NDArrayHandle* out) { *out = make_handle(NDArray(src)); }

void MXNDArraySyncCopyFromCPU(NDArrayObject& handle, const void* data, size_t size) {
  check_size(handle, size, __func__);
  wait_to_write(handle);
  if (handle.bytes() != 0) std::memcpy(handle.data(), data, handle.bytes());
  handle.mark_written();
}

void MXNDArraySyncCopyToCPU(NDArrayObject& handle, void* data, size_t size) {
  check_size(handle, size, __func__);
  wait_to_read(handle);
  if (handle.bytes() != 0) std::memcpy(data, handle.data(), handle.bytes());
}

void MXNDArraySyncCopyFromNDArray(NDArrayObject& handle_dst, NDArrayObject& handle_src, const int i) {
  if (i != -1) {
    fail_as(ErrorKind::kNotImplementedError, "Auxiliary array ", i, " was named; dense arrays have none, use -1");
  }
  wait_to_read(handle_src);
  wait_to_write(handle_dst);
  if (handle_src.is_none() || handle_dst.is_none()) {
    fail_as(ErrorKind::kValueError, __func__, ": an array has no shape and no memory yet");
  }
  if (!(handle_src.shape() == handle_dst.shape())) {
    fail_as(ErrorKind::kValueError, "Cannot copy an array of shape ", tuple_text(handle_src.shape()), " to one of shape ",
            tuple_text(handle_dst.shape()));
  }
  copy_array(handle_src, handle_dst);
  handle_dst.mark_written();
}

// Dense arrays have no structure that could be wrong.
void MXNDArraySyncCheckFormat(NDArrayObject& handle, const bool) { wait_to_read(handle); }

void MXNDArrayWaitToRead(NDArrayObject& handle) { wait_to_read(handle); }

void MXNDArrayWaitToWrite(NDArrayObject& handle) { wait_to_write(handle); }

void MXNDArrayWaitAll() { wait_all(); }

void MXNDArraySlice64(NDArrayObject& handle, int64_t slice_begin, int64_t slice_end, NDArrayHandle* out) {
  *out = make_handle(handle.slice(slice_begin, slice_end));
}

void MXNDArraySlice(NDArrayObject& handle, uint32_t slice_begin, uint32_t slice_end, NDArrayHandle* out) {
  MXNDArraySlice64(handle, slice_begin, slice_end, out);
}

void MXNDArrayAt64(NDArrayObject& handle, int64_t idx, NDArrayHandle* out) { *out = make_handle(handle.at(idx)); }

void MXNDArrayAt(NDArrayObject& handle, uint32_t idx, NDArrayHandle* out) { MXNDArrayAt64(handle, idx, out); }

void MXNDArrayReshape(NDArrayObject& handle, int ndim, int* dims, NDArrayHandle* out) {
  reshape(handle, std::vector<int64_t>(dims, dims + ndim), false, out, __func__);
}

void MXNDArrayReshape64(NDArrayObject& handle, int ndim, dim_t* dims, bool reverse, NDArrayHandle* out) {
  reshape(handle, std::vector<int64_t>(dims, dims + ndim), reverse, out, __func__);
}

void MXNDArrayGetStorageType(NDArrayObject& handle, int* out_storage_type) {
  *out_storage_type = handle.is_none() ? -1 : 0;
}

void MXNDArrayGetShapeEx64(NDArrayObject& handle, int* out_dim, const int64_t** out_pdata) {
  if (handle.is_none()) {
    *out_dim = is_numpy_shape() ? -1 : 0;
    return;
  }
  std::vector<int64_t>& dims = mx_store().dims64;
  dims.assign(handle.shape().begin(), handle.shape().end());
  *out_dim = handle.shape().ndim();
  *out_pdata = dims.data();
}

void MXNDArrayGetShapeEx(NDArrayObject& handle, int* out_dim, const int** out_pdata) {
  if (handle.is_none()) {
    *out_dim = is_numpy_shape() ? -1 : 0;
    return;
  }
  std::vector<int>& dims = mx_store().dims;
  dims.clear();
  for (const int64_t dim : handle.shape()) {
    if (dim > INT32_MAX) {
      fail_as(ErrorKind::kValueError, "The dimension ", dim, " does not fit into 32 bits; call MXNDArrayGetShapeEx64");
    }
    dims.push_back(static_cast<int>(dim));
  }
  *out_dim = handle.shape().ndim();
  *out_pdata = dims.data();
}

void MXNDArrayGetShape(NDArrayObject& handle, uint32_t* out_dim, const uint32_t** out_pdata) {
  int ndim = 0;
  const int* dims = nullptr;
  MXNDArrayGetShapeEx(handle, &ndim, &dims);
  *out_dim = ndim < 0 ? 0 : static_cast<uint32_t>(ndim);
  if (dims != nullptr) *out_pdata = reinterpret_cast<const uint32_t*>(dims);
}

void MXNDArrayGetData(NDArrayObject& handle, void** out_pdata) {
  wait_to_read(handle);
  // From now on the memory may be written without the library's knowledge.
  if (handle.var() != nullptr) handle.var()->escaped = true;
  *out_pdata = handle.data();
}

void MXNDArrayGetDType(NDArrayObject& handle, int* out_dtype) {
  *out_dtype = handle.is_none() ? -1 : static_cast<int>(handle.dtype());
}

void MXNDArrayGetContext(NDArrayObject& handle, int* out_dev_type, int* out_dev_id) {
  *out_dev_type = handle.is_none() ? 0 : static_cast<int>(handle.context().device_type);
  *out_dev_id = handle.is_none() ? 0 : handle.context().device_id;
}

}  // namespace mxnet::capi::impl
