// slice, slice_axis, slice_like, Crop and the assignments _slice_assign and _slice_assign_scalar.
#include <cstring>

#include "ops/shape/common.h"

namespace mxnet {
namespace {

struct SliceParam {
  OptionalTuple begin, end, step;
};
struct SliceAssignScalarParam {
  double scalar = 0;
  OptionalTuple begin, end, step;
};
struct SliceAxisParam {
  int axis;
  int begin;
  std::optional<int32_t> end;
};
struct SliceLikeParam {
  Shape axes = Shape::scalar();
};
struct CropParam {
  int num_args;
  Shape offset{0, 0};
  Shape h_w{0, 0};
  bool center_crop = false;
};

// Unknown dimensions of `shape` give unknown sizes.
template <class P>
Region slice_region(const P& p, const Shape& shape) {
  const auto rank = static_cast<size_t>(shape.ndim());
  require(p.begin.size() <= rank && p.end.size() == p.begin.size(), "operator slice: begin (", p.begin.size(),
          " numbers) and end (", p.end.size(), " numbers) do not fit an array of shape ", shape);
  require(p.step.size() == 0 || p.step.size() == p.begin.size(), "operator slice: step has ", p.step.size(),
          " numbers, begin has ", p.begin.size());
  Region region = whole_region(shape);
  for (size_t i = 0; i < p.begin.size(); ++i) {
    if (shape[i] >= 0)
      slice_axis_region(p.begin.at(i), p.end.at(i), p.step.at(i), shape[i], static_cast<int>(i), region);
  }
  return region;
}

Region slice_axis_of(const SliceAxisParam& p, const Shape& shape) {
  const int axis = normalize_axis(p.axis, shape.ndim(), "slice_axis");
  Region region = whole_region(shape);
  const int64_t n = shape[axis];
  if (n < 0) return region;
  const int64_t begin = p.begin < 0 ? p.begin + n : p.begin;
  const int64_t end = !p.end ? n : *p.end < 0 ? *p.end + n : *p.end;
  require(begin >= 0 && begin <= n && end >= 0 && end <= n, "operator slice_axis: begin=", p.begin,
          " and end=", p.end ? std::to_string(*p.end) : "None", " do not fit axis ", axis, " of size ", n);
  require(begin < end || n == 0, "operator slice_axis: begin=", begin, " must lie before end=", end);
  region.begin[axis] = begin;
  region.size[axis] = end - begin;
  return region;
}

Region slice_like_region(const SliceLikeParam& p, const Shape& shape, const Shape& like) {
  Region region = whole_region(shape);
  const auto cut = [&](int axis, int like_axis) {
    const int64_t n = like[like_axis];
    require(shape[axis] < 0 || n < 0 || n <= shape[axis], "operator slice_like: axis ", axis, " with size ", n,
            " exceeds the size ", shape[axis], " of the input");
    region.size[axis] = n;
  };
  if (p.axes.ndim() <= 0) {
    require(shape.ndim() == like.ndim(), "operator slice_like: without axes the inputs must have the same number of ",
            "dimensions, got shapes ", shape, " and ", like);
    for (int i = 0; i < shape.ndim(); ++i) cut(i, i);
  } else {
    for (int64_t axis : p.axes) {
      cut(normalize_axis(axis, shape.ndim(), "slice_like"), normalize_axis(axis, like.ndim(), "slice_like"));
    }
  }
  return region;
}

Region crop_region(const CropParam& p, const Shape& shape, const Shape* like) {
  require(shape.ndim() == 4, "operator Crop: data must have 4 dimensions, not shape ", shape);
  require(p.offset.ndim() == 2 && p.h_w.ndim() == 2, "operator Crop: offset and h_w must have two numbers");
  Region region = whole_region(shape);
  for (int i = 0; i < 2; ++i) {
    const int axis = i + 2;
    const int64_t size = like ? (*like)[axis] : p.h_w[i];
    region.size[axis] = size;
    if (size < 0 || shape[axis] < 0) continue;
    region.begin[axis] = p.center_crop ? (shape[axis] - size) / 2 : p.offset[i];
    require(region.begin[axis] >= 0 && size > 0 && region.begin[axis] + size <= shape[axis],
            "operator Crop: a crop of size ", size, " at offset ", region.begin[axis], " leaves axis ", axis,
            " of shape ", shape);
  }
  return region;
}

Region crop_region(const CropParam& p, const ShapeVec& in, size_t first) {
  if (in.size() - first < 2) return crop_region(p, in[first], nullptr);
  require(!in[first + 1].ndim_known() || in[first + 1].ndim() == 4,
          "operator Crop: crop_like must have 4 dimensions, not shape ", in[first + 1]);
  return crop_region(p, in[first], &in[first + 1]);
}

// Copies input 0 into output 0 unless they are the same memory.
void copy_whole(const KernelArgs& a, size_t bytes) {
  if (a.in[0] != a.out[0]) std::memcpy(a.out[0], a.in[0], bytes);
}

// The gradient operator of a slice: input 0 the output gradient, input 1 an array of the shape of the data.
OpDef& backward_slice(const char* name) {
  return register_op(name)
      .internal()
      .inputs({"ograd", "data"})
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type);
}

}  // namespace

