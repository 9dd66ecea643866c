// Sorting along an axis: sort, argsort, topk.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

enum ReturnType { kValue, kIndices, kMask, kBoth };

struct TopKParam {
  std::optional<int> axis = -1;
  int k = 1;
  int ret_typ = kIndices;
  bool is_ascend = false;
  int dtype = 0;
};

struct SortParam {
  std::optional<int> axis = -1;
  bool is_ascend = true;
};

struct ArgsortParam {
  std::optional<int> axis = -1;
  bool is_ascend = true;
  int dtype = 0;
};

// The sorted axis of an array seen as (outer, size, inner); no axis: the whole array.
struct Axis {
  int64_t outer = 1, size = 1, inner = 1;
  int axis = 0;
};

Axis axis_of(const Shape& shape, const std::optional<int>& axis, const char* name) {
  Axis a;
  if (!axis) {
    a.size = shape.size();
    return a;
  }
  a.axis = normalize_axis(*axis, shape.ndim(), name);
  a.outer = shape.product(0, a.axis);
  a.size = shape[a.axis];
  a.inner = shape.product(a.axis + 1, shape.ndim());
  return a;
}

// 0 (or less) means all.
int64_t count_of(int64_t k, int64_t size) {
  require(k <= size, "topk: k must be at most ", size, ", got ", k);
  return k > 0 ? k : size;
}

template <class T>
bool is_nan(T v) {
  if constexpr (std::is_integral_v<T>) return false;
  else return v != v;
}

// Stable order of elements; NaN comes last when ascending and first when descending, as in NumPy.
template <class C>
struct Before {
  const C* keys;
  bool ascend;
  bool operator()(int64_t a, int64_t b) const {
    const C x = keys[a], y = keys[b];
    const bool less = x < y || (!is_nan(x) && is_nan(y));
    const bool more = y < x || (!is_nan(y) && is_nan(x));
    if (ascend ? less : more) return true;
    if (ascend ? more : less) return false;
    return a < b;
  }
};

struct SortSpec {
  Axis axis;
  int64_t k;
  bool ascend;
  int values = -1, indices = -1, mask = -1;  // which output holds them
  DType index_type = DType::kInt64;
};

// Each row needs its keys and the order of their positions: that is the workspace, one piece a row that may run.
template <class T>
Kernel make_sort_kernel(const SortSpec& spec) {
  using C = compute_t<T>;
  const int64_t rows = spec.axis.outer * spec.axis.inner;
  const int64_t piece = spec.axis.size * static_cast<int64_t>(sizeof(int64_t) + std::max(sizeof(C), sizeof(int64_t)));
  const int64_t lanes = std::min<int64_t>(rows, spec.axis.size * rows >= 4096 ? 16 : 1);
  const auto index_size = static_cast<int64_t>(dtype_size(spec.index_type));
  return {[=](const KernelArgs& args) {
            const T* x = args.input<T>(0);
            const Axis& a = spec.axis;
            parallel_for(lanes, rows * a.size * 20 / std::max<int64_t>(1, lanes), [&](int64_t first, int64_t last) {
              for (int64_t lane = first; lane < last; ++lane) {
                int64_t* order = reinterpret_cast<int64_t*>(static_cast<char*>(args.workspace) + lane * piece);
                C* keys = reinterpret_cast<C*>(order + a.size);
                for (int64_t r = rows * lane / lanes; r < rows * (lane + 1) / lanes; ++r) {
                  const int64_t base = r / a.inner * a.size * a.inner + r % a.inner;
                  const int64_t out_base = r / a.inner * spec.k * a.inner + r % a.inner;
                  for (int64_t i = 0; i < a.size; ++i) keys[i] = static_cast<C>(x[base + i * a.inner]);
                  std::iota(order, order + a.size, int64_t{0});
                  const Before<C> before{keys, spec.ascend};
                  if (spec.k < a.size) {
                    std::partial_sort(order, order + spec.k, order + a.size, before);
                  } else {
                    std::sort(order, order + a.size, before);
                  }
                  if (spec.values >= 0) {
                    T* y = args.output<T>(static_cast<size_t>(spec.values));
                    for (int64_t i = 0; i < spec.k; ++i) y[out_base + i * a.inner] = static_cast<T>(keys[order[i]]);
                  }
                  if (spec.indices >= 0) {
                    char* y = args.output<char>(static_cast<size_t>(spec.indices));
                    for (int64_t i = 0; i < spec.k; ++i) {
                      convert_elements(&order[i], DType::kInt64, y + (out_base + i * a.inner) * index_size, spec.index_type, 1);
                    }
                  }
                  if (spec.mask >= 0) {
                    T* y = args.output<T>(static_cast<size_t>(spec.mask));
                    for (int64_t i = 0; i < a.size; ++i) y[base + i * a.inner] = T(0);
                    for (int64_t i = 0; i < spec.k; ++i) y[base + order[i] * a.inner] = T(1);
                  }
                }
              }
            });
          },
          static_cast<size_t>(piece * lanes)};
}

