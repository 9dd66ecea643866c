#include "op/infer.h"

namespace mxnet {

void assign_shape(Shape& slot, const Shape& value, std::string_view what) {
  if (!value.ndim_known()) return;
  if (!slot.ndim_known()) {
    slot = value;
    return;
  }
  const auto clash = [&] {
    fail(what.empty() ? "" : text(what, ": "), "Shape inconsistent, Provided = ", slot, ", inferred shape=",
         tuple_text(value));
  };
  if (slot.ndim() != value.ndim()) clash();
  for (int i = 0; i < slot.ndim(); ++i) {
    if (value[i] < 0 || slot[i] == value[i]) continue;
    if (slot[i] >= 0) clash();
    slot[i] = value[i];
  }
}

void assign_type(DType& slot, DType value, std::string_view what) {
  if (value == DType::kUnknown) return;
  if (slot == DType::kUnknown) slot = value;
  if (slot != value) {
    fail(what.empty() ? "" : text(what, ": "), "Type inconsistent, Provided = ", slot, ", inferred type = ", value);
  }
}

namespace {

template <class T>
std::string place(const std::vector<T>& in, size_t i) {
  return i < in.size() ? text("Incompatible attr at ", i, "-th input")
                       : text("Incompatible attr at ", i - in.size(), "-th output");
}

template <class T, class Assign>
void unify(std::vector<T>& in, std::vector<T>& out, Assign assign) {
  T common{};
  if constexpr (std::is_same_v<T, DType>) common = DType::kUnknown;
  const auto slot = [&](size_t i) -> T& { return i < in.size() ? in[i] : out[i - in.size()]; };
  const size_t n = in.size() + out.size();
  for (size_t i = 0; i < n; ++i) {
    T known = common;
    assign(known, slot(i), place(in, i));
    common = known;
  }
  for (size_t i = 0; i < n; ++i) slot(i) = common;
}

}  // namespace

void infer_same_shape(const Attrs&, ShapeVec& in, ShapeVec& out) {
  unify(in, out, [](Shape& common, const Shape& value, const std::string& where) {
    if (!value.ndim_known()) return;
    const Shape expected = common;
    try {
      assign_shape(common, value);
    } catch (const Error&) {
      fail(where, ": expected ", expected, ", got ", value);
    }
  });
}

void infer_same_type(const Attrs&, DTypeVec& in, DTypeVec& out) {
  unify(in, out, [](DType& common, DType value, const std::string& where) {
    if (value == DType::kUnknown) return;
    if (common != DType::kUnknown && common != value) fail(where, ": expected ", common, ", got ", value);
    common = value;
  });
}

InferShapeFn shape_like_inputs(std::vector<int> source) {
  return [source = std::move(source)](const Attrs&, ShapeVec& in, ShapeVec& out) {
    for (size_t i = 0; i < out.size() && i < source.size(); ++i) {
      assign_shape(out[i], in[source[i]]);
      assign_shape(in[source[i]], out[i]);
    }
  };
}

InferTypeFn type_like_inputs(std::vector<int> source) {
  return [source = std::move(source)](const Attrs&, DTypeVec& in, DTypeVec& out) {
    for (size_t i = 0; i < out.size() && i < source.size(); ++i) {
      assign_type(out[i], in[source[i]]);
      assign_type(in[source[i]], out[i]);
    }
  };
}

InferTypeFn outputs_of_type(DType type) {
  return [type](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
    DTypeVec none;
    infer_same_type(attrs, in, none);
    for (DType& t : out) assign_type(t, type);
  };
}

void infer_broadcast_shape(const Attrs&, ShapeVec& in, ShapeVec& out) {
  Shape result = Shape::scalar();
  for (const Shape& shape : in) {
    if (!shape.ndim_known()) return;
    if (shape.known() && result.known()) {
      result = broadcast_shape(result, shape);
      continue;
    }
    // Partly unknown: the rank is certain, and so is a dimension with a known number above one.
    const int ndim = std::max(result.ndim(), shape.ndim());
    Shape merged = Shape::filled(ndim, -1);
    for (int i = 0; i < ndim; ++i) {
      const int ia = i - (ndim - result.ndim());
      const int ib = i - (ndim - shape.ndim());
      const int64_t a = ia >= 0 ? result[ia] : 1;
      const int64_t b = ib >= 0 ? shape[ib] : 1;
      if (a > 1 || b == 1) {
        merged[i] = a;
      } else if (b > 1 || a == 1) {
        merged[i] = b;
      }
      require(a <= 1 || b <= 1 || a == b, "operands could not be broadcast together with shapes ", result, " ", shape);
    }
    result = merged;
  }
  assign_shape(out[0], result);
}

}  // namespace mxnet
