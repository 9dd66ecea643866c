// sort, argsort and topk: one kernel that ranks lines and writes values, positions or a mask.
#include <cstring>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "ops/ordering/order.h"

namespace mxnet {
namespace {

enum ReturnType { kIndices, kValue, kMask, kBoth };

struct SortParam {
  std::optional<int32_t> axis = -1;
  bool is_ascend = true;
};

struct ArgsortParam {
  std::optional<int32_t> axis = -1;
  bool is_ascend = true;
  int dtype = 0;
};

struct TopkParam {
  std::optional<int32_t> axis = -1;
  int32_t k = 1;
  int ret_typ = kIndices;
  bool is_ascend = false;
  int dtype = 0;
};

struct BackwardTopkParam {
  std::optional<int32_t> axis = -1;
};

std::vector<EnumChoice> index_types() { return dtype_choices({0, 1, 2, 3, 4, 6}); }

// What one call produces. Output numbers are -1 where an output is not wanted.
struct Job {
  Lines lines;
  int64_t k = 0;
  bool ascend = true;
  int values = -1, indices = -1, mask = -1;
  DType index_type = DType::kFloat32;
};

template <class T>
void store_index(void* out, DType type, int64_t at, T value) {
  switch (type) {
    case DType::kFloat64: static_cast<double*>(out)[at] = static_cast<double>(value); break;
    case DType::kFloat16: static_cast<half*>(out)[at] = half(static_cast<float>(value)); break;
    case DType::kUint8: static_cast<uint8_t*>(out)[at] = static_cast<uint8_t>(value); break;
    case DType::kInt32: static_cast<int32_t*>(out)[at] = static_cast<int32_t>(value); break;
    case DType::kInt64: static_cast<int64_t*>(out)[at] = value; break;
    default: static_cast<float*>(out)[at] = static_cast<float>(value); break;
  }
}

// Types are ranked in a type that holds them exactly, to keep the number of sorts small.
template <class T> struct RankType { using type = int32_t; };
template <> struct RankType<float> { using type = float; };
template <> struct RankType<half> { using type = float; };
template <> struct RankType<bfloat16> { using type = float; };
template <> struct RankType<double> { using type = double; };
template <> struct RankType<int64_t> { using type = int64_t; };

template <class T>
Kernel rank_kernel(const Job& job) {
  using R = typename RankType<T>::type;
  const int64_t chunks = std::max<int64_t>(1, std::min<int64_t>(max_threads(), job.lines.count()));
  const size_t chunk_bytes = static_cast<size_t>(job.lines.length) * sizeof(Ranked<R>);
  const int64_t total = job.lines.count() * job.lines.length;
  Kernel kernel;
  kernel.workspace_bytes = chunk_bytes * static_cast<size_t>(chunks);
  kernel.run = [job, chunks, chunk_bytes, total](const KernelArgs& a) {
    const Lines& lines = job.lines;
    if (job.mask >= 0) std::memset(a.out[job.mask], 0, static_cast<size_t>(total) * sizeof(T));
    parallel_for(chunks, total / chunks * 8, [&](int64_t first, int64_t last) {
      for (int64_t chunk = first; chunk < last; ++chunk) {
        auto* items = reinterpret_cast<Ranked<R>*>(static_cast<char*>(a.workspace) + chunk * chunk_bytes);
        const int64_t end = lines.count() * (chunk + 1) / chunks;
        for (int64_t line = lines.count() * chunk / chunks; line < end; ++line) {
          const int64_t start = lines.start(line);
          const T* x = a.input<T>(0) + start;
          for (int64_t j = 0; j < lines.length; ++j) {
            items[j] = {static_cast<R>(x[j * lines.inner]), static_cast<int32_t>(j)};
          }
          rank(items, lines.length, job.k, job.ascend);
          const int64_t out = line / lines.inner * job.k * lines.inner + line % lines.inner;
          for (int64_t j = 0; j < job.k; ++j) {
            const int64_t at = out + j * lines.inner;
            if (job.values >= 0) a.output<T>(job.values)[at] = static_cast<T>(items[j].value);
            if (job.indices >= 0) store_index(a.out[job.indices], job.index_type, at, int64_t{items[j].index});
            if (job.mask >= 0) a.output<T>(job.mask)[start + items[j].index * lines.inner] = static_cast<T>(1);
          }
        }
      }
    });
  };
  return kernel;
}

Kernel make_rank_kernel(const KernelContext& c, const Job& job) {
  require(job.lines.length < int64_t{1} << 31, "an axis of ", job.lines.length, " elements is too long to order");
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel { return rank_kernel<typename decltype(tag)::type>(job); });
}

// k of an axis: 0 or less means all of it.
int64_t resolve_k(int32_t k, int64_t length) {
  const int64_t count = k <= 0 ? length : k;
  require(count <= length, "topk: k must be smaller than ", length, ", get k = ", k);
  return count;
}

Shape ordered_shape(const Shape& in, const std::optional<int32_t>& axis, int32_t k, const char* op) {
  if (!axis) return Shape{resolve_k(k, in.size())};
  const int a = normalize_axis(*axis, in.ndim(), op);
  Shape out = in;
  out[a] = resolve_k(k, in[a]);
  return out;
}

std::string axis_text(const std::optional<int32_t>& axis) { return axis ? std::to_string(*axis) : "None"; }

// The gradient of ordered values goes back to where they came from.
std::vector<Entry> scatter_gradient(const NodePtr& node, const std::vector<Entry>& out_grads,
                                    const std::optional<int32_t>& axis) {
  const GradientBuilder g(node, out_grads);
  if (!g.has_out_grad(0)) return {Entry{}};
  return {g.op("_backward_topk", {g.out_grad(0), g.input(0), g.output(1)}, {{"axis", axis_text(axis)}})};
}

int64_t load_index(const void* data, DType type, int64_t at) {
  switch (type) {
    case DType::kFloat64: return static_cast<int64_t>(static_cast<const double*>(data)[at]);
    case DType::kFloat16: return static_cast<int64_t>(static_cast<float>(static_cast<const half*>(data)[at]));
    case DType::kUint8: return static_cast<const uint8_t*>(data)[at];
    case DType::kInt32: return static_cast<const int32_t*>(data)[at];
    case DType::kInt64: return static_cast<const int64_t*>(data)[at];
    default: return static_cast<int64_t>(static_cast<const float*>(data)[at]);
  }
}

// Moves elements of one width, whatever they mean.
template <class Word>
Kernel scatter_kernel(const Lines& lines, int64_t k, DType index_type) {
  return {[lines, k, index_type](const KernelArgs& a) {
    const Word* grad = a.input<Word>(0);
    Word* out = a.output<Word>(0);
    std::memset(out, 0, static_cast<size_t>(lines.count() * lines.length) * sizeof(Word));
    parallel_for(lines.count(), k * 2, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t from = line / lines.inner * k * lines.inner + line % lines.inner;
        for (int64_t j = 0; j < k; ++j) {
          const int64_t at = load_index(a.in[2], index_type, from + j * lines.inner);
          if (at < 0 || at >= lines.length) continue;  // a position that its type could not hold
          out[lines.start(line) + at * lines.inner] = grad[from + j * lines.inner];
        }
      }
    });
  }, 0};
}

