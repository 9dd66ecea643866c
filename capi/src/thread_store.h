// Results that the ABI returns as bare pointers: they live here, per thread, until the next call that uses the store.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/shape.h"

namespace mxnet::capi {

// Strings and the array of pointers to them.
struct TextList {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;

  const char** set(std::vector<std::string> list) {
    texts = std::move(list);
    pointers.clear();
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return pointers.data();
  }
};

// Shapes as the ABI returns them: ranks, and pointers into one contiguous buffer of dimensions in order.
template <class Dim>
struct ShapeList {
  std::vector<int> ndim;
  std::vector<Dim> dims;
  std::vector<const Dim*> data;

  void set(const ShapeVec& shapes, bool numpy_mode) {
    ndim.clear();
    dims.clear();
    data.clear();
    for (const Shape& shape : shapes) {
      ndim.push_back(shape.ndim_known() || numpy_mode ? shape.ndim() : 0);
      for (const int64_t dim : shape) dims.push_back(static_cast<Dim>(dim < 0 && !numpy_mode ? 0 : dim));
    }
    const Dim* next = dims.data();
    for (const Shape& shape : shapes) {
      data.push_back(next);
      next += shape.ndim_known() ? shape.ndim() : 0;
    }
  }
};

struct ThreadStore {
  std::string text;
  TextList texts;
  TextList more_texts;
  std::vector<const char*> pointers[3];  // to static strings
  std::vector<void*> handles[4];
  std::vector<int> ints[3];
  std::vector<int> dims;
  std::vector<int64_t> dims64;
  ShapeList<int> shapes[3];       // also serves uint32: the same bits
  ShapeList<int64_t> shapes64[3];
};

ThreadStore& mx_store();   // MX* functions
ThreadStore& nn_store();   // NN* functions and the MX* ones that are the same
ThreadStore& ffi_store();  // packed functions

}  // namespace mxnet::capi
