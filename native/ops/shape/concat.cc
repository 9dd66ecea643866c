// Concat, stack, SliceChannel (split), _split_v2.
#include "ops/shape/common.h"

namespace mxnet {
namespace {

struct ConcatParam {
  int num_args;
  int dim = 1;
};
struct StackParam {
  int axis = 0;
  int num_args;
};
struct SliceChannelParam {
  int num_outputs;
  int axis = 1;
  bool squeeze_axis = false;
};
struct SplitParam {
  Shape indices;
  int axis = 1;
  bool squeeze_axis = false;
  int sections = 0;
};

int concat_inputs(const Attrs& attrs) { return attrs.get<ConcatParam>().num_args; }

// Puts `part` (its size along `axis`) into or out of `whole` at `start` of that axis.
StridedCopy part_copy(const Shape& whole, int axis, int64_t start, int64_t length, size_t width, bool into_whole) {
  Region region = whole_region(whole);
  region.begin[axis] = start;
  region.size[axis] = length;
  return into_whole ? scatter_region(whole, region, width) : gather_region(whole, region, width);
}

void infer_concat(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const int64_t dim = attrs.get<ConcatParam>().dim;
  Shape common = out[0];
  int axis = -1;
  const auto merge = [&](const Shape& shape) {
    if (!shape.ndim_known()) return;
    Shape open = shape;
    axis = normalize_axis(dim, shape.ndim(), "Concat");
    open[axis] = -1;
    assign_shape(common, open, "Concat: every axis but the joined one must agree");
  };
  if (common.ndim_known()) common[axis = normalize_axis(dim, common.ndim(), "Concat")] = -1;
  for (const Shape& shape : in) merge(shape);
  if (axis < 0) return;
  int64_t sum = 0;
  int unknown = 0;
  Shape* open = nullptr;
  for (Shape& shape : in) {
    assign_shape(shape, common);
    if (shape[axis] < 0) {
      ++unknown;
      open = &shape;
    } else {
      sum += shape[axis];
    }
  }
  if (unknown == 0) common[axis] = sum;
  assign_shape(out[0], common, "Concat");
  if (unknown == 1 && out[0][axis] >= 0) {
    require(out[0][axis] >= sum, "Concat: the inputs already have ", sum, " along axis ", axis,
            ", more than the output shape ", out[0]);
    (*open)[axis] = out[0][axis] - sum;
  }
}

Kernel concat_kernel(const KernelContext& c) {
  const int axis = normalize_axis(c.attrs.get<ConcatParam>().dim, c.out_shapes[0].ndim(), "Concat");
  std::vector<StridedCopy> copies;
  int64_t start = 0;
  for (const Shape& shape : c.in_shapes) {
    copies.push_back(part_copy(c.out_shapes[0], axis, start, shape[axis], dtype_size(c.out_types[0]), true));
    start += shape[axis];
  }
  return {[copies = std::move(copies)](const KernelArgs& a) {
    for (size_t i = 0; i < copies.size(); ++i) copies[i].run(a.in[i], a.out[0]);
  }};
}

// One piece of an axis.
struct Piece {
  int64_t begin;
  int64_t size;
};

Kernel split_kernel(const KernelContext& c, int axis, const std::vector<Piece>& pieces) {
  std::vector<StridedCopy> copies;
  for (const Piece& piece : pieces) {
    copies.push_back(part_copy(c.in_shapes[0], axis, piece.begin, piece.size, dtype_size(c.in_types[0]), false));
  }
  return {[copies = std::move(copies)](const KernelArgs& a) {
    for (size_t i = 0; i < copies.size(); ++i) copies[i].run(a.in[0], a.out[i]);
  }};
}

void infer_stack(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<StackParam>();
  Shape common;
  if (out[0].ndim() > 0) {
    common = out[0];
    common.erase(normalize_axis(p.axis, out[0].ndim(), "stack"));
  }
  for (const Shape& shape : in) assign_shape(common, shape, "stack: the inputs must have one shape");
  if (!common.ndim_known()) return;
  for (Shape& shape : in) shape = common;
  Shape result = common;
  result.insert(normalize_axis(p.axis, common.ndim() + 1, "stack"), p.num_args);
  assign_shape(out[0], result, "stack");
}

// The pieces of a split must all be of size 1 when their axis is squeezed away.
void assign_pieces(const Shape& in, int axis, const std::vector<Piece>& pieces, bool squeeze, ShapeVec& out,
                   const char* name) {
  for (size_t i = 0; i < out.size(); ++i) {
    Shape piece = in;
    piece[axis] = pieces[i].size;
    if (squeeze) {
      require(pieces[i].size == 1 || pieces[i].size < 0, "operator ", name,
              ": squeeze_axis needs pieces of size 1 along axis ", axis, ", but piece ", i, " has ", pieces[i].size);
      piece.erase(axis);
    }
    assign_shape(out[i], piece, name);
  }
}

std::vector<Piece> equal_pieces(int64_t length, int count) {
  std::vector<Piece> pieces;
  for (int64_t i = 0; i < count; ++i)
    pieces.push_back(length < 0 ? Piece{0, -1} : Piece{i * (length / count), length / count});
  return pieces;
}

void infer_slice_channel(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<SliceChannelParam>();
  if (!in[0].ndim_known()) {  // from any output
    for (const Shape& shape : out) {
      if (!shape.ndim_known()) continue;
      Shape whole = shape;
      if (p.squeeze_axis) {
        whole.insert(normalize_axis(p.axis, shape.ndim() + 1, "SliceChannel"), p.num_outputs);
      } else {
        int64_t& n = whole[normalize_axis(p.axis, shape.ndim(), "SliceChannel")];
        if (n >= 0) n *= p.num_outputs;
      }
      assign_shape(in[0], whole, "SliceChannel");
    }
    if (!in[0].ndim_known()) return;
  }
  const int axis = normalize_axis(p.axis, in[0].ndim(), "SliceChannel");
  require(in[0][axis] < 0 || in[0][axis] % p.num_outputs == 0, "operator SliceChannel: axis ", axis, " of shape ",
          in[0], " cannot be split into num_outputs=", p.num_outputs, " equal pieces");
  assign_pieces(in[0], axis, equal_pieces(in[0][axis], p.num_outputs), p.squeeze_axis, out, "SliceChannel");
}

int split_outputs(const Attrs& attrs) {
  const auto& p = attrs.get<SplitParam>();
  return p.sections > 0 ? p.sections : std::max(0, p.indices.ndim());
}

std::vector<Piece> split_pieces(const SplitParam& p, int64_t length, int axis) {
  std::vector<Piece> pieces;
  if (p.sections > 0) {  // the first length % sections pieces are one longer
    int64_t begin = 0;
    for (int64_t i = 0; i < p.sections; ++i) {
      const int64_t size = length / p.sections + (i < length % p.sections ? 1 : 0);
      pieces.push_back({begin, size});
      begin += size;
    }
    return pieces;
  }
  for (int i = 0; i < p.indices.ndim(); ++i) {
    const int64_t begin = p.indices[i];
    const int64_t end = i + 1 < p.indices.ndim() ? p.indices[i + 1] : length;
    require(begin >= 0 && begin <= end && end <= length, "operator _split_v2: indices ", p.indices, " do not fit axis ",
            axis, " of size ", length);
    pieces.push_back({begin, end - begin});
  }
  return pieces;
}

std::vector<Entry> join_gradient(const NodePtr& node, const std::vector<Entry>& ograds, int axis, bool squeezed) {
  const GradientBuilder g(node, ograds);
  std::vector<Entry> parts;
  for (uint32_t i = 0; i < node->num_outputs(); ++i) parts.push_back(g.out_grad(i));
  const std::string count = std::to_string(parts.size());
  return {squeezed ? g.op("stack", std::move(parts), {{"axis", std::to_string(axis)}, {"num_args", count}})
                   : g.op("Concat", std::move(parts), {{"dim", std::to_string(axis)}, {"num_args", count}})};
}

Params<ConcatParam> concat_params() {
  return Params<ConcatParam>()
      .required("num_args", &ConcatParam::num_args, "Number of inputs.")
      .at_least(1)
      .field("dim", &ConcatParam::dim, "The axis along which the inputs are joined.");
}

std::vector<Entry> concat_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  std::vector<Entry> args{g.out_grad()};
  args.insert(args.end(), node->inputs.begin(), node->inputs.end());
  return g.spread(g.node("_backward_Concat", std::move(args), g.parameters()));
}

}  // namespace

