// Connectionist temporal classification (Graves et al., ICML 2006): the forward-backward recursion in log space.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"

namespace mxnet {
namespace {

struct CtcParam {
  bool use_data_lengths = false;
  bool use_label_lengths = false;
  int blank_label = 0;
};

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

// Shapes and the places of the optional inputs.
struct Spec {
  int64_t steps, batch, classes, max_labels;
  int data_lengths = -1, label_lengths = -1;
  int64_t blank = 0;
  int64_t states() const { return 2 * max_labels + 1; }
  // Doubles for one sequence: log probabilities, two recursions, and the extended labels.
  int64_t scratch() const { return steps * classes + 2 * steps * states() + states(); }
};

template <class T>
struct Sequence {
  const Spec& s;
  double* log_p;   // (steps, classes)
  double* alpha;   // (steps, states)
  double* beta;
  int64_t* labels; // (states), blanks between the labels
  int64_t steps = 0, states = 0;

  Sequence(const Spec& spec, double* scratch)
      : s(spec), log_p(scratch), alpha(log_p + spec.steps * spec.classes), beta(alpha + spec.steps * spec.states()),
        labels(reinterpret_cast<int64_t*>(beta + spec.steps * spec.states())) {}

  void load(const KernelArgs& args, int64_t b) {
    steps = s.steps;
    if (s.data_lengths >= 0) {
      steps = std::clamp<int64_t>(static_cast<int64_t>(args.input<T>(static_cast<size_t>(s.data_lengths))[b]), 0, s.steps);
    }
    const T* label = args.input<T>(1) + b * s.max_labels;
    int64_t count = s.max_labels;
    if (s.label_lengths >= 0) {
      count = std::clamp<int64_t>(static_cast<int64_t>(args.input<T>(static_cast<size_t>(s.label_lengths))[b]), 0, s.max_labels);
    } else {
      // The padding is 0 where the blank is first and -1 where it is last.
      const int64_t padding = s.blank == 0 ? 0 : -1;
      count = 0;
      while (count < s.max_labels && static_cast<int64_t>(label[count]) != padding) ++count;
    }
    states = 2 * count + 1;
    for (int64_t i = 0; i < states; ++i) labels[i] = i % 2 ? std::clamp<int64_t>(static_cast<int64_t>(label[i / 2]), 0, s.classes - 1) : s.blank;
    const T* data = args.input<T>(0);
    for (int64_t t = 0; t < steps; ++t) {
      const T* row = data + (t * s.batch + b) * s.classes;
      double shift = static_cast<double>(row[0]), total = 0;
      for (int64_t k = 1; k < s.classes; ++k) shift = std::max(shift, static_cast<double>(row[k]));
      for (int64_t k = 0; k < s.classes; ++k) total += std::exp(static_cast<double>(row[k]) - shift);
      const double norm = shift + std::log(total);
      for (int64_t k = 0; k < s.classes; ++k) log_p[t * s.classes + k] = static_cast<double>(row[k]) - norm;
    }
  }

  bool may_skip(int64_t i) const { return i >= 2 && i % 2 == 1 && labels[i] != labels[i - 2]; }
  double emit(int64_t t, int64_t i) const { return log_p[t * s.classes + labels[i]]; }

  // log of the probability of the labels; alpha includes the emission of its own step.
  double forward() {
    if (steps == 0) return states == 1 ? 0 : kNever;
    for (int64_t i = 0; i < states; ++i) alpha[i] = i < 2 ? emit(0, i) : kNever;
    for (int64_t t = 1; t < steps; ++t) {
      const double* before = alpha + (t - 1) * states;
      double* now = alpha + t * states;
      for (int64_t i = 0; i < states; ++i) {
        double v = before[i];
        if (i >= 1) v = log_add(v, before[i - 1]);
        if (may_skip(i)) v = log_add(v, before[i - 2]);
        now[i] = v + emit(t, i);
      }
    }
    const double* last = alpha + (steps - 1) * states;
    return states > 1 ? log_add(last[states - 1], last[states - 2]) : last[0];
  }

  // beta leaves out the emission of its own step.
  void backward() {
    if (steps == 0) return;
    for (int64_t i = 0; i < states; ++i) beta[(steps - 1) * states + i] = i >= states - 2 ? 0.0 : kNever;
    for (int64_t t = steps - 2; t >= 0; --t) {
      const double* after = beta + (t + 1) * states;
      double* now = beta + t * states;
      for (int64_t i = 0; i < states; ++i) {
        double v = after[i] + emit(t + 1, i);
        if (i + 1 < states) v = log_add(v, after[i + 1] + emit(t + 1, i + 1));
        if (i + 2 < states && may_skip(i + 2)) v = log_add(v, after[i + 2] + emit(t + 1, i + 2));
        now[i] = v;
      }
    }
  }

