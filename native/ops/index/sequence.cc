// SequenceMask, SequenceLast, SequenceReverse: batches of sequences of different lengths.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "tensor/ndarray.h"

namespace mxnet {
namespace {

struct SequenceParam {
  bool use_sequence_length = false;
  int axis = 0;
};
struct MaskParam {
  bool use_sequence_length = false;
  float value = 0;
  int axis = 0;
};

// data is (time, batch, rest) for axis 0 and (batch, time, rest) for axis 1.
struct Sequences {
  int64_t time, batch, rest;
  int axis;
  bool has_length;
  DType length_type;
  int64_t offset(int64_t t, int64_t b) const { return (axis == 0 ? t * batch + b : b * time + t) * rest; }
  size_t workspace() const { return has_length ? static_cast<size_t>(batch) * sizeof(int64_t) : 0; }
  // Lengths within [0, time] in the workspace; null when every sequence is whole.
  const int64_t* lengths(const KernelArgs& a, size_t input) const {
    if (!has_length) return nullptr;
    auto* out = static_cast<int64_t*>(a.workspace);
    convert_elements(a.in[input], length_type, out, DType::kInt64, batch);
    for (int64_t b = 0; b < batch; ++b) out[b] = std::clamp<int64_t>(out[b], 0, time);
    return out;
  }
};

template <class P>
Sequences sequences(const P& p, const Shape& data, const std::vector<DType>& types, size_t length_input) {
  return {data[p.axis], data[1 - p.axis],      data.product(2, data.ndim()),
          p.axis,       p.use_sequence_length, p.use_sequence_length ? types[length_input] : DType::kInt64};
}

template <class P>
std::vector<std::string> sequence_inputs(const Attrs& attrs) {
  std::vector<std::string> names{"data"};
  if (!attrs.params || attrs.get<P>().use_sequence_length) names.emplace_back("sequence_length");
  return names;
}

// Checks data and gives the lengths their shape; `first` is the position of data.
template <class P>
bool infer_lengths(const P& p, const char* name, ShapeVec& in, int max_axis, size_t first = 0) {
  require(p.axis >= 0 && p.axis <= max_axis, "operator ", name, ": axis must be ", max_axis == 0 ? "0" : "0 or 1",
          ", not ", p.axis);
  const Shape& data = in[first];
  if (!data.ndim_known()) return false;
  require(data.ndim() >= 2, "operator ", name, ": data must have at least two dimensions, not shape ", data);
  if (p.use_sequence_length) assign_shape(in[first + 1], Shape{data[1 - p.axis]}, text("sequence_length of ", name));
  return true;
}

void infer_data_type(const Attrs&, DTypeVec& in, DTypeVec& out) {
  assign_type(out[0], in[0]);
  assign_type(in[0], out[0]);
  if (in.size() > 1 && in[1] == DType::kUnknown) in[1] = in[0];
}

// Steps beyond the length become `value`.
Kernel mask_kernel(const KernelContext& c, float value) {
  const auto& p = c.attrs.get<MaskParam>();
  const Sequences s = sequences(p, c.in_shapes[0], c.in_types, 1);
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const T fill = static_cast<T>(value);
    return {[=](const KernelArgs& a) {
              const T* x = a.input<T>(0);
              T* y = a.output<T>(0);
              const int64_t* lengths = s.lengths(a, 1);
              parallel_for(s.time * s.batch, s.rest, [=](int64_t begin, int64_t end) {
                for (int64_t k = begin; k < end; ++k) {
                  const int64_t t = s.axis == 0 ? k / s.batch : k % s.time;
                  const int64_t b = s.axis == 0 ? k % s.batch : k / s.time;
                  if (lengths && t >= lengths[b]) {
                    std::fill_n(y + k * s.rest, s.rest, fill);
                  } else if (x != y) {
                    std::memcpy(y + k * s.rest, x + k * s.rest, static_cast<size_t>(s.rest) * sizeof(T));
                  }
                }
              });
            },
            s.workspace()};
  });
}

Kernel last_kernel(const KernelContext& c) {
  const Sequences s = sequences(c.attrs.get<SequenceParam>(), c.in_shapes[0], c.in_types, 1);
  const size_t row = static_cast<size_t>(s.rest) * dtype_size(c.in_types[0]);
  const int64_t width = static_cast<int64_t>(dtype_size(c.in_types[0]));
  return {[=](const KernelArgs& a) {
            const int64_t* lengths = s.lengths(a, 1);
            for (int64_t b = 0; b < s.batch && s.time > 0; ++b) {
              const int64_t t = lengths ? std::max<int64_t>(lengths[b] - 1, 0) : s.time - 1;
              std::memcpy(a.output<char>(0) + static_cast<size_t>(b) * row, a.input<char>(0) + s.offset(t, b) * width,
                          row);
            }
          },
          s.workspace()};
}

// Inputs: output gradient, data, lengths.
Kernel last_backward_kernel(const KernelContext& c) {
  const Sequences s = sequences(c.attrs.get<SequenceParam>(), c.out_shapes[0], c.in_types, 2);
  const int64_t width = static_cast<int64_t>(dtype_size(c.out_types[0]));
  const size_t row = static_cast<size_t>(s.rest * width);
  const size_t bytes = static_cast<size_t>(c.out_shapes[0].size() * width);
  return {[=](const KernelArgs& a) {
            const int64_t* lengths = s.lengths(a, 2);
            std::memset(a.out[0], 0, bytes);
            for (int64_t b = 0; b < s.batch && s.time > 0; ++b) {
              const int64_t t = lengths ? std::max<int64_t>(lengths[b] - 1, 0) : s.time - 1;
              std::memcpy(a.output<char>(0) + s.offset(t, b) * width, a.input<char>(0) + static_cast<size_t>(b) * row,
                          row);
            }
          },
          s.workspace()};
}