MXNET_REGISTER(sort) {
  register_op("sort")
      .alias({"_npi_sort"})
      .doc("Sorts the elements along an axis; without an axis those of the flattened array.")
      .params(Params<SortParam>()
                  .field("axis", &SortParam::axis, "Axis to sort along; None for the flattened array.")
                  .field("is_ascend", &SortParam::is_ascend, "Whether the smallest element comes first."))
      .outputs(2)
      .visible_outputs(1)
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].known()) return;
        const Shape shape = ordered_shape(in[0], attrs.get<SortParam>().axis, 0, "sort");
        assign_shape(out[0], shape);
        assign_shape(out[1], shape);
      })
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
        assign_type(out[1], DType::kInt32);
      })
      .gradient([](const NodePtr& node, const std::vector<Entry>& grads) {
        return scatter_gradient(node, grads, node->attrs.get<SortParam>().axis);
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<SortParam>();
        Job job{lines_along(c.in_shapes[0], p.axis, "sort")};
        job.k = job.lines.length;
        job.ascend = p.is_ascend;
        job.values = 0;
        job.indices = 1;
        job.index_type = DType::kInt32;
        return make_rank_kernel(c, job);
      });

  register_op("argsort")
      .alias({"_npi_argsort"})
      .doc("Positions that sort the elements along an axis.")
      .params(Params<ArgsortParam>()
                  .field("axis", &ArgsortParam::axis, "Axis to sort along; None for the flattened array.")
                  .field("is_ascend", &ArgsortParam::is_ascend, "Whether the smallest element comes first.")
                  .enumeration("dtype", &ArgsortParam::dtype, index_types(), "Type of the positions."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (in[0].known()) assign_shape(out[0], ordered_shape(in[0], attrs.get<ArgsortParam>().axis, 0, "argsort"));
      })
      .infer_type([](const Attrs& attrs, DTypeVec&, DTypeVec& out) {
        assign_type(out[0], static_cast<DType>(attrs.get<ArgsortParam>().dtype));
      })
      .zero_gradient()
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<ArgsortParam>();
        Job job{lines_along(c.in_shapes[0], p.axis, "argsort")};
        job.k = job.lines.length;
        job.ascend = p.is_ascend;
        job.indices = 0;
        job.index_type = c.out_types[0];
        return make_rank_kernel(c, job);
      });
}

