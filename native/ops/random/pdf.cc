// _random_pdf_X: the density of samples under distributions whose parameters are arrays, and its gradients.
#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct PdfParam {
  bool is_log = false;
};

// The derivative of ln(gamma(x)): the recurrence lifts x above 6, where the asymptotic series of Abramowitz and Stegun
// 6.3.18 is exact to a double.
double digamma(double x) {
  double sum = 0;
  while (x < 6) {
    sum -= 1 / x;
    x += 1;
  }
  const double r = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

// A distribution with up to two parameters: its log density, and the derivatives of that by sample, first and second
// parameter.
struct Gradients {
  double sample = 0, first = 0, second = 0;
};

struct UniformPdf {
  static double log(double, double low, double high) { return -std::log(high - low); }
  static Gradients gradients(double, double low, double high) { return {0, 1 / (high - low), -1 / (high - low)}; }
};
struct NormalPdf {
  static double log(double x, double mean, double deviation) {
    const double z = (x - mean) / deviation;
    return -0.5 * z * z - std::log(deviation) - 0.91893853320467274;  // ln sqrt(2 pi)
  }
  static Gradients gradients(double x, double mean, double deviation) {
    const double z = (x - mean) / deviation;
    return {-z / deviation, z / deviation, (z * z - 1) / deviation};
  }
};
struct GammaPdf {  // here the second parameter is a rate
  static double log(double x, double shape, double rate) {
    return shape * std::log(rate) + (shape - 1) * std::log(x) - rate * x - std::lgamma(shape);
  }
  static Gradients gradients(double x, double shape, double rate) {
    return {(shape - 1) / x - rate, std::log(rate) + std::log(x) - digamma(shape), shape / rate - x};
  }
};
struct ExponentialPdf {
  static double log(double x, double rate, double) { return std::log(rate) - rate * x; }
  static Gradients gradients(double x, double rate, double) { return {-rate, 1 / rate - x, 0}; }
};
struct PoissonPdf {
  static double log(double x, double mean, double) { return x * std::log(mean) - mean - std::lgamma(x + 1); }
  static Gradients gradients(double x, double mean, double) { return {0, x / mean - 1, 0}; }
};
struct NegativeBinomialPdf {
  static double log(double x, double limit, double p) {
    return std::lgamma(x + limit) - std::lgamma(x + 1) - std::lgamma(limit) + limit * std::log(p) + x * std::log(1 - p);
  }
  static Gradients gradients(double x, double limit, double p) {
    return {0, digamma(x + limit) - digamma(limit) + std::log(p), limit / p - x / (1 - p)};
  }
};
struct GeneralizedNegativeBinomialPdf {
  static double log(double x, double mean, double alpha) {
    return NegativeBinomialPdf::log(x, 1 / alpha, 1 / (mean * alpha + 1));
  }
  static Gradients gradients(double x, double mean, double alpha) {
    const double p = 1 / (mean * alpha + 1);
    const Gradients g = NegativeBinomialPdf::gradients(x, 1 / alpha, p);
    return {0, -g.second * p * p * alpha, -g.first / (alpha * alpha) - g.second * p * p * mean};
  }
};

// Samples are the shape of the parameters with further axes: element i belongs to parameter i / each.
template <class Pdf>
Kernel pdf_kernel(const KernelContext& c, const char* name) {
  const bool is_log = c.attrs.get<PdfParam>().is_log;
  const int64_t n = c.in_shapes[0].size();
  const int64_t parameters = c.in_shapes[1].size();
  const int64_t each = parameters > 0 ? n / parameters : 0;
  const bool two = c.in_shapes.size() > 2;
  return visit_float(c.in_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      parallel_for(n, 50, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t p = i / each;
          const double value = Pdf::log(static_cast<double>(static_cast<compute_t<T>>(a.input<T>(0)[i])),
                                        static_cast<double>(static_cast<compute_t<T>>(a.input<T>(1)[p])),
                                        two ? static_cast<double>(static_cast<compute_t<T>>(a.input<T>(2)[p])) : 0.0);
          a.output<T>(0)[i] = static_cast<T>(is_log ? value : std::exp(value));
        }
      });
    }};
  });
}

