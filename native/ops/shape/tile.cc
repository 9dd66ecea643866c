// tile, repeat, diag.
#include <cstring>

#include "ops/shape/common.h"

namespace mxnet {
namespace {

struct TileParam {
  Shape reps;
};
struct RepeatParam {
  int repeats;
  std::optional<int32_t> axis;
};
struct DiagParam {
  int k = 0;
  int axis1 = 0;
  int axis2 = 1;
};

// Repetitions and sizes of the common rank.
void tile_axes(const TileParam& p, const Shape& in, std::vector<int64_t>& reps, std::vector<int64_t>& sizes) {
  const int ndim = std::max(in.ndim(), p.reps.ndim());
  reps.assign(static_cast<size_t>(ndim), 1);
  sizes.assign(static_cast<size_t>(ndim), 1);
  for (int i = 0; i < in.ndim(); ++i) sizes[ndim - in.ndim() + i] = in[i];
  for (int i = 0; i < p.reps.ndim(); ++i) {
    require(p.reps[i] >= 0, "operator tile: reps ", p.reps, " must not be negative");
    reps[ndim - p.reps.ndim() + i] = p.reps[i];
  }
}

// Loops over the tiled array; `src` strides are those of the tiled array when `sum`, else those of the data.
std::vector<StrideDim> tile_dims(const TileParam& p, const Shape& in, const Shape& out, bool sum) {
  std::vector<int64_t> reps;
  std::vector<int64_t> sizes;
  tile_axes(p, in, reps, sizes);
  const auto big = row_major_strides(out);
  std::vector<StrideDim> dims;
  int64_t small = 1;
  for (size_t i = reps.size(); i-- > 0;) {
    dims.push_back(sum ? StrideDim{sizes[i], big[i], small} : StrideDim{sizes[i], small, big[i]});
    dims.push_back(sum ? StrideDim{reps[i], big[i] * sizes[i], 0} : StrideDim{reps[i], 0, big[i] * sizes[i]});
    small *= sizes[i];
  }
  return dims;
}

std::vector<StrideDim> repeat_dims(const RepeatParam& p, const Shape& in, bool sum) {
  const int axis = p.axis ? normalize_axis(*p.axis, in.ndim(), "repeat") : 0;
  const int64_t outer = p.axis ? in.product(0, axis) : 1;
  const int64_t length = p.axis ? in[axis] : in.size();
  const int64_t inner = p.axis ? in.product(axis + 1, in.ndim()) : 1;
  const int64_t n = p.repeats;
  if (sum)
    return {{outer, length * n * inner, length * inner}, {length, n * inner, inner}, {n, inner, 0}, {inner, 1, 1}};
  return {{outer, length * inner, length * n * inner}, {length, inner, n * inner}, {n, 0, inner}, {inner, 1, 1}};
}

Kernel sum_kernel(const KernelContext& c, std::vector<StrideDim> dims) {
  return {[sum = StridedSum(std::move(dims), c.out_types[0])](const KernelArgs& a) { sum.run(a.in[0], a.out[0]); }};
}

int64_t diagonal_length(int64_t rows, int64_t columns, int64_t k) {
  const int64_t length = k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns);
  require(length > 0, "operator diag: diagonal ", k, " does not exist in a matrix of ", rows, " by ", columns);
  return length;
}

void diag_axes(const DiagParam& p, const Shape& shape, int& row, int& column) {
  row = normalize_axis(p.axis1, shape.ndim(), "diag");
  column = normalize_axis(p.axis2, shape.ndim(), "diag");
  require(row != column, "operator diag: axis1 and axis2 must differ, both are ", row);
}

void infer_diag(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<DiagParam>();
  if (!in[0].known()) return;
  if (in[0].ndim() == 1) {
    const int64_t n = in[0][0] + std::abs(int64_t{p.k});
    assign_shape(out[0], Shape{n, n});
    return;
  }
  int row = 0;
  int column = 0;
  diag_axes(p, in[0], row, column);
  Shape result = Shape::scalar();
  for (int i = 0; i < in[0].ndim(); ++i) {
    if (i != row && i != column) result.push_back(in[0][i]);
  }
  result.push_back(diagonal_length(in[0][row], in[0][column], p.k));
  assign_shape(out[0], result);
}

// Moves the diagonal: from an array with matrix axes (shape `matrix`) to the array of diagonals, or back.
StridedCopy diagonal_copy(const DiagParam& p, const Shape& matrix, bool extract, size_t width) {
  const auto strides = row_major_strides(matrix);
  int row = 0;
  int column = 0;
  diag_axes(p, matrix, row, column);
  const int64_t length = diagonal_length(matrix[row], matrix[column], p.k);
  const int64_t k = p.k;
  const int64_t offset = k >= 0 ? k * strides[column] : -k * strides[row];
  std::vector<StrideDim> dims{{length, strides[row] + strides[column], 1}};
  int64_t step = length;
  for (int i = matrix.ndim(); i-- > 0;) {
    if (i == row || i == column) continue;
    dims.push_back({matrix[i], strides[i], step});
    step *= matrix[i];
  }
  if (extract) return StridedCopy(std::move(dims), offset, 0, width);
  for (StrideDim& dim : dims) std::swap(dim.src, dim.dst);
  return StridedCopy(std::move(dims), 0, offset, width);
}

Kernel diag_kernel(const KernelContext& c, bool extract, const DiagParam& p) {
  const size_t width = dtype_size(c.out_types[0]);
  if (extract) return copy_kernel(diagonal_copy(p, c.in_shapes[0], true, width));
  const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * width;
  return {[copy = diagonal_copy(p, c.out_shapes[0], false, width), bytes](const KernelArgs& a) {
    std::memset(a.out[0], 0, bytes);
    copy.run(a.in[0], a.out[0]);
  }};
}

// A vector has a matrix as its diag, whose axes are always the first two.
DiagParam matrix_axes(const DiagParam& p, const Shape& data) { return data.ndim() == 1 ? DiagParam{p.k, 0, 1} : p; }

OpDef& backward_like(const char* name) {
  return register_op(name)
      .internal()
      .inputs({"ograd", "data"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type);
}

}  // namespace

MXNET_REGISTER(tile) {
  const auto params = [] {
    return Params<TileParam>().required("reps", &TileParam::reps, "How often each axis is repeated.");
  };
  register_op("tile")
      .alias({"_npi_tile"})
      .doc("Repeats a whole array along its axes.")
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        std::vector<int64_t> reps;
        std::vector<int64_t> sizes;
        tile_axes(attrs.get<TileParam>(), in[0], reps, sizes);
        for (size_t i = 0; i < reps.size(); ++i) sizes[i] = sizes[i] < 0 ? -1 : sizes[i] * reps[i];
        assign_shape(out[0], Shape(sizes));
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_tile", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        return copy_kernel(StridedCopy(tile_dims(c.attrs.get<TileParam>(), c.in_shapes[0], c.out_shapes[0], false), 0,
                                       0, dtype_size(c.in_types[0])));
      });
  backward_like("_backward_tile")
      .params(params())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("tile", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return sum_kernel(c, tile_dims(c.attrs.get<TileParam>(), c.out_shapes[0], c.in_shapes[0], true));
      });
}