MXNET_REGISTER(slice) {
  const auto params = [] {
    return Params<SliceParam>()
        .required("begin", &SliceParam::begin, "First index of each axis; None for its start.")
        .required("end", &SliceParam::end, "End of each axis, exclusive; None for its end.")
        .field("step", &SliceParam::step, "Step of each axis; may be negative.");
  };
  register_op("slice")
      .alias({"crop", "_sparse_slice", "_npi_slice", "_npx_slice"})
      .doc("A region of an array, given by begin, end and step of the leading axes.")
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (in[0].ndim_known()) assign_shape(out[0], slice_region(attrs.get<SliceParam>(), in[0]).size);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_slice", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        const Region region = slice_region(c.attrs.get<SliceParam>(), c.in_shapes[0]);
        return copy_kernel(gather_region(c.in_shapes[0], region, dtype_size(c.in_types[0])));
      });
  backward_slice("_backward_slice")
      .params(params())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("slice", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return region_gradient_kernel(c, slice_region(c.attrs.get<SliceParam>(), c.out_shapes[0]));
      });
  register_op("_slice_assign")
      .alias({"_crop_assign", "_npi_slice_assign"})
      .doc("lhs with the region begin:end:step replaced by rhs.")
      .inputs({"lhs", "rhs"})
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        if (in[0].ndim_known())
          assign_shape(in[1], slice_region(attrs.get<SliceParam>(), in[0]).size, "rhs of _slice_assign");
      })
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel([](const KernelContext& c) -> Kernel {
        const size_t width = dtype_size(c.out_types[0]);
        const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * width;
        const Region region = slice_region(c.attrs.get<SliceParam>(), c.in_shapes[0]);
        return {[copy = scatter_region(c.in_shapes[0], region, width), bytes](const KernelArgs& a) {
          copy_whole(a, bytes);
          copy.run(a.in[1], a.out[0]);
        }};
      });
  register_op("_slice_assign_scalar")
      .alias({"_crop_assign_scalar", "_npi_slice_assign_scalar"})
      .doc("data with the region begin:end:step set to a number.")
      .params(Params<SliceAssignScalarParam>()
                  .field("scalar", &SliceAssignScalarParam::scalar, "The number to write.")
                  .required("begin", &SliceAssignScalarParam::begin, "First index of each axis; None for its start.")
                  .required("end", &SliceAssignScalarParam::end, "End of each axis, exclusive; None for its end.")
                  .field("step", &SliceAssignScalarParam::step, "Step of each axis; may be negative."))
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .inplace(0, 0)
      .kernel([](const KernelContext& c) -> Kernel {
        const auto& p = c.attrs.get<SliceAssignScalarParam>();
        const Region region = slice_region(p, c.in_shapes[0]);
        const size_t width = dtype_size(c.out_types[0]);
        const size_t bytes = static_cast<size_t>(c.out_shapes[0].size()) * width;
        std::vector<StrideDim> dims;
        int64_t offset = 0;
        const auto strides = row_major_strides(c.in_shapes[0]);
        for (int i = 0; i < c.in_shapes[0].ndim(); ++i) {
          dims.push_back({region.size[i], 0, region.step[i] * strides[i]});
          offset += region.begin[i] * strides[i];
        }
        return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          return {[fill = StridedCopy(std::move(dims), 0, offset, width), bytes,
                   value = static_cast<T>(p.scalar)](const KernelArgs& a) {
            copy_whole(a, bytes);
            fill.run(&value, a.out[0]);
          }};
        });
      });
}