// Inputs: output gradient, sample, parameters.
template <class Pdf>
Kernel pdf_backward_kernel(const KernelContext& c, const char* name) {
  const bool is_log = c.attrs.get<PdfParam>().is_log;
  const int64_t n = c.in_shapes[1].size();
  const int64_t parameters = c.in_shapes[2].size();
  const int64_t each = parameters > 0 ? n / parameters : 0;
  const bool two = c.in_shapes.size() > 3;
  return visit_float(c.in_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      const auto number = [&](size_t input, int64_t i) {
        return static_cast<double>(static_cast<compute_t<T>>(a.input<T>(input)[i]));
      };
      parallel_for(parameters, each * 80, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          double first = 0;
          double second = 0;
          for (int64_t i = p * each; i < (p + 1) * each; ++i) {
            const double x = number(1, i);
            const double u = number(2, p);
            const double v = two ? number(3, p) : 0.0;
            const Gradients g = Pdf::gradients(x, u, v);
            const double factor = number(0, i) * (is_log ? 1.0 : std::exp(Pdf::log(x, u, v)));
            a.output<T>(0)[i] = static_cast<T>(factor * g.sample);
            first += factor * g.first;
            second += factor * g.second;
          }
          a.output<T>(1)[p] = static_cast<T>(first);
          if (two) a.output<T>(2)[p] = static_cast<T>(second);
        }
      });
    }};
  });
}

Params<PdfParam> pdf_params() {
  return Params<PdfParam>().field("is_log", &PdfParam::is_log, "Return the logarithm of the density.");
}

void check_leading(const Shape& sample, const Shape& parameter, int common, const char* name) {
  require(parameter.ndim() >= common && sample.ndim() >= common, "operator ", name, ": a sample of shape ", sample,
          " does not fit parameters of shape ", parameter);
  for (int i = 0; i < common; ++i) {
    require(sample[i] == parameter[i] || sample[i] < 0 || parameter[i] < 0, "operator ", name, ": a sample of shape ",
            sample, " does not start with the shape ", parameter, " of the parameters");
  }
}

template <class Pdf>
void declare(const char* name, const char* alias, const char* backward_name, std::vector<std::string> inputs,
             const char* what) {
  std::vector<std::string> backward_inputs{"ograd"};
  backward_inputs.insert(backward_inputs.end(), inputs.begin(), inputs.end());
  std::vector<int> all;
  for (size_t i = 0; i < inputs.size(); ++i) all.push_back(static_cast<int>(i));
  const int outputs = static_cast<int>(inputs.size());
  register_op(name)
      .alias({alias})
      .doc(text("The density of samples under ", what, " distributions."))
      .inputs(inputs)
      .params(pdf_params())
      .infer_shape([=](const Attrs&, ShapeVec& in, ShapeVec& out) {
        for (size_t i = 2; i < in.size(); ++i) {
          assign_shape(in[1], in[i]);
          assign_shape(in[i], in[1]);
        }
        assign_shape(out[0], in[0]);
        assign_shape(in[0], out[0]);
        if (in[0].ndim_known() && in[1].ndim_known()) check_leading(in[0], in[1], in[1].ndim(), name);
      })
      .infer_type(infer_same_type)
      .gradient(backward_op(backward_name, {0}, all, {}))
      .kernel([=](const KernelContext& c) { return pdf_kernel<Pdf>(c, name); });
  std::vector<int> like;
  for (int i : all) like.push_back(i + 1);
  register_op(backward_name)
      .internal()
      .inputs(std::move(backward_inputs))
      .outputs(outputs)
      .params(pdf_params())
      .infer_shape(shape_like_inputs(like))
      .infer_type(infer_same_type)
      .kernel([=](const KernelContext& c) { return pdf_backward_kernel<Pdf>(c, backward_name); });
}

// A sample is a vector of `k` numbers that sum to one; alpha has one vector for each leading index.
struct DirichletShape {
  int64_t parameters, each, k;
};

DirichletShape dirichlet_shape(const Shape& sample, const Shape& alpha) {
  const int64_t k = alpha.back();
  const int64_t parameters = k > 0 ? alpha.size() / k : 0;
  return {parameters, parameters > 0 ? sample.size() / k / parameters : 0, k};
}

Kernel dirichlet_kernel(const KernelContext& c) {
  const bool is_log = c.attrs.get<PdfParam>().is_log;
  const DirichletShape s = dirichlet_shape(c.in_shapes[0], c.in_shapes[1]);
  return visit_float(c.in_types[0], "_random_pdf_dirichlet", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      for (int64_t i = 0; i < s.parameters * s.each; ++i) {
        const T* x = a.input<T>(0) + i * s.k;
        const T* alpha = a.input<T>(1) + i / s.each * s.k;
        double total = 0;
        double value = 0;
        for (int64_t j = 0; j < s.k; ++j) {
          const auto aj = static_cast<double>(static_cast<compute_t<T>>(alpha[j]));
          total += aj;
          value += (aj - 1) * std::log(static_cast<double>(static_cast<compute_t<T>>(x[j]))) - std::lgamma(aj);
        }
        value += std::lgamma(total);
        a.output<T>(0)[i] = static_cast<T>(is_log ? value : std::exp(value));
      }
    }};
  });
}

