// A dense array: a shape and a type over a piece of shared storage. Copies are views of the same memory.
#pragma once

#include <memory>
#include <vector>

#include "tensor/context.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace mxnet {

class NDArray {
 public:
  NDArray() = default;  // "none": no shape, no memory
  // Uninitialised memory; the shape must be known.
  NDArray(const Shape& shape, DType dtype, const Context& context = {});
  NDArray(std::shared_ptr<Storage> storage, size_t byte_offset, const Shape& shape, DType dtype);

  bool is_none() const { return storage_ == nullptr; }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  int64_t size() const { return size_; }
  size_t bytes() const { return static_cast<size_t>(size_) * dtype_size(dtype_); }
  Context context() const { return storage_ ? storage_->context() : Context{}; }
  void* data() const { return storage_ ? static_cast<char*>(storage_->data()) + byte_offset_ : nullptr; }
  template <class T> T* data_as() const { return static_cast<T*>(data()); }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  size_t byte_offset() const { return byte_offset_; }
  Var* var() const { return storage_ ? &storage_->var() : nullptr; }
  void mark_written() const { storage_->var().version.store(next_version(), std::memory_order_relaxed); }

  // Views of the same memory. Errors name the bounds and the shape.
  NDArray slice(int64_t begin, int64_t end) const;  // rows [begin, end) of the first axis
  NDArray at(int64_t index) const;                  // row `index`, one axis less
  NDArray reshape(const Shape& shape) const;        // same number of elements, all known
  NDArray as_type_view(DType dtype) const;          // same bytes under a type of the same width

 private:
  std::shared_ptr<Storage> storage_;
  size_t byte_offset_ = 0;
  Shape shape_;
  int64_t size_ = 0;
  DType dtype_ = DType::kFloat32;
};

// Resolves the special codes of MXNet's reshape against an input shape: 0 copies a dimension, -1 infers one, -2 copies
// all that remain, -3 merges two, -4 splits one in the next two numbers. `reverse` matches from the right. Unknown
// input dimensions stay -1 in the result where they cannot be told. Errors name both shapes.
Shape resolve_reshape(const Shape& input, const std::vector<int64_t>& target, bool reverse);

// dst = src, converting the element type; shapes must have the same size.
void copy_array(const NDArray& src, const NDArray& dst);
void convert_elements(const void* src, DType src_type, void* dst, DType dst_type, int64_t count);
void fill_zero(const NDArray& array);

}  // namespace mxnet