Kernel make_kernel(const SortSpec& spec, DType type) {
  if (spec.axis.outer * spec.axis.inner * spec.axis.size == 0) return {[](const KernelArgs&) {}};
  return visit_dtype(type, [&](auto tag) { return make_sort_kernel<typename decltype(tag)::type>(spec); });
}

// The gradient of sorted values: each goes back to where its value came from. Inputs: gradient, positions, like.
struct ScatterParam {
  std::optional<int> axis = -1;
};

Kernel make_scatter_kernel(const KernelContext& c) {
  const Shape& shape = c.out_shapes[0];
  const Axis a = axis_of(shape, c.attrs.get<ScatterParam>().axis, "_backward_topk");
  const int64_t rows = a.outer * a.inner;
  const int64_t k = rows > 0 ? c.in_shapes[0].size() / rows : 0;
  const DType index_type = c.in_types[1];
  const auto index_size = static_cast<int64_t>(dtype_size(index_type));
  const int64_t n = shape.size();
  return visit_dtype(c.out_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* g = args.input<T>(0);
      const char* indices = args.input<char>(1);
      T* y = args.output<T>(0);
      std::fill_n(y, n, T(0));
      parallel_for(rows, 5 * k, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const int64_t base = r / a.inner * a.size * a.inner + r % a.inner;
          const int64_t from = r / a.inner * k * a.inner + r % a.inner;
          for (int64_t i = 0; i < k; ++i) {
            int64_t position = 0;
            convert_elements(indices + (from + i * a.inner) * index_size, index_type, &position, DType::kInt64, 1);
            if (position >= 0 && position < a.size) y[base + position * a.inner] = g[from + i * a.inner];
          }
        }
      });
    }};
  });
}

Shape topk_shape(const Shape& in, const TopKParam& p) {
  if (p.ret_typ == kMask) return in;
  if (!p.axis) return in.known() ? Shape{count_of(p.k, in.size())} : Shape{-1};
  Shape out = in;
  const int axis = normalize_axis(*p.axis, in.ndim(), "topk");
  if (in[axis] >= 0) out[axis] = count_of(p.k, in[axis]);
  return out;
}

int topk_outputs(const Attrs& attrs) {
  const int type = attrs.get<TopKParam>().ret_typ;
  return type == kValue || type == kBoth ? 2 : 1;
}

AttrDict axis_dict(const AttrDict& dict) {
  AttrDict kept;
  if (const auto it = dict.find("axis"); it != dict.end()) kept.insert(*it);
  return kept;
}

std::vector<Entry> scatter_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  if (!g.has_out_grad(0)) return {Entry{}};
  return {g.op("_backward_topk", {g.out_grad(0), g.output(1), g.input(0)}, axis_dict(g.dict()))};
}

const char kAxisDoc[] = "Axis to sort; the flattened array when None.";