// Inputs: output gradient, sample, alpha, output.
Kernel dirichlet_backward_kernel(const KernelContext& c) {
  const bool is_log = c.attrs.get<PdfParam>().is_log;
  const DirichletShape s = dirichlet_shape(c.in_shapes[1], c.in_shapes[2]);
  return visit_float(c.in_types[0], "_backward_pdf_dirichlet", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      const auto number = [&](size_t input, int64_t i) {
        return static_cast<double>(static_cast<compute_t<T>>(a.input<T>(input)[i]));
      };
      for (int64_t p = 0; p < s.parameters; ++p) {
        double total = 0;
        for (int64_t j = 0; j < s.k; ++j) total += number(2, p * s.k + j);
        const double common = digamma(total);
        for (int64_t j = 0; j < s.k; ++j) {
          const double alpha = number(2, p * s.k + j);
          const double own = common - digamma(alpha);
          double sum = 0;
          for (int64_t i = p * s.each; i < (p + 1) * s.each; ++i) {
            const double factor = number(0, i) * (is_log ? 1.0 : number(3, i));
            const double x = number(1, i * s.k + j);
            a.output<T>(0)[i * s.k + j] = static_cast<T>(factor * (alpha - 1) / x);
            sum += factor * (std::log(x) + own);
          }
          a.output<T>(1)[p * s.k + j] = static_cast<T>(sum);
        }
      }
    }};
  });
}

}  // namespace

MXNET_REGISTER(pdf) {
  declare<UniformPdf>("_random_pdf_uniform", "random_pdf_uniform", "_backward_pdf_uniform", {"sample", "low", "high"},
                      "uniform");
  declare<NormalPdf>("_random_pdf_normal", "random_pdf_normal", "_backward_pdf_normal", {"sample", "mu", "sigma"},
                     "normal");
  declare<GammaPdf>("_random_pdf_gamma", "random_pdf_gamma", "_backward_pdf_gamma", {"sample", "alpha", "beta"},
                    "gamma");
  declare<ExponentialPdf>("_random_pdf_exponential", "random_pdf_exponential", "_backward_pdf_exponential",
                          {"sample", "lam"}, "exponential");
  declare<PoissonPdf>("_random_pdf_poisson", "random_pdf_poisson", "_backward_pdf_poisson", {"sample", "lam"},
                      "Poisson");
  declare<NegativeBinomialPdf>("_random_pdf_negative_binomial", "random_pdf_negative_binomial",
                               "_backward_pdf_negative_binomial", {"sample", "k", "p"}, "negative binomial");
  declare<GeneralizedNegativeBinomialPdf>(
      "_random_pdf_generalized_negative_binomial", "random_pdf_generalized_negative_binomial",
      "_backward_pdf_generalized_negative_binomial", {"sample", "mu", "alpha"}, "generalized negative binomial");
  register_op("_random_pdf_dirichlet")
      .alias({"random_pdf_dirichlet"})
      .doc("The density of samples under Dirichlet distributions.")
      .inputs({"sample", "alpha"})
      .params(pdf_params())
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known() || !in[1].ndim_known()) return;
        require(in[0].ndim() >= 1 && in[1].ndim() >= 1 &&
                    (in[0].back() == in[1].back() || in[0].back() < 0 || in[1].back() < 0),
                "operator _random_pdf_dirichlet: a sample of shape ", in[0], " does not fit alpha of shape ", in[1]);
        check_leading(in[0], in[1], in[1].ndim() - 1, "_random_pdf_dirichlet");
        Shape result = in[0];
        result.erase(result.ndim() - 1);
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .gradient(backward_op("_backward_pdf_dirichlet", {0}, {0, 1}, {0}))
      .kernel(dirichlet_kernel);
  register_op("_backward_pdf_dirichlet")
      .internal()
      .inputs({"ograd", "sample", "alpha", "output"})
      .outputs(2)
      .params(pdf_params())
      .infer_shape(shape_like_inputs({1, 2}))
      .infer_type(infer_same_type)
      .kernel(dirichlet_backward_kernel);
}

}  // namespace mxnet
