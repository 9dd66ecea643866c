// _random_X(numbers), _random_X_like(data, numbers) and _sample_X(arrays) for every distribution, and _random_randint.
#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/random/distributions.h"
#include "tensor/ndarray.h"
#include "tensor/shape_mode.h"

namespace mxnet {
namespace {

// The parameters of a distribution D with the fields that every draw has.
template <class D>
struct DrawParam {
  typename D::First first = D::kFirst;
  float second = D::kSecond;
  Shape shape;
  std::string ctx;
  int dtype = -1;
};

struct SampleParam {
  Shape shape = Shape::scalar();
  int dtype = -1;
};

// None is a word among the others here, as 1.9.1 lists it.
std::vector<EnumChoice> choices_or_none(std::initializer_list<int> codes) {
  std::vector<EnumChoice> choices = dtype_choices(codes);
  choices.push_back({"None", -1});
  return choices;
}

std::vector<EnumChoice> float_choices() { return choices_or_none({2, 0, 1}); }

// Zeros of a shape parameter are open dimensions under the legacy rules.
void infer_draw_shape(const Shape& wanted, ShapeVec& out) {
  const Shape shape = from_user_shape(wanted);
  for (Shape& s : out) assign_shape(s, shape, "shape of a random draw");
}

void infer_draw_type(int dtype, DTypeVec& out, DType fallback = DType::kFloat32) {
  for (DType& t : out) {
    if (dtype >= 0) assign_type(t, dtype_from_code(dtype), "dtype of a random draw");
    if (t == DType::kUnknown) t = fallback;
  }
}

template <class Dist>
Kernel draw_kernel(const KernelContext& c, const Dist& dist, const char* name) {
  const int64_t n = c.out_shapes[0].size();
  return visit_float(c.out_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      const Philox stream = a.random->take(Dist::template blocks<T>(n));
      T* out = a.output<T>(0);
      parallel_for(n, 20, [&](int64_t begin, int64_t end) { dist.fill(stream, begin, end, out); });
    }};
  });
}

// Element p of the parameter arrays owns items [p * each, (p + 1) * each) of the draw.
template <class Dist>
Kernel sample_kernel(const KernelContext& c, const char* name) {
  const int64_t count = c.in_shapes[0].size();
  const int64_t n = c.out_shapes[0].size();
  const int64_t each = count > 0 ? n / count : 0;
  const bool two = c.in_shapes.size() > 1;
  return visit_float(c.out_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=, first_type = c.in_types[0], second_type = c.in_types.back()](const KernelArgs& a) {
              auto* first = static_cast<double*>(a.workspace);
              double* second = first + count;
              convert_elements(a.in[0], first_type, first, DType::kFloat64, count);
              if (two) {
                convert_elements(a.in[1], second_type, second, DType::kFloat64, count);
              } else {
                std::fill_n(second, count, 0.0);
              }
              const Philox stream = a.random->take(Dist::template blocks<T>(n));
              T* out = a.output<T>(0);
              parallel_for(n, 20, [&](int64_t begin, int64_t end) {
                while (begin < end) {
                  const int64_t p = begin / each;
                  const int64_t stop = std::min(end, (p + 1) * each);
                  Dist{first[p], second[p]}.fill(stream, begin, stop, out);
                  begin = stop;
                }
              });
            },
            static_cast<size_t>(2 * count) * sizeof(double)};
  });
}

void check(bool fine, const char* what, const char* rule, const char* distribution, double value) {
  require(fine, what, " parameter in ", distribution, " distribution has to be ", rule, ", not ", value);
}

