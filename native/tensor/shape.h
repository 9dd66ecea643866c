// Shapes. Inside the library an unknown dimension is -1 and a shape of unknown rank has ndim() == -1, as in MXNet's
// numpy-shape mode; the C ABI converts the legacy spelling (0) at its border.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mxnet {

class Shape {
 public:
  static constexpr int kMaxDim = 16;

  Shape() = default;  // unknown rank
  Shape(std::initializer_list<int64_t> dims) : Shape(dims.begin(), dims.end()) {}
  explicit Shape(const std::vector<int64_t>& dims) : Shape(dims.begin(), dims.end()) {}
  template <class It>
  Shape(It first, It last) {
    ndim_ = check_ndim(static_cast<int64_t>(last - first));
    std::copy(first, last, dims_.begin());
  }
  static Shape filled(int ndim, int64_t value) {
    Shape s;
    s.ndim_ = check_ndim(ndim);
    std::fill_n(s.dims_.begin(), ndim, value);
    return s;
  }
  static Shape scalar() { return filled(0, 0); }

  int ndim() const { return ndim_; }
  bool ndim_known() const { return ndim_ >= 0; }
  bool known() const;  // rank and every dimension are known
  int64_t size() const;  // number of elements of a known shape; checked against overflow

  int64_t& operator[](int i) { return dims_[i]; }
  int64_t operator[](int i) const { return dims_[i]; }
  const int64_t* data() const { return dims_.data(); }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + std::max(0, ndim_); }
  int64_t back() const { return dims_[ndim_ - 1]; }
  void push_back(int64_t dim);
  void insert(int axis, int64_t dim);
  void erase(int axis);

  // Product of the dimensions [first, last), 1 when empty.
  int64_t product(int first, int last) const;

  bool operator==(const Shape& other) const {
    return ndim_ == other.ndim_ && std::equal(begin(), end(), other.begin());
  }

 private:
  static int check_ndim(int64_t ndim);

  int ndim_ = -1;
  std::array<int64_t, kMaxDim> dims_{};
};

using ShapeVec = std::vector<Shape>;

// axis in [-ndim, ndim) -> [0, ndim); error naming the operator otherwise.
int normalize_axis(int64_t axis, int ndim, std::string_view op_name);

// Row-major strides in elements.
std::array<int64_t, Shape::kMaxDim> row_major_strides(const Shape& shape);

// Shape of NumPy broadcasting, or an error "operands could not be broadcast together with shapes [..] [..]".
Shape broadcast_shape(const Shape& a, const Shape& b);

// "[2,3]"; -1 for unknown dimensions, None for unknown rank.
void append_text(std::string& out, const Shape& shape);
// "(2,3)", "(2,)", "()".
std::string tuple_text(const Shape& shape);
// Reads "(2, 3)", "[2,3]", "(2,)", "()", "2", dims may be negative or None (-1). nullopt when it is not one.
std::optional<Shape> parse_shape(std::string_view text);

}  // namespace mxnet
