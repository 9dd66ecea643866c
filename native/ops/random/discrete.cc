// _sample_multinomial, _shuffle, _sample_unique_zipfian and rand_zipfian.
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/random/distributions.h"
#include "tensor/ndarray.h"
#include "tensor/shape_mode.h"

namespace mxnet {
namespace {

struct MultinomialParam {
  Shape shape = Shape::scalar();
  bool get_prob = false;
  int dtype = 4;
};
struct UniqueZipfianParam {
  int range_max;
  Shape shape;
};
struct ZipfianParam {
  int num_sampled;
  int range_max;
};

Params<MultinomialParam> multinomial_params() {
  return Params<MultinomialParam>()
      .field("shape", &MultinomialParam::shape, "Shape drawn from each distribution.")
      .field("get_prob", &MultinomialParam::get_prob, "Also return the logarithm of the probability of each sample.")
      .enumeration("dtype", &MultinomialParam::dtype, dtype_choices({2, 0, 1, 4, 3}), "Type of the samples.");
}

void infer_multinomial(const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
  const Shape& each = attrs.get<MultinomialParam>().shape;
  if (!in[0].ndim_known()) return;
  require(in[0].ndim() == 1 || in[0].ndim() == 2,
          "operator _sample_multinomial: data must have one or two dimensions, not shape ", in[0]);
  Shape result = Shape::scalar();
  if (in[0].ndim() == 2) result.push_back(in[0][0]);
  for (int64_t d : each) result.push_back(d);
  if (result.ndim() == 0) result.push_back(1);
  for (Shape& s : out) assign_shape(s, result, "_sample_multinomial");
}

Kernel multinomial_kernel(const KernelContext& c) {
  const int64_t classes = c.in_shapes[0].back();
  const int64_t rows = c.in_shapes[0].size() / std::max<int64_t>(classes, 1);
  const int64_t n = c.out_shapes[0].size();
  require(classes > 0 || n == 0, "operator _sample_multinomial: data of shape ", c.in_shapes[0], " has no classes");
  const int64_t each = rows > 0 ? n / rows : 0;
  const bool with_probability = c.attrs.get<MultinomialParam>().get_prob;
  const size_t sample_width = dtype_size(c.out_types[0]);
  return visit_float(c.in_types[0], "_sample_multinomial", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=, sample_type = c.out_types[0]](const KernelArgs& a) {
              const T* data = a.input<T>(0);
              auto* chosen = static_cast<int64_t*>(a.workspace);
              const Philox stream = a.random->take(word_blocks(n, 2));
              parallel_for(n, 10 + classes / 2, [&](int64_t begin, int64_t end) {
                for_each_words<2>(stream, begin, end, [&](int64_t i, const uint32_t* w) {
                  const T* row = data + i / each * classes;
                  const double u = Philox::unit_double(w[0], w[1]);
                  double sum = 0;
                  int64_t k = 0;
                  int64_t last = 0;  // where rounding leaves the sum below u: the last class that can occur
                  for (; k < classes; ++k) {
                    const auto p = static_cast<double>(static_cast<compute_t<T>>(row[k]));
                    sum += p;
                    if (p > 0) last = k;
                    if (u < sum) break;
                  }
                  chosen[i] = k < classes ? k : last;
                  if (with_probability)
                    a.output<T>(1)[i] = static_cast<T>(std::log(static_cast<compute_t<T>>(row[chosen[i]])));
                });
              });
              convert_elements(chosen, DType::kInt64, a.out[0], sample_type, n);
            },
            static_cast<size_t>(n) * std::max(sizeof(int64_t), sample_width)};
  });
}

// The gradient of log p with respect to p: 1 / p of the drawn class. Inputs: gradient of log p, data, samples.
Kernel multinomial_backward_kernel(const KernelContext& c) {
  const int64_t classes = c.out_shapes[0].back();
  const int64_t total = c.out_shapes[0].size();
  const int64_t rows = total / std::max<int64_t>(classes, 1);
  const int64_t n = c.in_shapes[0].size();
  const int64_t each = rows > 0 ? n / rows : 0;
  return visit_float(c.out_types[0], "_backward_sample_multinomial", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=, sample_type = c.in_types[2]](const KernelArgs& a) {
              auto* chosen = static_cast<int64_t*>(a.workspace);
              convert_elements(a.in[2], sample_type, chosen, DType::kInt64, n);
              T* dx = a.output<T>(0);
              std::fill_n(dx, total, T(0));
              for (int64_t i = 0; i < n; ++i) {
                const int64_t at = i / each * classes + std::clamp<int64_t>(chosen[i], 0, classes - 1);
                const auto p = static_cast<compute_t<T>>(a.input<T>(1)[at]);
                dx[at] =
                    static_cast<T>(static_cast<compute_t<T>>(dx[at]) + static_cast<compute_t<T>>(a.input<T>(0)[i]) / p);
              }
            },
            static_cast<size_t>(n) * sizeof(int64_t)};
  });
}

