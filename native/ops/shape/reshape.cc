// Operators that only change the shape: Reshape, Flatten, expand_dims, squeeze, reshape_like; shape_array, size_array.
#include "ops/shape/common.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

struct ReshapeParam {
  Shape shape = Shape::scalar();
  bool reverse = false;
  Shape target_shape = Shape::scalar();
  bool keep_highest = false;
};
struct ExpandDimsParam {
  int axis;
};
struct SqueezeParam {
  std::optional<Shape> axis;
};
struct ReshapeLikeParam {
  std::optional<int32_t> lhs_begin, lhs_end, rhs_begin, rhs_end;
};

// The gradient of all of them: the output gradient under the shape of the input.
std::vector<Entry> gradient_like_input(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  std::vector<Entry> grads(node->inputs.size());
  grads[0] = g.op("reshape_like", {g.out_grad(), g.input(0)});
  return grads;
}

OpDef& reshape_op(const char* name) {
  return register_op(name)
      .infer_type(infer_same_type)
      .gradient(gradient_like_input)
      .view()
      .inplace(0, 0)
      .kernel(same_bytes_kernel);
}

// The one unknown dimension of `slot` when the number of elements is known.
void infer_by_size(Shape& slot, const Shape& other) {
  if (!slot.ndim_known() || !other.known() || slot.known()) return;
  int unknown = -1;
  int64_t known_product = 1;
  for (int i = 0; i < slot.ndim(); ++i) {
    if (slot[i] >= 0) {
      known_product *= slot[i];
    } else if (unknown >= 0) {
      return;
    } else {
      unknown = i;
    }
  }
  if (known_product > 0 && other.size() % known_product == 0) slot[unknown] = other.size() / known_product;
}

// The `target_shape` spelling of old files: 0 infers one dimension, keep_highest keeps the first one.
Shape legacy_target(const ReshapeParam& p, const Shape& in) {
  Shape result = p.target_shape;
  int first = 0;
  if (p.keep_highest && result.ndim() > 0) {
    result[0] = in[0];
    first = 1;
  }
  int infer = -1;
  for (int i = first; i < result.ndim(); ++i) {
    if (result[i] > 0) continue;
    require(infer < 0, "Reshape: target_shape ", p.target_shape, " may leave one dimension open only");
    infer = i;
  }
  if (infer >= 0) {
    result[infer] = 1;
    const int64_t rest = result.known() ? result.size() : 0;
    result[infer] = in.known() && rest > 0 ? in.size() / rest : -1;
  }
  if (in.known() && result.known()) {
    require(in.size() == result.size(), "Reshape: target_shape ", p.target_shape, " does not fit the input ", in);
  }
  return result;
}

void infer_reshape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<ReshapeParam>();
  if (in[0].ndim_known()) {
    if (p.shape.ndim() > 0) {
      assign_shape(out[0], resolve_reshape(in[0], std::vector<int64_t>(p.shape.begin(), p.shape.end()), p.reverse));
    } else if (p.target_shape.ndim() > 0) {
      assign_shape(out[0], legacy_target(p, in[0]));
    }
  } else if (p.shape.ndim() > 0 && std::all_of(p.shape.begin(), p.shape.end(), [](int64_t d) { return d > 0; })) {
    assign_shape(out[0], p.shape);
  }
  infer_by_size(out[0], in[0]);
  infer_by_size(in[0], out[0]);
}

void infer_flatten(const Attrs&, ShapeVec& in, ShapeVec& out) {
  if (!in[0].ndim_known()) return;
  Shape result{in[0].ndim() > 0 ? in[0][0] : 1, 1};
  for (int i = 1; i < in[0].ndim(); ++i) {
    result[1] = in[0][i] < 0 || result[1] < 0 ? -1 : result[1] * in[0][i];
  }
  assign_shape(out[0], result);
  if (in[0].ndim() > 0 && out[0][0] >= 0) in[0][0] = out[0][0];
  infer_by_size(in[0], out[0]);
}

void infer_expand_dims(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const int64_t axis = attrs.get<ExpandDimsParam>().axis;
  if (in[0].ndim_known()) {
    Shape result = in[0];
    result.insert(normalize_axis(axis, in[0].ndim() + 1, "expand_dims"), 1);
    assign_shape(out[0], result);
  }
  if (out[0].ndim() > 0) {
    Shape source = out[0];
    const int at = normalize_axis(axis, out[0].ndim(), "expand_dims");
    require(source[at] < 0 || source[at] == 1, "operator expand_dims: dimension ", at, " of the output shape ", out[0],
            " must be 1");
    source.erase(at);
    assign_shape(in[0], source);
  }
}

void infer_squeeze(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& axis = attrs.get<SqueezeParam>().axis;
  const Shape& shape = in[0];
  if (!shape.ndim_known()) return;
  std::vector<bool> removed(static_cast<size_t>(shape.ndim()), false);
  if (axis && axis->ndim_known()) {
    for (int64_t a : *axis) {
      const int at = normalize_axis(a, shape.ndim(), "squeeze");
      require(shape[at] < 0 || shape[at] == 1,
              "operator squeeze: cannot select an axis to squeeze out which has size=", shape[at],
              " not equal to one (axis ", at, " of shape ", shape, ")");
      require(!removed[at], "operator squeeze: axis ", at, " is repeated in ", *axis);
      removed[at] = true;
    }
  } else {
    for (int i = 0; i < shape.ndim(); ++i) {
      if (shape[i] < 0) return;  // whether it goes away cannot be told yet
      removed[i] = shape[i] == 1;
    }
  }
  Shape result = Shape::scalar();
  for (int i = 0; i < shape.ndim(); ++i) {
    if (!removed[i]) result.push_back(shape[i]);
  }
  if (result.ndim() == 0) result.push_back(1);  // arrays keep one dimension
  assign_shape(out[0], result);
}