MXNET_REGISTER(topk) {
  const auto two_outputs = [](const Attrs& attrs) {
    const int ret = attrs.get<TopkParam>().ret_typ;
    return ret == kValue || ret == kBoth ? 2 : 1;
  };
  register_op("topk")
      .alias({"_npx_topk"})
      .doc("The k largest (or smallest) elements along an axis: their positions, values, both, or a mask of them.")
      .params(Params<TopkParam>()
                  .field("axis", &TopkParam::axis, "Axis to choose along; None for the flattened array.")
                  .field("k", &TopkParam::k, "How many to choose; 0 or less for all.")
                  .enumeration("ret_typ", &TopkParam::ret_typ,
                               {{"value", kValue}, {"indices", kIndices}, {"mask", kMask}, {"both", kBoth}},
                               "What to return: values, positions, a 0/1 mask of the input's shape, or values and positions.")
                  .field("is_ascend", &TopkParam::is_ascend, "Whether to choose the smallest, smallest first.")
                  .enumeration("dtype", &TopkParam::dtype, index_types(), "Type of the positions."))
      .outputs(two_outputs)
      .visible_outputs([](const Attrs& attrs) { return attrs.get<TopkParam>().ret_typ == kBoth ? 2 : 1; })
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        if (!in[0].known()) return;
        const auto& p = attrs.get<TopkParam>();
        Shape shape = ordered_shape(in[0], p.axis, p.k, "topk");
        if (p.ret_typ == kMask) shape = in[0];
        for (Shape& slot : out) assign_shape(slot, shape);
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        const auto& p = attrs.get<TopkParam>();
        const DType index = static_cast<DType>(p.dtype);
        if (p.ret_typ == kIndices) {
          assign_type(out[0], index);
          return;
        }
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
        if (p.ret_typ != kMask) assign_type(out[1], index);
      })
      .gradient([](const NodePtr& node, const std::vector<Entry>& grads) {
        const auto& p = node->attrs.get<TopkParam>();
        if (p.ret_typ != kValue && p.ret_typ != kBoth) return std::vector<Entry>(1);
        return scatter_gradient(node, grads, p.axis);
      })
      .kernel([](const KernelContext& c) {
        const auto& p = c.attrs.get<TopkParam>();
        Job job{lines_along(c.in_shapes[0], p.axis, "topk")};
        job.k = resolve_k(p.k, job.lines.length);
        job.ascend = p.is_ascend;
        if (p.ret_typ == kMask) job.mask = 0;
        if (p.ret_typ == kIndices) job.indices = 0;
        if (p.ret_typ == kValue || p.ret_typ == kBoth) job.values = 0, job.indices = 1;
        if (job.indices >= 0) job.index_type = c.out_types[job.indices];
        return make_rank_kernel(c, job);
      });

  register_op("_backward_topk")
      .internal()
      .inputs({"ograd", "data", "indices"})
      .params(Params<BackwardTopkParam>().field("axis", &BackwardTopkParam::axis, "Axis of the forward operator."))
      .infer_shape(shape_like_inputs({1}))
      .infer_type(type_like_inputs({0}))
      .gradient([](const NodePtr& node, const std::vector<Entry>&) { return std::vector<Entry>(node->inputs.size()); })
      .kernel([](const KernelContext& c) -> Kernel {
        const Lines lines = lines_along(c.in_shapes[1], c.attrs.get<BackwardTopkParam>().axis, "topk");
        const int64_t k = lines.count() ? c.in_shapes[0].size() / lines.count() : 0;
        switch (dtype_size(c.out_types[0])) {
          case 1: return scatter_kernel<uint8_t>(lines, k, c.in_types[2]);
          case 2: return scatter_kernel<uint16_t>(lines, k, c.in_types[2]);
          case 4: return scatter_kernel<uint32_t>(lines, k, c.in_types[2]);
          default: return scatter_kernel<uint64_t>(lines, k, c.in_types[2]);
        }
      });
}

}  // namespace
}  // namespace mxnet