MXNET_REGISTER(slice_axis) {
  const auto params = [] {
    return Params<SliceAxisParam>()
        .required("axis", &SliceAxisParam::axis, "The axis to cut.")
        .required("begin", &SliceAxisParam::begin, "First index; negative counts from the end.")
        .required("end", &SliceAxisParam::end, "End, exclusive; None for the end of the axis.");
  };
  register_op("slice_axis")
      .doc("A stretch of an array along one axis.")
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (in[0].ndim_known()) assign_shape(out[0], slice_axis_of(attrs.get<SliceAxisParam>(), in[0]).size);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_slice_axis", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) {
        const Region region = slice_axis_of(c.attrs.get<SliceAxisParam>(), c.in_shapes[0]);
        return copy_kernel(gather_region(c.in_shapes[0], region, dtype_size(c.in_types[0])));
      });
  backward_slice("_backward_slice_axis")
      .params(params())
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("slice_axis", {g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        return region_gradient_kernel(c, slice_axis_of(c.attrs.get<SliceAxisParam>(), c.out_shapes[0]));
      });
}

MXNET_REGISTER(slice_like) {
  const auto params = [] {
    return Params<SliceLikeParam>().field("axes", &SliceLikeParam::axes, "The axes to cut. Default: all.");
  };
  register_op("slice_like")
      .doc("The leading part of data that has the sizes of shape_like along the given axes.")
      .inputs({"data", "shape_like"})
      .params(params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known() || !in[1].ndim_known()) return;
        assign_shape(out[0], slice_like_region(attrs.get<SliceLikeParam>(), in[0], in[1]).size);
      })
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
      })
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_slice_like", {g.out_grad(), g.input(0)}, g.parameters()), Entry{}};
      })
      .kernel([](const KernelContext& c) {
        const Region region = slice_like_region(c.attrs.get<SliceLikeParam>(), c.in_shapes[0], c.in_shapes[1]);
        return copy_kernel(gather_region(c.in_shapes[0], region, dtype_size(c.in_types[0])));
      });
  backward_slice("_backward_slice_like").params(params()).kernel([](const KernelContext& c) {
    Region region = whole_region(c.out_shapes[0]);
    region.size = c.in_shapes[0];
    return region_gradient_kernel(c, region);
  });
}

MXNET_REGISTER(crop) {
  const auto params = [] {
    return Params<CropParam>()
        .required("num_args", &CropParam::num_args, "Number of inputs: 1, or 2 with an array of the wanted size.")
        .range(1, 2)
        .field("offset", &CropParam::offset, "Row and column at which the crop starts.")
        .field("h_w", &CropParam::h_w, "Height and width of the crop when there is one input.")
        .field("center_crop", &CropParam::center_crop, "Crop the centre instead of starting at offset.");
  };
  register_op("Crop")
      .doc("Cuts an NCHW array to a height and width, given by h_w or by the second input.")
      .params(params())
      .variadic("data", "num_args", [](const Attrs& attrs) { return attrs.get<CropParam>().num_args; })
      .documented_inputs({{"data", "Symbol or Symbol[]"}})
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known() || (in.size() > 1 && !in[1].ndim_known())) return;
        assign_shape(out[0], crop_region(attrs.get<CropParam>(), in, 0).size);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> args{g.out_grad()};
        args.insert(args.end(), node->inputs.begin(), node->inputs.end());
        std::vector<Entry> grads(node->inputs.size());
        grads[0] = g.op("_backward_Crop", std::move(args), g.parameters());
        return grads;
      })
      .kernel([](const KernelContext& c) {
        return copy_kernel(gather_region(c.in_shapes[0], crop_region(c.attrs.get<CropParam>(), c.in_shapes, 0),
                                         dtype_size(c.in_types[0])));
      });
  register_op("_backward_Crop")
      .internal()
      .params(params())
      .variadic("data", "num_args", [](const Attrs& attrs) { return attrs.get<CropParam>().num_args + 1; })
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) {
        return region_gradient_kernel(c, crop_region(c.attrs.get<CropParam>(), c.in_shapes, 1));
      });
}

}  // namespace mxnet
