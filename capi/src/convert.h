// Conversions between C arguments and native values, shared by the bodies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard.h"
#include "handle.h"
#include "op/params.h"
#include "tensor/ndarray.h"
#include "tensor/shape_mode.h"

namespace mxnet::capi {

inline AttrDict dict_of(int64_t count, const char* const* keys, const char* const* vals, const char* function) {
  AttrDict dict;
  for (int64_t i = 0; i < count; ++i) {
    dict[string_at(keys, static_cast<size_t>(i), function, "keys")] =
        string_at(vals, static_cast<size_t>(i), function, "vals");
  }
  return dict;
}

inline std::vector<std::string> strings_of(int64_t count, const char* const* texts, const char* function,
                                           const char* argument) {
  std::vector<std::string> list;
  for (int64_t i = 0; i < count; ++i) list.emplace_back(string_at(texts, static_cast<size_t>(i), function, argument));
  return list;
}

// Objects of an array of handles, none of which may be NULL.
template <class T>
std::vector<T*> objects_of(int64_t count, void* const* handles, const char* function, const char* argument) {
  std::vector<T*> list;
  list.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) list.push_back(&deref<T>(handles[i], function, argument));
  return list;
}

// The same for arrays by value (cheap: they share their storage).
inline std::vector<NDArray> arrays_of(int64_t count, void* const* handles, const char* function,
                                      const char* argument) {
  std::vector<NDArray> list;
  list.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) list.push_back(deref<NDArray>(handles[i], function, argument));
  return list;
}

// NULL entries, and a NULL list, become arrays without memory.
inline std::vector<NDArray> optional_arrays_of(int64_t count, void* const* handles, const char* function,
                                               const char* argument) {
  std::vector<NDArray> list(static_cast<size_t>(count));
  for (int64_t i = 0; handles != nullptr && i < count; ++i) {
    if (handles[i] != nullptr) list[static_cast<size_t>(i)] = deref<NDArray>(handles[i], function, argument);
  }
  return list;
}

// A shape in the user's spelling (0 is unknown in legacy mode, -1 in NumPy mode) as the library keeps it.
template <class Dim>
Shape shape_of(const Dim* dims, int64_t ndim, const char* function) {
  if (ndim < 0) {
    if (ndim == -1) return Shape();
    fail_count(ndim, function, "ndim");
  }
  if (ndim > Shape::kMaxDim) {
    fail_as(ErrorKind::kValueError, function, ": ", ndim, " dimensions are more than the ", Shape::kMaxDim, " allowed");
  }
  std::vector<int64_t> list;
  for (int64_t i = 0; i < ndim; ++i) {
    const auto dim = static_cast<int64_t>(dims[i]);
    if (dim < -1) fail_as(ErrorKind::kValueError, function, ": dimension ", i, " of a shape is ", dim);
    list.push_back(dim);
  }
  return from_user_shape(Shape(list));
}

// Shapes packed one after another with an index pointer of count + 1 entries.
template <class Index, class Dim>
ShapeVec packed_shapes(int64_t count, const Index* index, const Dim* dims, const char* function) {
  ShapeVec shapes;
  for (int64_t i = 0; i < count; ++i) {
    const auto begin = static_cast<int64_t>(index[i]);
    const auto end = static_cast<int64_t>(index[i + 1]);
    if (begin < 0 || end < begin) {
      fail_as(ErrorKind::kValueError, function, ": the shape index pointer goes from ", begin, " to ", end,
              " at entry ", i);
    }
    if (end > begin && dims == nullptr) fail_null(function, "shape data");
    shapes.push_back(shape_of(dims + begin, end - begin, function));
  }
  return shapes;
}

}  // namespace mxnet::capi
