// FullyConnected: out = data weight^T + bias.
#include "base/parallel.h"
#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct FullyConnectedParam {
  int32_t num_hidden = 0;
  bool no_bias = false;
  bool flatten = true;
};

ParamSchema schema() {
  return Params<FullyConnectedParam>()
      .required("num_hidden", &FullyConnectedParam::num_hidden, "Number of output features.")
      .at_least(1)
      .field("no_bias", &FullyConnectedParam::no_bias, "Leave out the bias.")
      .field("flatten", &FullyConnectedParam::flatten,
             "Treat all axes after the first as features; otherwise only the last.");
}

// Number of input features of a data shape; -1 when it is not known.
int64_t features(const Shape& data, bool flatten) {
  if (!flatten) return data.back();
  int64_t count = 1;
  for (int i = 1; i < data.ndim(); ++i) {
    if (data[i] < 0) return -1;
    count = checked_mul(count, data[i], "features of FullyConnected");
  }
  return count;
}

void infer(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const auto& p = attrs.get<FullyConnectedParam>();
  Shape& data = in[0];
  if (!p.no_bias) {
    if (in[2].ndim_known()) {
      require(in[2].ndim() == 1, "FullyConnected: Unexpected shape for bias ", in[2]);
    }
  }
  if (data.ndim_known()) {
    require(data.ndim() > 0, "FullyConnected: data needs at least one axis, given ", data);
    int64_t count = features(data, p.flatten);
    if (count < 0 && in[1].ndim() == 2 && in[1][1] >= 0) {
      if (!p.flatten || data.ndim() == 2) data[data.ndim() - 1] = count = in[1][1];
    }
    if (!p.no_bias) assign_shape(in[2], Shape{p.num_hidden}, "FullyConnected bias");
    assign_shape(in[1], Shape{p.num_hidden, count}, "FullyConnected weight");
    Shape result;
    if (p.flatten) {
      result = Shape{data[0], p.num_hidden};
    } else {
      result = data;
      result[result.ndim() - 1] = p.num_hidden;
    }
    assign_shape(out[0], result, "FullyConnected output");
    for (int i = 0; i < (p.flatten ? 1 : data.ndim() - 1); ++i) data[i] = out[0][i];
  }
}

// data as a matrix of `rows` x `columns`.
struct Matrix {
  int64_t rows, columns;
  Matrix(const Shape& data, bool flatten) {
    columns = flatten ? data.product(1, data.ndim()) : data.back();
    rows = flatten ? data[0] : data.product(0, data.ndim() - 1);
  }
};

Kernel forward_kernel(const KernelContext& c) {
  require_float(c.in_types[0], "FullyConnected");
  const auto& p = c.attrs.get<FullyConnectedParam>();
  const Matrix data(c.in_shapes[0], p.flatten);
  Matmul product;
  product.dtype = c.in_types[0];
  product.m = data.rows, product.n = p.num_hidden, product.k = data.columns;
  product.trans_b = true;
  if (p.no_bias) {
    return {[product](const KernelArgs& a) { product.run(a.in[0], a.in[1], a.out[0], a.workspace); },
            product.workspace_bytes()};
  }
  product.beta = 1;
  return visit_float(c.in_types[0], "FullyConnected", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[product](const KernelArgs& a) {
              const T* bias = a.input<T>(2);
              T* y = a.output<T>(0);
              for (int64_t i = 0; i < product.m; ++i) {
                for (int64_t j = 0; j < product.n; ++j) y[i * product.n + j] = bias[j];
              }
              product.run(a.in[0], a.in[1], a.out[0], a.workspace);
            },
            product.workspace_bytes()};
  });
}

// Inputs: out_grad, weight, data (for its shape).
Kernel backward_data_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<FullyConnectedParam>();
  const Matrix data(c.out_shapes[0], p.flatten);
  Matmul product;
  product.dtype = c.in_types[0];
  product.m = data.rows, product.n = data.columns, product.k = p.num_hidden;
  return {[product](const KernelArgs& a) { product.run(a.in[0], a.in[1], a.out[0], a.workspace); },
          product.workspace_bytes()};
}