// One row per distribution: its sampler, the names, types and defaults of its parameters, the names of the inputs of
// its _sample_ form, and what its numbers must fulfil.
struct UniformOp {
  using Dist = Uniform;
  using First = float;
  static constexpr float kFirst = 0, kSecond = 1;
  static constexpr const char* kNames[2] = {"low", "high"};
  static constexpr const char* kDocs[2] = {"Lower bound, inclusive.", "Upper bound, exclusive."};
  static constexpr const char* kInputs[2] = {"low", "high"};
  static constexpr const char* kWhat = "Uniformly distributed numbers";
  static void verify(double low, double high) {
    require(high >= low, "low must be less or equal to high in uniform distribution, got low=", low,
            " and high=", high);
  }
};
struct NormalOp {
  using Dist = Normal;
  using First = float;
  static constexpr float kFirst = 0, kSecond = 1;
  static constexpr const char* kNames[2] = {"loc", "scale"};
  static constexpr const char* kDocs[2] = {"Mean.", "Standard deviation."};
  static constexpr const char* kInputs[2] = {"mu", "sigma"};
  static constexpr const char* kWhat = "Normally distributed numbers";
  static void verify(double, double scale) { check(scale >= 0, "scale", "non-negative", "normal", scale); }
};
struct GammaOp {
  using Dist = Gamma;
  using First = float;
  static constexpr float kFirst = 1, kSecond = 1;
  static constexpr const char* kNames[2] = {"alpha", "beta"};
  static constexpr const char* kDocs[2] = {"Shape parameter.", "Scale parameter."};
  static constexpr const char* kInputs[2] = {"alpha", "beta"};
  static constexpr const char* kWhat = "Gamma distributed numbers";
  static void verify(double alpha, double beta) {
    check(alpha > 0, "alpha", "positive", "gamma", alpha);
    check(beta > 0, "beta", "positive", "gamma", beta);
  }
};
struct ExponentialOp {
  using Dist = Exponential;
  using First = float;
  static constexpr float kFirst = 1, kSecond = 0;
  static constexpr const char* kNames[2] = {"lam", nullptr};
  static constexpr const char* kDocs[2] = {"Rate.", nullptr};
  static constexpr const char* kInputs[2] = {"lam", nullptr};
  static constexpr const char* kWhat = "Exponentially distributed numbers";
  static void verify(double lam, double) { check(lam > 0, "lambda", "positive", "exponential", lam); }
};
struct PoissonOp {
  using Dist = Poisson;
  using First = float;
  static constexpr float kFirst = 1, kSecond = 0;
  static constexpr const char* kNames[2] = {"lam", nullptr};
  static constexpr const char* kDocs[2] = {"Mean.", nullptr};
  static constexpr const char* kInputs[2] = {"lam", nullptr};
  static constexpr const char* kWhat = "Poisson distributed numbers";
  static void verify(double lam, double) { check(lam >= 0, "lambda", "non-negative", "poisson", lam); }
};
struct NegativeBinomialOp {
  using Dist = NegativeBinomial;
  using First = int32_t;
  static constexpr int32_t kFirst = 1;
  static constexpr float kSecond = 1;
  static constexpr const char* kNames[2] = {"k", "p"};
  static constexpr const char* kDocs[2] = {"Number of failures to wait for.", "Probability of a failure."};
  static constexpr const char* kInputs[2] = {"k", "p"};
  static constexpr const char* kWhat = "Negative binomially distributed numbers";
  static void verify(double k, double p) {
    check(k >= 0, "k", "non-negative", "negative binomial", k);
    check(p > 0 && p <= 1, "p", "in (0, 1]", "negative binomial", p);
  }
};
struct GeneralizedNegativeBinomialOp {
  using Dist = GeneralizedNegativeBinomial;
  using First = float;
  static constexpr float kFirst = 1, kSecond = 1;
  static constexpr const char* kNames[2] = {"mu", "alpha"};
  static constexpr const char* kDocs[2] = {"Mean.", "Dispersion; 0 gives a Poisson distribution."};
  static constexpr const char* kInputs[2] = {"mu", "alpha"};
  static constexpr const char* kWhat = "Numbers of a negative binomial distribution given by mean and dispersion";
  static void verify(double mu, double alpha) {
    check(mu >= 0, "mu", "non-negative", "generalized negative binomial", mu);
    check(alpha >= 0, "alpha", "non-negative", "generalized negative binomial", alpha);
  }
};

template <class D>
Params<DrawParam<D>> distribution_params() {
  using P = DrawParam<D>;
  Params<P> params;
  params.field(D::kNames[0], &P::first, D::kDocs[0]);
  if (D::kNames[1]) params.field(D::kNames[1], &P::second, D::kDocs[1]);
  return params;
}

template <class D>
typename D::Dist distribution(const DrawParam<D>& p) {
  D::verify(static_cast<double>(p.first), p.second);
  return {static_cast<double>(p.first), p.second};
}

// The names must outlive the registry: they are string constants.
template <class D>
void declare(const char* random_name, std::initializer_list<const char*> random_aliases, const char* like_name,
             const char* sample_name, const char* sample_alias) {
  using P = DrawParam<D>;
  Params<P> params = distribution_params<D>();
  params.field("shape", &P::shape, "Shape of the output.")
      .field("ctx", &P::ctx, "Where imperative calls put the output.")
      .enumeration("dtype", &P::dtype, float_choices(), "Type of the output; None: float32.");
  register_op(random_name)
      .alias(random_aliases)
      .doc(text(D::kWhat, "."))
      .inputs(std::vector<std::string>{})
      .params(std::move(params))
      .infer_shape([](const Attrs& attrs, ShapeVec&, ShapeVec& out) { infer_draw_shape(attrs.get<P>().shape, out); })
      .infer_type([](const Attrs& attrs, DTypeVec&, DTypeVec& out) { infer_draw_type(attrs.get<P>().dtype, out); })
      .random()
      .kernel([=](const KernelContext& c) { return draw_kernel(c, distribution(c.attrs.get<P>()), random_name); });
  register_op(like_name)
      .doc(text(D::kWhat, " in an array of the shape and type of data."))
      .params(distribution_params<D>())
      .infer_shape(infer_same_shape)
      .infer_type(infer_same_type)
      .zero_gradient()
      .random()
      .kernel([=](const KernelContext& c) { return draw_kernel(c, distribution(c.attrs.get<P>()), like_name); });
  std::vector<std::string> inputs{D::kInputs[0]};
  if (D::kInputs[1]) inputs.emplace_back(D::kInputs[1]);
  register_op(sample_name)
      .alias({sample_alias})
      .doc(text(D::kWhat, ": for each element of the parameter arrays an array of shape `shape`."))
      .inputs(inputs)
      .params(Params<SampleParam>()
                  .field("shape", &SampleParam::shape, "Shape drawn for each element.")
                  .enumeration("dtype", &SampleParam::dtype, float_choices(), "Type of the output; None: float32."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        ShapeVec none;
        infer_same_shape(attrs, in, none);
        if (!in[0].ndim_known()) return;
        Shape result = in[0];
        const Shape& each = attrs.get<SampleParam>().shape;
        for (int64_t d : each) result.push_back(d);
        assign_shape(out[0], result, "shape of a random draw");
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        DTypeVec none;
        infer_same_type(attrs, in, none);
        infer_draw_type(attrs.get<SampleParam>().dtype, out);
      })
      .zero_gradient()
      .random()
      .kernel([=](const KernelContext& c) { return sample_kernel<typename D::Dist>(c, sample_name); });
}

