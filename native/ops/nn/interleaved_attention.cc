// Attention products over interleaved projections: (length, batch, heads * parts * d) arrays whose last axis holds, for
// every head, the query, key and value parts one after another.
#include <cmath>
#include <cstring>

#include "kernels/gemm.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct AttentionParam {
  int32_t heads = 0;
};

ParamSchema schema() {
  return Params<AttentionParam>().required("heads", &AttentionParam::heads, "Number of attention heads.").at_least(1);
}

// Where the matrices of all batch * heads pairs lie in an array: part `part` of `parts`, or an attention array.
struct View {
  int64_t offset, lead, stride;
  static View part_of(const Shape& s, int64_t heads, int64_t parts, int64_t part) {
    const int64_t d = s[2] / (heads * parts);
    return {part * d, s[1] * s[2], parts * d};
  }
  static View attention(const Shape& s) { return {0, s[2], s[1] * s[2]}; }
};

struct Product {
  Matmul matmul;
  int a, b;  // inputs
  int64_t at_a, at_b, at_c;
};

Product make_product(DType dtype, int64_t batch, int64_t m, int64_t n, int64_t k, int a, View va, bool ta, int b, View vb,
                     bool tb, View vc, double alpha) {
  Product p;
  Matmul& q = p.matmul;
  q.dtype = dtype, q.batch = batch, q.m = m, q.n = n, q.k = k, q.trans_a = ta, q.trans_b = tb, q.alpha = alpha;
  q.lda = va.lead, q.stride_a = va.stride, q.ldb = vb.lead, q.stride_b = vb.stride, q.ldc = vc.lead, q.stride_c = vc.stride;
  const int64_t unit = static_cast<int64_t>(dtype_size(dtype));
  p.a = a, p.b = b, p.at_a = va.offset * unit, p.at_b = vb.offset * unit, p.at_c = vc.offset * unit;
  return p;
}

// Runs the products into output 0, which is cleared first where they do not fill it.
Kernel run_products(std::vector<Product> products, size_t clear_bytes) {
  Kernel kernel;
  for (const Product& p : products) kernel.workspace_bytes = std::max(kernel.workspace_bytes, p.matmul.workspace_bytes());
  kernel.run = [products = std::move(products), clear_bytes](const KernelArgs& args) {
    if (clear_bytes) std::memset(args.out[0], 0, clear_bytes);
    for (const Product& p : products) {
      p.matmul.run(args.input<char>(p.a) + p.at_a, args.input<char>(p.b) + p.at_b, args.output<char>(0) + p.at_c, args.workspace);
    }
  };
  return kernel;
}

size_t bytes_of(const Shape& shape, DType dtype) { return static_cast<size_t>(shape.size()) * dtype_size(dtype); }

void require_projection(const Shape& s, int64_t heads, int64_t parts, const char* name) {
  require(s.ndim() == 3, name, ": Input should be 3D in seq_length-batch-proj_dim, given ", s);
  require(s[2] < 0 || s[2] % (heads * parts) == 0, name, ": the last axis of ", s, " must be divisible by ", heads * parts,
          " for ", heads, " heads");
}

// The four operators differ in where queries, keys and values lie.
struct Form {
  bool self;       // one array holds all three parts; otherwise queries are apart from keys and values
  bool scores;     // out = scaled queries x keys; otherwise out = attention x values
  const char* name;
  const char* backward[2];  // gradient operators of inputs 0 and 1
  int64_t parts() const { return self ? 3 : 2; }
  int source() const { return !self && scores ? 1 : 0; }  // the input that holds keys and values
};

constexpr Form kForms[4] = {
    {true, true, "_contrib_interleaved_matmul_selfatt_qk", {"_backward_interleaved_matmul_selfatt_qk", nullptr}},
    {true, false, "_contrib_interleaved_matmul_selfatt_valatt",
     {"_backward_interleaved_matmul_selfatt_valatt_qkv", "_backward_interleaved_matmul_selfatt_valatt_att"}},
    {false, true, "_contrib_interleaved_matmul_encdec_qk",
     {"_backward_interleaved_matmul_encdec_qk_queries", "_backward_interleaved_matmul_encdec_qk_kv"}},
    {false, false, "_contrib_interleaved_matmul_encdec_valatt",
     {"_backward_interleaved_matmul_encdec_valatt_kv", "_backward_interleaved_matmul_encdec_valatt_att"}},
};

void infer(const Form& f, const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const int64_t heads = attrs.get<AttentionParam>().heads;
  for (const Shape& s : in) {
    if (!s.known()) return;
  }
  const Shape& source = in[f.source()];
  require_projection(source, heads, f.parts(), f.name);
  if (f.scores) {
    const Shape& queries = in[0];
    if (!f.self) {
      require_projection(queries, heads, 1, f.name);
      require(queries[1] == source[1] && queries[2] == source[2] / 2, f.name, ": queries ", queries,
              " do not suit keys and values ", source);
    }
    assign_shape(out[0], Shape{checked_mul(heads, source[1], f.name), queries[0], source[0]}, f.name);
  } else {
    const Shape& attention = in[1];
    require(attention.ndim() == 3 && attention[0] == checked_mul(heads, source[1], f.name) && attention[2] == source[0] &&
                (!f.self || attention[1] == source[0]),
            f.name, ": attention ", attention, " does not suit projections ", source, " with ", heads, " heads");
    assign_shape(out[0], Shape{attention[1], source[1], source[2] / f.parts()}, f.name);
  }
}