MXNET_REGISTER(concat) {
  register_op("Concat")
      .alias({"concat", "_sparse_concat"})
      .doc("Joins arrays along an existing axis.")
      .params(concat_params())
      .variadic("data", "num_args", concat_inputs)
      .infer_shape(infer_concat)
      .infer_type(infer_same_type)
      .gradient(concat_gradient)
      .kernel(concat_kernel);
  register_op("_rnn_param_concat")
      .alias({"_npi_rnn_param_concat"})
      .doc("Joins the parameter arrays of a recurrent layer; the sizes of all but one follow from the output.")
      .params(concat_params())
      .variadic("data", "num_args", concat_inputs)
      .infer_shape(infer_concat)
      .infer_type(infer_same_type)
      .gradient(concat_gradient)
      .kernel(concat_kernel);
  register_op("_backward_Concat")
      .internal()
      .params(concat_params())
      .variadic("data", "num_args", [](const Attrs& attrs) { return concat_inputs(attrs) + 1; })
      .outputs(concat_inputs)
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        for (size_t i = 0; i < out.size(); ++i) {
          assign_shape(out[i], in[i + 1]);
          assign_shape(in[i + 1], out[i]);
        }
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> parts;
        for (uint32_t i = 0; i < node->num_outputs(); ++i) parts.push_back(g.out_grad(i));
        std::vector<Entry> grads(node->inputs.size());
        grads[0] = g.op("Concat", std::move(parts), g.parameters());
        return grads;
      })
      .kernel([](const KernelContext& c) {
        const int axis = normalize_axis(c.attrs.get<ConcatParam>().dim, c.in_shapes[0].ndim(), "Concat");
        std::vector<Piece> pieces;
        int64_t begin = 0;
        for (const Shape& shape : c.out_shapes) {
          pieces.push_back({begin, shape[axis]});
          begin += shape[axis];
        }
        return split_kernel(c, axis, pieces);
      });
}