// Inputs: out_grad, data.
Kernel backward_weight_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<FullyConnectedParam>();
  const Matrix data(c.in_shapes[1], p.flatten);
  Matmul product;
  product.dtype = c.in_types[0];
  product.m = p.num_hidden, product.n = data.columns, product.k = data.rows;
  product.trans_a = true;
  return {[product](const KernelArgs& a) { product.run(a.in[0], a.in[1], a.out[0], a.workspace); },
          product.workspace_bytes()};
}

Kernel backward_bias_kernel(const KernelContext& c) {
  const int64_t n = c.out_shapes[0].size();
  const int64_t rows = n == 0 ? 0 : c.in_shapes[0].size() / n;
  return visit_float(c.in_types[0], "FullyConnected", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using A = compute_t<T>;
    return {[n, rows](const KernelArgs& args) {
      const T* dy = args.input<T>(0);
      T* db = args.output<T>(0);
      parallel_for(n, rows, [&](int64_t begin, int64_t end) {
        constexpr int64_t kBlock = 64;
        A sum[kBlock];
        for (int64_t b = begin; b < end; b += kBlock) {
          const int64_t width = std::min(kBlock, end - b);
          for (int64_t j = 0; j < width; ++j) sum[j] = 0;
          for (int64_t i = 0; i < rows; ++i) {
            const T* row = dy + i * n + b;
            for (int64_t j = 0; j < width; ++j) sum[j] += static_cast<A>(row[j]);
          }
          for (int64_t j = 0; j < width; ++j) db[b + j] = sum[j];
        }
      });
    }};
  });
}

AttrDict without_bias(AttrDict dict) {
  dict["no_bias"] = "True";
  return dict;
}

}  // namespace

MXNET_REGISTER(fully_connected) {
  register_op("FullyConnected")
      .alias({"_npx_fully_connected", "_sparse_FullyConnected"})
      .doc("Affine map of the features: data times transposed weight, plus bias.")
      .params(schema())
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"data", "weight"};
        if (!attrs.get<FullyConnectedParam>().no_bias) names.push_back("bias");
        return names;
      })
      .infer_shape(infer)
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> grads{
            g.op("_backward_FullyConnected_data", {g.out_grad(), g.input(1), g.input(0)}, g.parameters()),
            g.op("_backward_FullyConnected_weight", {g.out_grad(), g.input(0)}, g.parameters())};
        if (!g.params<FullyConnectedParam>().no_bias) {
          grads.push_back(g.op("_backward_FullyConnected_bias", {g.out_grad()}, g.parameters()));
        }
        return grads;
      })
      .kernel(forward_kernel);

  register_op("_backward_FullyConnected_data")
      .internal()
      .params(schema())
      .inputs({"out_grad", "weight", "data"})
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("FullyConnected", {g.out_grad(), g.input(1)}, without_bias(g.parameters())),
            g.op("_backward_FullyConnected_weight", {g.input(0), g.out_grad()}, g.parameters()), Entry{}};
      })
      .kernel(backward_data_kernel);
  register_op("_backward_FullyConnected_weight")
      .internal()
      .params(schema())
      .inputs({"out_grad", "data"})
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<FullyConnectedParam>();
        if (in[1].ndim_known()) assign_shape(out[0], Shape{p.num_hidden, features(in[1], p.flatten)});
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("FullyConnected", {g.input(1), g.out_grad()}, without_bias(g.parameters())),
            g.op("_backward_FullyConnected_data", {g.input(0), g.out_grad(), g.input(1)}, g.parameters())};
      })
      .kernel(backward_weight_kernel);
  register_op("_backward_FullyConnected_bias")
      .internal()
      .params(schema())
      .inputs({"out_grad"})
      .infer_shape([](const Attrs& attrs, ShapeVec&, ShapeVec& out) {
        assign_shape(out[0], Shape{attrs.get<FullyConnectedParam>().num_hidden});
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("broadcast_add", {g.op("zeros_like", {g.input(0)}), g.out_grad()})};
      })
      .kernel(backward_bias_kernel);
}

}  // namespace mxnet