// Fisher and Yates, with the numbers of one stream: the same order for every type.
Kernel shuffle_kernel(const KernelContext& c) {
  const int64_t rows = c.in_shapes[0].ndim() > 0 ? c.in_shapes[0][0] : 1;
  const size_t row = rows > 0 ? static_cast<size_t>(c.in_shapes[0].size() / rows) * dtype_size(c.in_types[0]) : 0;
  return {
      [=](const KernelArgs& a) {
        auto* order = static_cast<int64_t*>(a.workspace);
        std::iota(order, order + rows, int64_t{0});
        const Philox stream = a.random->take(word_blocks(rows, 2));
        for_each_words<2>(stream, 0, rows, [&](int64_t i, const uint32_t* w) {
          const int64_t last = rows - 1 - i;
          const auto pick = static_cast<int64_t>(
              (static_cast<unsigned __int128>(uint64_t{w[0]} << 32 | w[1]) * static_cast<uint64_t>(last + 1)) >> 64);
          std::swap(order[last], order[pick]);
        });
        const char* x = a.input<char>(0);
        char* y = a.output<char>(0);
        parallel_for(rows, static_cast<int64_t>(row / 4) + 4, [=](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            std::memcpy(y + static_cast<size_t>(i) * row, x + static_cast<size_t>(order[i]) * row, row);
        });
      },
      static_cast<size_t>(rows) * sizeof(int64_t)};
}

// A class of the log-uniform distribution on [0, range_max) from u in [0, 1).
int64_t zipfian_class(double u, int64_t range_max) {
  const auto value = static_cast<int64_t>(std::exp(u * std::log(static_cast<double>(range_max) + 1))) - 1;
  return std::clamp<int64_t>(value, 0, range_max - 1);
}

double zipfian_probability(double value, int64_t range_max) {
  return std::log((value + 2) / (value + 1)) / std::log(static_cast<double>(range_max) + 1);
}

// Every row gets distinct classes, in the order of their first draw, and the number of draws that took.
Kernel unique_zipfian_kernel(const KernelContext& c) {
  const int64_t range_max = c.attrs.get<UniqueZipfianParam>().range_max;
  const int64_t rows = c.out_shapes[0][0];
  const int64_t wanted = c.out_shapes[0][1];
  require(wanted <= range_max, "operator _sample_unique_zipfian: the number of samples ", wanted,
          " cannot exceed the number of classes ", range_max);
  return {[=, seen = std::make_shared<std::unordered_set<int64_t>>()](const KernelArgs& a) {
    constexpr uint64_t kRowBlocks = uint64_t{1} << 32;
    const Philox stream = a.random->take(static_cast<uint64_t>(rows) * kRowBlocks);
    for (int64_t r = 0; r < rows; ++r) {
      PhiloxLane lane(stream, static_cast<uint64_t>(r), kRowBlocks);
      seen->clear();
      int64_t tries = 0;
      for (int64_t k = 0; k < wanted; ++tries) {
        const int64_t value = zipfian_class(lane.uniform(), range_max);
        if (!seen->insert(value).second) continue;
        a.output<int64_t>(0)[r * wanted + k++] = value;
      }
      a.output<int64_t>(1)[r] = tries;
    }
  }};
}