struct RandIntParam {
  int64_t low;
  int64_t high;
  Shape shape;
  std::string ctx;
  int dtype = -1;
};

Kernel randint_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<RandIntParam>();
  require(p.low < p.high, "operator _random_randint: low=", p.low, " must be less than high=", p.high);
  const int64_t n = c.out_shapes[0].size();
  const uint64_t span = static_cast<uint64_t>(p.high) - static_cast<uint64_t>(p.low);
  const auto make = [&](auto tag) -> Kernel {
    using T = decltype(tag);
    return {[=, low = p.low](const KernelArgs& a) {
      const Philox stream = a.random->take(word_blocks(n, 2));
      T* out = a.output<T>(0);
      parallel_for(n, 20, [&](int64_t begin, int64_t end) {
        for_each_words<2>(stream, begin, end, [&](int64_t i, const uint32_t* w) {
          // The high word of bits * span: uniform up to a bias of span / 2^64.
          const unsigned __int128 product = static_cast<unsigned __int128>(uint64_t{w[0]} << 32 | w[1]) * span;
          out[i] = static_cast<T>(low + static_cast<int64_t>(product >> 64));
        });
      });
    }};
  };
  return c.out_types[0] == DType::kInt64 ? make(int64_t{}) : make(int32_t{});
}

}  // namespace

MXNET_REGISTER(random_draws) {
  declare<UniformOp>("_random_uniform", {"uniform", "random_uniform"}, "_random_uniform_like", "_sample_uniform",
                     "sample_uniform");
  declare<NormalOp>("_random_normal", {"normal", "random_normal"}, "_random_normal_like", "_sample_normal",
                    "sample_normal");
  declare<GammaOp>("_random_gamma", {"random_gamma"}, "_random_gamma_like", "_sample_gamma", "sample_gamma");
  declare<ExponentialOp>("_random_exponential", {"random_exponential"}, "_random_exponential_like",
                         "_sample_exponential", "sample_exponential");
  declare<PoissonOp>("_random_poisson", {"random_poisson"}, "_random_poisson_like", "_sample_poisson",
                     "sample_poisson");
  declare<NegativeBinomialOp>("_random_negative_binomial", {"random_negative_binomial"},
                              "_random_negative_binomial_like", "_sample_negative_binomial",
                              "sample_negative_binomial");
  declare<GeneralizedNegativeBinomialOp>(
      "_random_generalized_negative_binomial", {"random_generalized_negative_binomial"},
      "_random_generalized_negative_binomial_like", "_sample_generalized_negative_binomial",
      "sample_generalized_negative_binomial");
}

MXNET_REGISTER(randint) {
  register_op("_random_randint")
      .alias({"random_randint", "_npi_random_randint"})
      .doc("Whole numbers drawn uniformly from [low, high).")
      .inputs(std::vector<std::string>{})
      .params(
          Params<RandIntParam>()
              .required("low", &RandIntParam::low, "Lower bound, inclusive.")
              .required("high", &RandIntParam::high, "Upper bound, exclusive.")
              .field("shape", &RandIntParam::shape, "Shape of the output.")
              .field("ctx", &RandIntParam::ctx, "Where imperative calls put the output.")
              .enumeration("dtype", &RandIntParam::dtype, choices_or_none({4, 6}), "Type of the output; None: int32."))
      .infer_shape(
          [](const Attrs& attrs, ShapeVec&, ShapeVec& out) { infer_draw_shape(attrs.get<RandIntParam>().shape, out); })
      .infer_type([](const Attrs& attrs, DTypeVec&, DTypeVec& out) {
        infer_draw_type(attrs.get<RandIntParam>().dtype, out, DType::kInt32);
      })
      .random()
      .kernel(randint_kernel);
}

}  // namespace mxnet