MXNET_REGISTER(stack) {
  register_op("stack")
      .doc("Joins arrays of one shape along a new axis.")
      .params(Params<StackParam>()
                  .field("axis", &StackParam::axis, "Position of the new axis.")
                  .required("num_args", &StackParam::num_args, "Number of inputs.")
                  .at_least(1))
      .variadic("data", "num_args", [](const Attrs& attrs) { return attrs.get<StackParam>().num_args; })
      .infer_shape(infer_stack)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        const auto& p = g.params<StackParam>();
        return g.spread(g.node(
            "SliceChannel", {g.out_grad()},
            {{"axis", std::to_string(p.axis)}, {"num_outputs", std::to_string(p.num_args)}, {"squeeze_axis", "True"}}));
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const int axis = normalize_axis(c.attrs.get<StackParam>().axis, c.out_shapes[0].ndim(), "stack");
        std::vector<StridedCopy> copies;
        for (size_t i = 0; i < c.in_shapes.size(); ++i) {
          copies.push_back(
              part_copy(c.out_shapes[0], axis, static_cast<int64_t>(i), 1, dtype_size(c.out_types[0]), true));
        }
        return {[copies = std::move(copies)](const KernelArgs& a) {
          for (size_t i = 0; i < copies.size(); ++i) copies[i].run(a.in[i], a.out[0]);
        }};
      });
}

MXNET_REGISTER(split) {
  register_op("SliceChannel")
      .alias({"split"})
      .doc("Splits an array into equal pieces along an axis.")
      .params(
          Params<SliceChannelParam>()
              .required("num_outputs", &SliceChannelParam::num_outputs, "Number of pieces.")
              .at_least(1)
              .field("axis", &SliceChannelParam::axis, "The axis to split.")
              .field("squeeze_axis", &SliceChannelParam::squeeze_axis, "Remove the axis when the pieces have size 1."))
      .outputs([](const Attrs& attrs) { return attrs.get<SliceChannelParam>().num_outputs; })
      .output_names([](const Attrs& attrs) {  // numbered even when there is one
        std::vector<std::string> names;
        for (int i = 0; i < attrs.get<SliceChannelParam>().num_outputs; ++i) names.push_back(text("output", i));
        return names;
      })
      .infer_shape(infer_slice_channel)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const auto& p = node->attrs.get<SliceChannelParam>();
        return join_gradient(node, ograds, p.axis, p.squeeze_axis);
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<SliceChannelParam>();
        const int axis = normalize_axis(p.axis, c.in_shapes[0].ndim(), "SliceChannel");
        return split_kernel(c, axis, equal_pieces(c.in_shapes[0][axis], p.num_outputs));
      });
  register_op("_split_v2")
      .alias({"_npi_split"})
      .doc("Splits an array along an axis into `sections` pieces, or at the given start indices.")
      .params(Params<SplitParam>()
                  .required("indices", &SplitParam::indices, "Start of every piece.")
                  .field("axis", &SplitParam::axis, "The axis to split.")
                  .field("squeeze_axis", &SplitParam::squeeze_axis, "Remove the axis when the pieces have size 1.")
                  .field("sections", &SplitParam::sections, "Number of pieces; 0 to use indices.")
                  .at_least(0))
      .outputs(split_outputs)
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<SplitParam>();
        if (!in[0].ndim_known()) return;
        const int axis = normalize_axis(p.axis, in[0].ndim(), "_split_v2");
        const std::vector<Piece> pieces =
            in[0][axis] < 0 ? std::vector<Piece>(out.size(), Piece{0, -1}) : split_pieces(p, in[0][axis], axis);
        assign_pieces(in[0], axis, pieces, p.squeeze_axis, out, "_split_v2");
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const auto& p = node->attrs.get<SplitParam>();
        return join_gradient(node, ograds, p.axis, p.squeeze_axis);
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<SplitParam>();
        const int axis = normalize_axis(p.axis, c.in_shapes[0].ndim(), "_split_v2");
        return split_kernel(c, axis, split_pieces(p, c.in_shapes[0][axis], axis));
      });
}

}  // namespace mxnet
