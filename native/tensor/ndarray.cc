#include "tensor/ndarray.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/parallel.h"

namespace mxnet {

NDArray::NDArray(const Shape& shape, DType dtype, const Context& context)
    : shape_(shape), size_(shape.size()), dtype_(dtype) {
  const int64_t bytes = checked_mul(size_, static_cast<int64_t>(dtype_size(dtype)), "array size in bytes");
  storage_ = Storage::allocate(static_cast<size_t>(bytes), context);
}

NDArray::NDArray(std::shared_ptr<Storage> storage, size_t byte_offset, const Shape& shape, DType dtype)
    : storage_(std::move(storage)), byte_offset_(byte_offset), shape_(shape), size_(shape.size()), dtype_(dtype) {
  require(byte_offset_ + bytes() <= storage_->bytes(), "a view of shape ", shape, " at byte ", byte_offset,
          " does not fit into ", storage_->bytes(), " bytes");
}

NDArray NDArray::slice(int64_t begin, int64_t end) const {
  require(!is_none(), "slice of an array without memory");
  require(shape_.ndim() > 0, "slice of a scalar array");
  require(begin >= 0 && begin <= end && end <= shape_[0], "slice [", begin, ", ", end,
          ") is out of the bounds of axis 0 of shape ", shape_);
  Shape shape = shape_;
  shape[0] = end - begin;
  const size_t row = static_cast<size_t>(shape_.product(1, shape_.ndim())) * dtype_size(dtype_);
  return NDArray(storage_, byte_offset_ + static_cast<size_t>(begin) * row, shape, dtype_);
}

NDArray NDArray::at(int64_t index) const {
  require(!is_none(), "index into an array without memory");
  require(shape_.ndim() > 0, "index into a scalar array");
  if (index < 0 || index >= shape_[0]) {
    fail_as(ErrorKind::kIndexError, "index ", index, " is out of the bounds of axis 0 of shape ", shape_);
  }
  NDArray row = slice(index, index + 1);
  if (shape_.ndim() > 1) row.shape_.erase(0);  // a row of a vector keeps shape (1,), as in MXNet
  return row;
}

NDArray NDArray::reshape(const Shape& shape) const {
  require(!is_none(), "reshape of an array without memory");
  require(shape.known() && shape.size() == size_, "reshape: cannot reshape array of shape ", shape_, " (", size_,
          " elements) into shape ", shape);
  NDArray view = *this;
  view.shape_ = shape;
  return view;
}

NDArray NDArray::as_type_view(DType dtype) const {
  require(dtype_size(dtype) == dtype_size(dtype_), "a ", dtype_, " array cannot be viewed as ", dtype);
  NDArray view = *this;
  view.dtype_ = dtype;
  return view;
}

namespace {

std::string target_text(const std::vector<int64_t>& target) {
  std::string out = "(";
  for (size_t i = 0; i < target.size(); ++i) out += (i ? "," : "") + std::to_string(target[i]);
  return out + ")";
}

}  // namespace

Shape resolve_reshape(const Shape& input, const std::vector<int64_t>& target, bool reverse) {
  require(input.ndim_known(), "reshape: the rank of the input is unknown");
  const auto bad = [&](const char* why) {
    fail("reshape: shape ", target_text(target), " does not fit the input ", input,
         input.known() ? text(" of ", input.size(), " elements") : "", ": ", why);
  };
  std::vector<int64_t> dims(input.begin(), input.end());
  std::vector<int64_t> codes = target;
  if (reverse) {  // the codes are read from the right; -4 carries its two numbers behind it either way
    std::reverse(dims.begin(), dims.end());
    std::reverse(codes.begin(), codes.end());
    for (size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == -4) {
        if (i < 2) bad("-4 needs two numbers after it");
        std::rotate(codes.begin() + i - 2, codes.begin() + i, codes.begin() + i + 1);  // (b, a, -4) -> (-4, b, a)
      }
    }
  }
  std::vector<int64_t> out;
  size_t at = 0;
  int infer = -1;
  for (size_t i = 0; i < codes.size(); ++i) {
    const int64_t code = codes[i];
    if (code == 0) {
      if (at >= dims.size()) bad("0 copies a dimension that is not there");
      out.push_back(dims[at++]);
    } else if (code == -1) {
      if (infer >= 0) bad("only one dimension can be inferred");
      infer = static_cast<int>(out.size());
      out.push_back(1);
      ++at;
    } else if (code == -2) {
      while (at < dims.size()) out.push_back(dims[at++]);
    } else if (code == -3) {
      if (at + 1 >= dims.size()) bad("-3 merges two dimensions that are not there");
      const int64_t a = dims[at++];
      const int64_t b = dims[at++];
      out.push_back(a < 0 || b < 0 ? -1 : a * b);
    } else if (code == -4) {
      if (i + 2 >= codes.size() || at >= dims.size()) bad("-4 splits a dimension into the two numbers after it");
      const int64_t whole = dims[at++];
      int64_t a = codes[++i];
      int64_t b = codes[++i];
      if (a == -1 && b == -1) bad("-4 can infer one of its two numbers only");
      if (a == 0 || b == 0 || a < -1 || b < -1) bad("-4 needs positive numbers or one -1");
      if (whole >= 0) {
        if (a == -1) a = whole / b;
        if (b == -1) b = whole / a;
        if (a * b != whole) bad("the two numbers after -4 do not multiply to the dimension");
      }
      out.push_back(a);
      out.push_back(b);
    } else {
      if (code < 0) bad("unknown special code");
      out.push_back(code);
      ++at;
    }
  }
  if (infer >= 0) {
    bool known = input.known();
    int64_t rest = 1;
    for (int64_t d : out) {
      known = known && d >= 0;
      rest = known ? checked_mul(rest, d, "reshape size") : rest;
    }
    out[infer] = -1;
    if (known) {
      if (rest == 0 || input.size() % rest != 0) bad("the inferred dimension is not a whole number");
      out[infer] = input.size() / rest;
    }
  }
  if (reverse) std::reverse(out.begin(), out.end());
  const Shape shape(out);
  if (input.known() && shape.known() && input.size() != shape.size()) {
    bad(text("it has ", shape.size(), " elements").c_str());
  }
  return shape;
}

