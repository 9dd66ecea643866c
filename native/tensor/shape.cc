#include "tensor/shape.h"

#include <charconv>

namespace mxnet {

int Shape::check_ndim(int64_t ndim) {
  require(ndim >= 0 && ndim <= kMaxDim, "a shape can have at most ", kMaxDim, " dimensions, not ", ndim);
  return static_cast<int>(ndim);
}

bool Shape::known() const {
  if (ndim_ < 0) return false;
  return std::all_of(begin(), end(), [](int64_t d) { return d >= 0; });
}

int64_t Shape::size() const {
  require(ndim_ >= 0, "the size of a shape of unknown rank was asked for");
  int64_t n = 1;
  for (int64_t d : *this) {
    require(d >= 0, "the size of the partly unknown shape ", *this, " was asked for");
    n = checked_mul(n, d, "shape size");
  }
  return n;
}

void Shape::push_back(int64_t dim) {
  const int at = std::max(0, ndim_);
  ndim_ = check_ndim(at + 1);
  dims_[at] = dim;
}

void Shape::insert(int axis, int64_t dim) {
  ndim_ = check_ndim(ndim_ + 1);
  for (int i = ndim_ - 1; i > axis; --i) dims_[i] = dims_[i - 1];
  dims_[axis] = dim;
}

void Shape::erase(int axis) {
  for (int i = axis; i + 1 < ndim_; ++i) dims_[i] = dims_[i + 1];
  --ndim_;
}

int64_t Shape::product(int first, int last) const {
  int64_t n = 1;
  for (int i = first; i < last; ++i) n *= dims_[i];
  return n;
}

int normalize_axis(int64_t axis, int ndim, std::string_view op_name) {
  require(axis >= -ndim && axis < ndim, "operator ", op_name, ": axis must be in the range [", -ndim, ", ", ndim - 1,
          "] (", axis, " provided)");
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

std::array<int64_t, Shape::kMaxDim> row_major_strides(const Shape& shape) {
  std::array<int64_t, Shape::kMaxDim> strides{};
  int64_t step = 1;
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  const int ndim = std::max(a.ndim(), b.ndim());
  Shape out = Shape::filled(ndim, 1);
  for (int i = 0; i < ndim; ++i) {
    const int ia = i - (ndim - a.ndim());
    const int ib = i - (ndim - b.ndim());
    const int64_t da = ia >= 0 ? a[ia] : 1;
    const int64_t db = ib >= 0 ? b[ib] : 1;
    require(da == db || da == 1 || db == 1, "operands could not be broadcast together with shapes ", a, " ", b);
    out[i] = da == 1 ? db : da;
  }
  return out;
}

void append_text(std::string& out, const Shape& shape) {
  if (!shape.ndim_known()) {
    out += "None";
    return;
  }
  out += '[';
  for (int i = 0; i < shape.ndim(); ++i) {
    if (i) out += ',';
    out += std::to_string(shape[i]);
  }
  out += ']';
}

std::string tuple_text(const Shape& shape) {
  if (!shape.ndim_known()) return "None";
  std::string out = "(";
  for (int i = 0; i < shape.ndim(); ++i) {
    if (i) out += ',';
    out += std::to_string(shape[i]);
  }
  if (shape.ndim() == 1) out += ',';
  return out + ")";
}

std::optional<Shape> parse_shape(std::string_view s) {
  const auto skip = [&s] {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\n')) s.remove_prefix(1);
  };
  const auto number = [&s]() -> std::optional<int64_t> {
    if (s.starts_with("None")) {
      s.remove_prefix(4);
      return -1;
    }
    if (!s.empty() && s.front() == '+') s.remove_prefix(1);
    int64_t value = 0;
    const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (code != std::errc()) return std::nullopt;
    s.remove_prefix(static_cast<size_t>(end - s.data()));
    if (!s.empty() && (s.front() == 'L' || s.front() == 'l')) s.remove_prefix(1);  // Python 2 wrote 3L
    return value;
  };
  skip();
  if (s.empty()) return std::nullopt;
  if (s.front() != '(' && s.front() != '[') {
    const auto value = number();
    skip();
    if (!value || !s.empty()) return std::nullopt;
    return Shape{*value};
  }
  const char close = s.front() == '(' ? ')' : ']';
  s.remove_prefix(1);
  Shape shape = Shape::scalar();
  for (;;) {
    skip();
    if (!s.empty() && s.front() == close) break;
    const auto value = number();
    if (!value || shape.ndim() == Shape::kMaxDim) return std::nullopt;
    shape.push_back(*value);
    skip();
    if (s.empty()) return std::nullopt;
    if (s.front() == ',') {
      s.remove_prefix(1);
    } else if (s.front() != close) {
      return std::nullopt;
    }
  }
  s.remove_prefix(1);
  skip();
  if (!s.empty()) return std::nullopt;
  return shape;
}

}  // namespace mxnet