MXNET_REGISTER(repeat) {
  const auto params = [] {
    return Params<RepeatParam>()
        .required("repeats", &RepeatParam::repeats, "How often every element is repeated.")
        .at_least(0)
        .field("axis", &RepeatParam::axis, "The axis along which to repeat. Default: of the flattened array.");
  };
  register_op("repeat")
      .alias({"_np_repeat"})
      .doc("Repeats the elements of an array along an axis.")
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<RepeatParam>();
        if (!in[0].ndim_known()) return;
        if (!p.axis) {
          if (in[0].known()) assign_shape(out[0], Shape{checked_mul(in[0].size(), p.repeats, "size of repeat")});
          return;
        }
        Shape result = in[0];
        int64_t& n = result[normalize_axis(*p.axis, in[0].ndim(), "repeat")];
        if (n >= 0) n = checked_mul(n, p.repeats, "size of repeat");
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_repeat", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        return copy_kernel(StridedCopy(repeat_dims(c.attrs.get<RepeatParam>(), c.in_shapes[0], false), 0, 0,
                                       dtype_size(c.in_types[0])));
      });
  backward_like("_backward_repeat")
      .params(params())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("repeat", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return sum_kernel(c, repeat_dims(c.attrs.get<RepeatParam>(), c.out_shapes[0], true));
      });
}

MXNET_REGISTER(diag) {
  const auto params = [] {
    return Params<DiagParam>()
        .field("k", &DiagParam::k, "The diagonal: 0 the main one, above it positive, below it negative.")
        .field("axis1", &DiagParam::axis1, "The axis of the rows.")
        .field("axis2", &DiagParam::axis2, "The axis of the columns.");
  };
  register_op("diag")
      .doc("The diagonal of a matrix (or of many), or the matrix that has a vector as its diagonal.")
      .params(params())
      .infer_shape(infer_diag)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_diag", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        return diag_kernel(c, c.in_shapes[0].ndim() > 1, matrix_axes(c.attrs.get<DiagParam>(), c.in_shapes[0]));
      });
  backward_like("_backward_diag")
      .params(params())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("diag", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return diag_kernel(c, c.out_shapes[0].ndim() == 1, matrix_axes(c.attrs.get<DiagParam>(), c.out_shapes[0]));
      });
}

}  // namespace mxnet