Kernel zipfian_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<ZipfianParam>();
  const int64_t classes = c.in_shapes[0].size();
  return {[=, type = c.in_types[0]](const KernelArgs& a) {
    const Philox stream = a.random->take(word_blocks(p.num_sampled, 2));
    for_each_words<2>(stream, 0, p.num_sampled, [&](int64_t i, const uint32_t* w) {
      const int64_t value = zipfian_class(Philox::unit_double(w[0], w[1]), p.range_max);
      a.output<int64_t>(0)[i] = value;
      a.output<double>(2)[i] = zipfian_probability(static_cast<double>(value), p.range_max) * p.num_sampled;
    });
    double* expected = a.output<double>(1);
    convert_elements(a.in[0], type, expected, DType::kFloat64, classes);
    for (int64_t i = 0; i < classes; ++i) expected[i] = zipfian_probability(expected[i], p.range_max) * p.num_sampled;
  }};
}

}  // namespace

MXNET_REGISTER(multinomial) {
  register_op("_sample_multinomial")
      .alias({"sample_multinomial"})
      .doc("Class numbers drawn from distributions given as rows of probabilities.")
      .params(multinomial_params())
      .outputs([](const Attrs& attrs) { return attrs.get<MultinomialParam>().get_prob ? 2 : 1; })
      .infer_shape(infer_multinomial)
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], dtype_from_code(attrs.get<MultinomialParam>().dtype), "_sample_multinomial");
        if (out.size() < 2) return;
        assign_type(out[1], in[0]);
        assign_type(in[0], out[1]);
      })
      .random()
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        if (!g.params<MultinomialParam>().get_prob || !g.has_out_grad(1)) return std::vector<Entry>{Entry{}};
        return std::vector<Entry>{g.op("_backward_sample_multinomial", {g.out_grad(1), g.input(0), g.output(0)})};
      })
      .kernel(multinomial_kernel);
  register_op("_backward_sample_multinomial")
      .internal()
      .inputs({"ograd", "data", "sample"})
      .lenient()
      .infer_shape(shape_like_inputs({1}))
      .infer_type(type_like_inputs({1}))
      .kernel(multinomial_backward_kernel);
}

MXNET_REGISTER(shuffle) {
  register_op("_shuffle")
      .alias({"shuffle", "_npi_shuffle"})
      .doc("The rows of an array in random order.")
      .zero_gradient()  // the order is not kept; a symbol with a shuffle in it can still be bound for training
      .lenient()
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .random()
      .kernel(shuffle_kernel);
}

MXNET_REGISTER(zipfian) {
  register_op("_sample_unique_zipfian")
      .doc(
          "Rows of distinct class numbers drawn from a log-uniform distribution, and the number of draws each row "
          "took.")
      .inputs(std::vector<std::string>{})
      .outputs(2)
      .params(Params<UniqueZipfianParam>()
                  .required("range_max", &UniqueZipfianParam::range_max, "Number of classes.")
                  .at_least(1)
                  .field("shape", &UniqueZipfianParam::shape, "Rows and samples of a row."))
      .infer_shape([](const Attrs& attrs, ShapeVec&, ShapeVec& out) {
        const Shape& shape = attrs.get<UniqueZipfianParam>().shape;
        require(shape.ndim() == 2, "operator _sample_unique_zipfian: shape must have two numbers, not ", shape);
        assign_shape(out[0], shape);
        assign_shape(out[1], Shape{shape[0]});
      })
      .infer_type(outputs_of_type(DType::kInt64))
      .random()
      .kernel(unique_zipfian_kernel);
  register_op("_contrib_rand_zipfian")
      .doc(
          "Class numbers drawn with replacement from a log-uniform distribution on [0, range_max), and how often each "
          "true "
          "class and each drawn class is expected among them.")
      .inputs({"true_classes"})
      .outputs(3)
      .params(Params<ZipfianParam>()
                  .required("num_sampled", &ZipfianParam::num_sampled, "How many to draw.")
                  .at_least(1)
                  .required("range_max", &ZipfianParam::range_max, "Number of classes.")
                  .at_least(1))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const Shape samples{attrs.get<ZipfianParam>().num_sampled};
        assign_shape(out[0], samples);
        assign_shape(out[1], in[0]);
        assign_shape(in[0], out[1]);
        assign_shape(out[2], samples);
      })
      .infer_type([](const Attrs&, DTypeVec&, DTypeVec& out) {
        assign_type(out[0], DType::kInt64);
        assign_type(out[1], DType::kFloat64);
        assign_type(out[2], DType::kFloat64);
      })
      .zero_gradient()
      .random()
      .kernel(zipfian_kernel);
}

}  // namespace mxnet