void infer_reshape_like(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<ReshapeLikeParam>();
  const bool whole = !p.lhs_begin && !p.lhs_end && !p.rhs_begin && !p.rhs_end;
  if (whole) {
    if (in[0].known() && in[1].known()) {
      require(in[0].size() == in[1].size(), "operator reshape_like: cannot reshape lhs of shape ", in[0], " to ",
              in[1]);
    }
    assign_shape(out[0], in[1]);
    infer_by_size(in[0], out[0]);
    return;
  }
  if (!in[0].ndim_known() || !in[1].ndim_known()) return;
  const auto range = [](const Shape& shape, const auto& begin, const auto& end, const char* side) {
    const int n = shape.ndim();
    int b = begin.value_or(0);
    int e = end.value_or(n);
    if (b < 0) b += n;
    if (e < 0) e += n;
    require(b >= 0 && b <= e && e <= n, "operator reshape_like: the range [", b, ", ", e, ") of ", side,
            " does not fit shape ", shape);
    return std::pair(b, e);
  };
  const auto [lb, le] = range(in[0], p.lhs_begin, p.lhs_end, "lhs");
  const auto [rb, re] = range(in[1], p.rhs_begin, p.rhs_end, "rhs");
  Shape result = Shape::scalar();
  for (int i = 0; i < lb; ++i) result.push_back(in[0][i]);
  for (int i = rb; i < re; ++i) result.push_back(in[1][i]);
  for (int i = le; i < in[0].ndim(); ++i) result.push_back(in[0][i]);
  if (in[0].known() && result.known()) {
    require(in[0].size() == result.size(), "operator reshape_like: cannot reshape lhs of shape ", in[0], " to ",
            result);
  }
  assign_shape(out[0], result);
}

void infer_first_type(const Attrs&, DTypeVec& in, DTypeVec& out) {
  assign_type(out[0], in[0]);
  assign_type(in[0], out[0]);
}

}  // namespace

MXNET_REGISTER(reshape) {
  reshape_op("Reshape")
      .alias({"reshape"})
      .doc(
          "Gives an array another shape. In `shape`, 0 copies a dimension, -1 infers one, -2 copies all that remain, "
          "-3 "
          "merges two and -4 splits one.")
      .params(Params<ReshapeParam>()
                  .field("shape", &ReshapeParam::shape, "The target shape.")
                  .field("reverse", &ReshapeParam::reverse, "Match the special values from the right.")
                  .field("target_shape", &ReshapeParam::target_shape, "Old spelling of shape: 0 infers a dimension.")
                  .field("keep_highest", &ReshapeParam::keep_highest, "With target_shape: keep the first dimension."))
      .infer_shape(infer_reshape);
  reshape_op("Flatten")
      .alias({"flatten", "_npx_batch_flatten"})
      .doc("Joins all axes but the first.")
      .lenient()
      .infer_shape(infer_flatten);
  reshape_op("expand_dims")
      .alias({"_npi_expand_dims"})
      .doc("Inserts an axis of size 1.")
      .params(Params<ExpandDimsParam>().required("axis", &ExpandDimsParam::axis, "Position of the new axis."))
      .infer_shape(infer_expand_dims);
  reshape_op("squeeze")
      .doc("Removes axes of size 1: all of them, or those in `axis`.")
      .params(Params<SqueezeParam>().field("axis", &SqueezeParam::axis, "The axes to remove. Default: all of size 1."))
      .infer_shape(infer_squeeze);
  reshape_op("reshape_like")
      .alias({"_npx_reshape_like"})
      .doc("Gives lhs the shape of rhs, or replaces the axes lhs_begin..lhs_end of lhs by rhs_begin..rhs_end of rhs.")
      .inputs({"lhs", "rhs"})
      .params(Params<ReshapeLikeParam>()
                  .field("lhs_begin", &ReshapeLikeParam::lhs_begin, "First axis of lhs to replace. Default: 0.")
                  .field("lhs_end", &ReshapeLikeParam::lhs_end, "End of the axes of lhs to replace. Default: all.")
                  .field("rhs_begin", &ReshapeLikeParam::rhs_begin, "First axis of rhs to take. Default: 0.")
                  .field("rhs_end", &ReshapeLikeParam::rhs_end, "End of the axes of rhs to take. Default: all."))
      .infer_shape(infer_reshape_like)
      .infer_type(infer_first_type);
}

MXNET_REGISTER(shape_array) {
  register_op("shape_array")
      .alias({"_npx_shape_array"})
      .doc("The shape of an array as an int64 vector.")
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (in[0].ndim_known()) assign_shape(out[0], Shape{in[0].ndim()});
      })
      .infer_type(outputs_of_type(DType::kInt64))
      .zero_gradient()
      .kernel([](const KernelContext& c) -> Kernel {
        return {[shape = c.in_shapes[0]](const KernelArgs& a) {
          std::copy(shape.begin(), shape.end(), a.output<int64_t>(0));
        }};
      });
  register_op("size_array")
      .doc("The number of elements of an array as an int64 vector of one element.")
      .lenient()
      .infer_shape([](const Attrs&, ShapeVec&, ShapeVec& out) { assign_shape(out[0], Shape{1}); })
      .infer_type(outputs_of_type(DType::kInt64))
      .zero_gradient()
      .kernel([](const KernelContext& c) -> Kernel {
        return {[size = c.in_shapes[0].size()](const KernelArgs& a) { *a.output<int64_t>(0) = size; }};
      });
}

}  // namespace mxnet