namespace {

template <class From, class To>
void convert_range(const From* src, To* dst, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    if constexpr (std::is_same_v<To, bool>) {
      dst[i] = static_cast<float>(src[i]) != 0.0f;
    } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
      // C++ leaves out-of-range conversions undefined: go through int64 with NaN and the far ends pinned.
      const double value = static_cast<double>(src[i]);
      const double clamped = std::isnan(value) ? 0.0 : std::min(std::max(value, -9.2e18), 9.2e18);
      dst[i] = static_cast<To>(static_cast<int64_t>(clamped));
    } else {
      dst[i] = static_cast<To>(src[i]);
    }
  }
}

}  // namespace

void convert_elements(const void* src, DType src_type, void* dst, DType dst_type, int64_t count) {
  if (src_type == dst_type) {
    const size_t width = dtype_size(src_type);
    parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char*>(dst) + begin * width, static_cast<const char*>(src) + begin * width,
                  static_cast<size_t>(end - begin) * width);
    });
    return;
  }
  visit_dtype(src_type, [&](auto from) {
    using From = typename decltype(from)::type;
    visit_dtype(dst_type, [&](auto to) {
      using To = typename decltype(to)::type;
      parallel_for(count, 2, [&](int64_t begin, int64_t end) {
        convert_range(static_cast<const From*>(src), static_cast<To*>(dst), begin, end);
      });
    });
  });
}

void copy_array(const NDArray& src, const NDArray& dst) {
  require(src.size() == dst.size(), "copy: shapes ", src.shape(), " and ", dst.shape(), " have different sizes");
  convert_elements(src.data(), src.dtype(), dst.data(), dst.dtype(), src.size());
  if (!dst.is_none()) dst.mark_written();
}

void fill_zero(const NDArray& array) {
  if (array.is_none()) return;
  std::memset(array.data(), 0, array.bytes());
  array.mark_written();
}

}  // namespace mxnet