// All the numbers of one node, from the shapes of its inputs and output.
struct Numbers {
  int64_t batch, d, queries, keys;
  View q, k, v, att, out;
  double scale;
  Numbers(const Form& f, int64_t heads, const Shape& in0, const Shape& in1, const Shape& out_shape) {
    const Shape& source = f.source() == 0 ? in0 : in1;
    const Shape& attention = f.scores ? out_shape : in1;
    batch = heads * source[1];
    d = source[2] / (heads * f.parts());
    queries = attention[1], keys = attention[2];
    q = f.self ? View::part_of(source, heads, 3, 0) : View::part_of(in0, heads, 1, 0);
    k = View::part_of(source, heads, f.parts(), f.parts() - 2);
    v = View::part_of(source, heads, f.parts(), f.parts() - 1);
    att = View::attention(attention);
    out = View::part_of(out_shape, heads, 1, 0);
    scale = 1.0 / std::sqrt(static_cast<double>(d));
  }
};

Kernel forward_kernel(const Form& f, const KernelContext& c) {
  require_float(c.in_types[0], f.name);
  const int64_t heads = c.attrs.get<AttentionParam>().heads;
  const Shape& in1 = c.in_shapes[c.in_shapes.size() - 1];
  const Numbers n(f, heads, c.in_shapes[0], in1, c.out_shapes[0]);
  if (f.scores) {
    return run_products({make_product(c.in_types[0], n.batch, n.queries, n.keys, n.d, 0, n.q, false, f.source(), n.k, true,
                                      n.att, n.scale)}, 0);
  }
  return run_products({make_product(c.in_types[0], n.batch, n.queries, n.d, n.keys, 1, n.att, false, 0, n.v, false, n.out, 1)}, 0);
}

// Inputs: out_grad, then the inputs of the forward operator. The output is the gradient of input `which`.
Kernel backward_kernel(const Form& f, int which, const KernelContext& c) {
  const int64_t heads = c.attrs.get<AttentionParam>().heads;
  const DType type = c.in_types[0];
  const Shape& in1 = c.in_shapes[c.in_shapes.size() - 1];
  const Numbers n(f, heads, c.in_shapes[1], in1, c.in_shapes[0]);
  const int source = 1 + f.source();
  std::vector<Product> products;
  const auto queries = [&] {
    products.push_back(make_product(type, n.batch, n.queries, n.d, n.keys, 0, n.att, false, source, n.k, false, n.q, n.scale));
  };
  const auto keys = [&] {
    products.push_back(make_product(type, n.batch, n.keys, n.d, n.queries, 0, n.att, true, 1, n.q, false, n.k, n.scale));
  };
  bool whole = false;  // the products fill the output
  if (f.scores) {
    if (f.self || which == 0) queries();
    if (f.self || which == 1) keys();
    whole = !f.self && which == 0;
  } else if (which == 0) {
    products.push_back(make_product(type, n.batch, n.keys, n.d, n.queries, 2, n.att, true, 0, n.out, false, n.v, 1));
  } else {
    products.push_back(make_product(type, n.batch, n.queries, n.keys, n.d, 0, n.out, false, 1, n.v, true, n.att, 1));
    whole = true;
  }
  return run_products(std::move(products), whole ? 0 : bytes_of(c.out_shapes[0], type));
}

std::vector<std::string> input_names(const Form& f) {
  if (f.self) return f.scores ? std::vector<std::string>{"queries_keys_values"}
                              : std::vector<std::string>{"queries_keys_values", "attention"};
  return f.scores ? std::vector<std::string>{"queries", "keys_values"} : std::vector<std::string>{"keys_values", "attention"};
}

void register_form(const Form& f) {
  const size_t inputs = input_names(f).size();
  register_op(f.name)
      .doc(f.scores ? "Scaled products of queries and keys, one matrix a head." : "Attention weights times values, heads put together again.")
      .params(schema())
      .inputs(input_names(f))
      .infer_shape([&f](const Attrs& attrs, ShapeVec& in, ShapeVec& out) { infer(f, attrs, in, out); })
      .infer_type(infer_same_type)
      .gradient([&f, inputs](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> args{g.out_grad()};
        args.insert(args.end(), node->inputs.begin(), node->inputs.end());
        std::vector<Entry> grads;
        for (size_t i = 0; i < inputs; ++i) grads.push_back(g.op(f.backward[i], args, g.parameters()));
        return grads;
      })
      .kernel([&f](const KernelContext& c) { return forward_kernel(f, c); });
  for (size_t i = 0; i < inputs; ++i) {
    std::vector<std::string> names = input_names(f);
    names.insert(names.begin(), "out_grad");
    register_op(f.backward[i])
        .internal()
        .params(schema())
        .inputs(std::move(names))
        .infer_shape(shape_like_inputs({static_cast<int>(i) + 1}))
        .infer_type(infer_same_type)
        .kernel([&f, i](const KernelContext& c) { return backward_kernel(f, static_cast<int>(i), c); });
  }
}

}  // namespace

MXNET_REGISTER(interleaved_attention) {
  for (const Form& f : kForms) register_form(f);
}

}  // namespace mxnet