Kernel reverse_kernel(const KernelContext& c) {
  const Sequences s = sequences(c.attrs.get<SequenceParam>(), c.in_shapes[0], c.in_types, 1);
  const int64_t row = s.rest * static_cast<int64_t>(dtype_size(c.in_types[0]));
  return {[=](const KernelArgs& a) {
            const char* x = a.input<char>(0);
            char* y = a.output<char>(0);
            const int64_t* lengths = s.lengths(a, 1);
            parallel_for(s.time * s.batch, row / 4 + 4, [=](int64_t begin, int64_t end) {
              for (int64_t k = begin; k < end; ++k) {
                const int64_t t = k / s.batch;
                const int64_t b = k % s.batch;
                const int64_t n = lengths ? lengths[b] : s.time;
                const int64_t from = t < n ? n - 1 - t : t;
                std::memcpy(y + k * row, x + (from * s.batch + b) * row, static_cast<size_t>(row));
              }
            });
          },
          s.workspace()};
}

Params<SequenceParam> sequence_params() {
  return Params<SequenceParam>()
      .field("use_sequence_length", &SequenceParam::use_sequence_length, "Read the lengths from the second input.")
      .field("axis", &SequenceParam::axis, "The axis of time.");
}

// `op`(out_grad, sequence_length) is the gradient of data; the lengths have none.
GradientFn same_op_gradient(const char* op, bool drop_value) {
  return [=](const NodePtr& node, const std::vector<Entry>& ograds) {
    const GradientBuilder g(node, ograds);
    std::vector<Entry> args{g.out_grad()};
    if (g.num_inputs() > 1) args.push_back(g.input(1));
    AttrDict dict = g.parameters();
    if (drop_value) dict.erase("value");
    std::vector<Entry> grads(g.num_inputs());
    grads[0] = g.op(op, std::move(args), std::move(dict));
    return grads;
  };
}

}  // namespace

MXNET_REGISTER(sequence) {
  register_op("SequenceMask")
      .alias({"_npx_sequence_mask"})
      .doc("Replaces the steps of every sequence beyond its length by a value.")
      .inputs(sequence_inputs<MaskParam>)
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"sequence_length", "NDArray-or-Symbol"}})
      .params(
          Params<MaskParam>()
              .field("use_sequence_length", &MaskParam::use_sequence_length, "Read the lengths from the second input.")
              .field("value", &MaskParam::value, "The value of masked steps.")
              .field("axis", &MaskParam::axis, "The axis of time, 0 or 1."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        assign_shape(in[0], out[0]);
        if (infer_lengths(attrs.get<MaskParam>(), "SequenceMask", in, 1)) assign_shape(out[0], in[0]);
      })
      .infer_type(infer_data_type)
      .inplace(0, 0)
      .gradient(same_op_gradient("SequenceMask", true))
      .kernel([](const KernelContext& c) { return mask_kernel(c, c.attrs.get<MaskParam>().value); });
  register_op("SequenceLast")
      .doc("The last step of every sequence.")
      .inputs(sequence_inputs<SequenceParam>)
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"sequence_length", "NDArray-or-Symbol"}})
      .params(sequence_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<SequenceParam>();
        if (!infer_lengths(p, "SequenceLast", in, 1)) return;
        Shape result = in[0];
        result.erase(p.axis);
        assign_shape(out[0], result);
      })
      .infer_type(infer_data_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> args{g.out_grad()};
        args.insert(args.end(), node->inputs.begin(), node->inputs.end());
        std::vector<Entry> grads(g.num_inputs());
        grads[0] = g.op("_backward_SequenceLast", std::move(args), g.parameters());
        return grads;
      })
      .kernel(last_kernel);
  register_op("_backward_SequenceLast")
      .internal()
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"ograd", "data"};
        if (attrs.get<SequenceParam>().use_sequence_length) names.emplace_back("sequence_length");
        return names;
      })
      .params(sequence_params())
      .infer_shape(shape_like_inputs({1}))
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], in[0]);
        assign_type(in[0], out[0]);
      })
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> args{g.out_grad()};
        if (g.num_inputs() > 2) args.push_back(g.input(2));
        std::vector<Entry> grads(g.num_inputs());
        grads[0] = g.op("SequenceLast", std::move(args), g.parameters());
        return grads;
      })
      .kernel(last_backward_kernel);
  register_op("SequenceReverse")
      .doc("Reverses the order of the steps of every sequence; steps beyond its length stay.")
      .inputs(sequence_inputs<SequenceParam>)
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"sequence_length", "NDArray-or-Symbol"}})
      .params(sequence_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        assign_shape(in[0], out[0]);
        if (infer_lengths(attrs.get<SequenceParam>(), "SequenceReverse", in, 0)) assign_shape(out[0], in[0]);
      })
      .infer_type(infer_data_type)
      .gradient(same_op_gradient("SequenceReverse", false))
      .kernel(reverse_kernel);
}

}  // namespace mxnet