void declare_topk() {
  register_op("topk").alias({"_npx_topk"}).doc("The k largest (or smallest) elements along an axis, in order.")
      .params(Params<TopKParam>()
                  .field("axis", &TopKParam::axis, kAxisDoc)
                  .field("k", &TopKParam::k, "How many; below 1: all.")
                  .enumeration("ret_typ", &TopKParam::ret_typ,
                               {{"both", kBoth}, {"indices", kIndices}, {"mask", kMask}, {"value", kValue}},
                               "Values, their positions, both, or an array that marks them.")
                  .field("is_ascend", &TopKParam::is_ascend, "The smallest instead of the largest.")
                  .enumeration("dtype", &TopKParam::dtype, dtype_choices({2, 0, 1, 4, 6, 3}), "Type of the positions."))
      .outputs(topk_outputs)
      .visible_outputs([](const Attrs& attrs) { return attrs.get<TopKParam>().ret_typ == kBoth ? 2 : 1; })
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        for (Shape& s : out) assign_shape(s, topk_shape(in[0], attrs.get<TopKParam>()));
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        const auto& p = attrs.get<TopKParam>();
        const DType index_type = static_cast<DType>(p.dtype);
        if (p.ret_typ == kIndices) {
          assign_type(out[0], index_type);
          return;
        }
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
        if (out.size() > 1) assign_type(out[1], index_type);
      })
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        if (topk_outputs(node->attrs) == 1) return std::vector<Entry>{Entry{}};
        return scatter_gradient(node, ograds);
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<TopKParam>();
        SortSpec spec{axis_of(c.in_shapes[0], p.axis, "topk"), 0, p.is_ascend};
        spec.k = count_of(p.k, spec.axis.size);
        if (p.ret_typ == kMask) {
          spec.mask = 0;
        } else if (p.ret_typ == kIndices) {
          spec.indices = 0;
        } else {
          spec.values = 0;
          spec.indices = 1;
        }
        spec.index_type = static_cast<DType>(p.dtype);
        return make_kernel(spec, c.in_types[0]);
      });
}

template <class P>
void infer_sorted_shape(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  if (!in[0].ndim_known()) return;
  const auto& axis = attrs.get<P>().axis;
  if (axis) normalize_axis(*axis, in[0].ndim(), "sort");
  const Shape shape = axis ? in[0] : Shape{in[0].known() ? in[0].size() : -1};
  for (Shape& s : out) assign_shape(s, shape);
}

}  // namespace

MXNET_REGISTER(ordering) {
  declare_topk();

  register_op("sort").alias({"_npi_sort"}).doc("The elements in order along an axis.")
      .params(Params<SortParam>().field("axis", &SortParam::axis, kAxisDoc)
                  .field("is_ascend", &SortParam::is_ascend, "Smallest first."))
      .outputs(2).visible_outputs(1).infer_shape(infer_sorted_shape<SortParam>)
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
        assign_type(out[1], DType::kInt64);
      })
      .gradient(scatter_gradient)
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<SortParam>();
        SortSpec spec{axis_of(c.in_shapes[0], p.axis, "sort"), 0, p.is_ascend};
        spec.k = spec.axis.size;
        spec.values = 0;
        spec.indices = 1;
        return make_kernel(spec, c.in_types[0]);
      });

  register_op("argsort").alias({"_npi_argsort"}).doc("The positions of the elements in order along an axis.")
      .params(Params<ArgsortParam>().field("axis", &ArgsortParam::axis, kAxisDoc)
                  .field("is_ascend", &ArgsortParam::is_ascend, "Smallest first.")
                  .enumeration("dtype", &ArgsortParam::dtype, dtype_choices({2, 0, 1, 4, 6, 3}), "Type of the positions."))
      .infer_shape(infer_sorted_shape<ArgsortParam>)
      .infer_type([](const Attrs& attrs, DTypeVec&, DTypeVec& out) {
        assign_type(out[0], static_cast<DType>(attrs.get<ArgsortParam>().dtype));
      })
      .zero_gradient()
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<ArgsortParam>();
        SortSpec spec{axis_of(c.in_shapes[0], p.axis, "argsort"), 0, p.is_ascend};
        spec.k = spec.axis.size;
        spec.indices = 0;
        spec.index_type = static_cast<DType>(p.dtype);
        return make_kernel(spec, c.in_types[0]);
      });

  register_op("_backward_topk").internal().inputs({"ograd", "indices", "like"})
      .params(Params<ScatterParam>().field("axis", &ScatterParam::axis, kAxisDoc))
      .infer_shape(shape_like_inputs({2})).infer_type(type_like_inputs({2})).kernel(make_scatter_kernel);
}

}  // namespace mxnet