  // d(-log p) / d(data): softmax minus the expected use of each class.
  void write_gradient(double log_total, T* grad, int64_t b) const {
    for (int64_t t = 0; t < s.steps; ++t) {
      T* row = grad + (t * s.batch + b) * s.classes;
      const bool reachable = t < steps && log_total != kNever;
      if (!reachable) {
        std::fill_n(row, s.classes, T(0));
        continue;
      }
      const double* p = log_p + t * s.classes;
      for (int64_t k = 0; k < s.classes; ++k) {
        double used = 0;
        for (int64_t i = 0; i < states; ++i) {
          if (labels[i] == k) used += std::exp(alpha[t * states + i] + beta[t * states + i] - log_total);
        }
        row[k] = static_cast<T>(std::exp(p[k]) - used);
      }
    }
  }
};

Kernel make_ctc_kernel(const KernelContext& c) {
  const auto& p = c.attrs.get<CtcParam>();
  const Shape& data = c.in_shapes[0];
  Spec spec{data[0], data[1], data[2], c.in_shapes[1][1]};
  int next = 2;
  if (p.use_data_lengths) spec.data_lengths = next++;
  if (p.use_label_lengths) spec.label_lengths = next++;
  spec.blank = p.blank_label == 0 ? 0 : spec.classes - 1;
  const int64_t lanes = std::max<int64_t>(1, std::min<int64_t>(spec.batch, 16));
  return visit_float(c.in_types[0], "CTCLoss", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[spec, lanes](const KernelArgs& args) {
              parallel_for(lanes, spec.batch * spec.steps * spec.states() * 60 / lanes, [&](int64_t first, int64_t last) {
                for (int64_t lane = first; lane < last; ++lane) {
                  Sequence<T> sequence(spec, static_cast<double*>(args.workspace) + lane * spec.scratch());
                  for (int64_t b = spec.batch * lane / lanes; b < spec.batch * (lane + 1) / lanes; ++b) {
                    sequence.load(args, b);
                    const double log_total = sequence.forward();
                    sequence.backward();
                    args.output<T>(0)[b] = static_cast<T>(-log_total);
                    sequence.write_gradient(log_total, args.output<T>(1), b);
                  }
                }
              });
            },
            static_cast<size_t>(spec.scratch() * lanes) * sizeof(double)};
  });
}

void infer_ctc_shape(const Attrs&, ShapeVec& in, ShapeVec& out) {
  const Shape& data = in[0];
  if (!data.ndim_known()) return;
  require(data.ndim() == 3, "CTCLoss: data must be (sequence length, batch, classes), got ", data);
  require(data[2] != 0, "CTCLoss: data of shape ", data, " has no classes");
  if (in[1].ndim_known()) {
    assign_shape(in[1], Shape{data[1], -1}, "CTCLoss: label");
    require(in[1][1] < 0 || data[0] < 0 || in[1][1] <= data[0], "CTCLoss: ", in[1][1],
            " labels do not fit in a sequence of length ", data[0]);
  }
  for (size_t i = 2; i < in.size(); ++i) assign_shape(in[i], Shape{data[1]}, "CTCLoss: lengths");
  assign_shape(out[0], Shape{data[1]});
  assign_shape(out[1], data);
}

// The forward pass already holds the gradient; each sequence's is scaled by that of its loss.
std::vector<Entry> ctc_gradient(const NodePtr& node, const std::vector<Entry>& ograds) {
  const GradientBuilder g(node, ograds);
  std::vector<Entry> grads(node->inputs.size());
  const Entry column = g.op("expand_dims", {g.out_grad()}, {{"axis", "1"}});
  grads[0] = g.op("broadcast_mul", {g.output(1), column});
  return grads;
}

}  // namespace

MXNET_REGISTER(ctc_loss) {
  register_op("CTCLoss").alias({"_contrib_CTCLoss", "_contrib_ctc_loss", "ctc_loss"})
      .doc("Loss of connectionist temporal classification of data (length, batch, classes) against label sequences.")
      .params(Params<CtcParam>()
                  .field("use_data_lengths", &CtcParam::use_data_lengths, "Whether data_lengths is given.")
                  .field("use_label_lengths", &CtcParam::use_label_lengths,
                         "Whether label_lengths is given; otherwise labels end at the first padding.")
                  .enumeration("blank_label", &CtcParam::blank_label, {{"first", 0}, {"last", 1}}, "Class of the blank."))
      .inputs([](const Attrs& attrs) {
        const auto& p = attrs.get<CtcParam>();
        std::vector<std::string> names{"data", "label"};
        if (p.use_data_lengths) names.push_back("data_lengths");
        if (p.use_label_lengths) names.push_back("label_lengths");
        return names;
      })
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"label", "NDArray-or-Symbol"},
                          {"data_lengths", "NDArray-or-Symbol"}, {"label_lengths", "NDArray-or-Symbol"}})
      .outputs(2).visible_outputs(1).infer_shape(infer_ctc_shape).infer_type(infer_same_type).gradient(ctc_gradient)
      .kernel(make_ctc_kernel);
}

}  // namespace mxnet
