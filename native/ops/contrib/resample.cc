// BilinearResize2D and AdaptiveAvgPooling2D: planes of an NCHW array brought to another size by fixed weights.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct AdaptiveParam {
  Shape output_size = Shape::scalar();
};

enum ResizeMode { kSize, kOddScale, kLike, kToEvenDown, kToEvenUp, kToOddDown, kToOddUp };

struct BilinearParam {
  int height = 1;
  int width = 1;
  std::optional<float> scale_height;
  std::optional<float> scale_width;
  int mode = kSize;
  bool align_corners = true;
};

// For every target position a stretch of source positions and their weights.
struct Taps {
  struct Span {
    int64_t first;
    int64_t count;
    int64_t at;  // into weights
  };
  int64_t source = 0;
  std::vector<Span> spans;
  std::vector<float> weights;
};

Taps bilinear_taps(int64_t source, int64_t target, bool align_corners) {
  Taps taps{source, {}, {}};
  for (int64_t t = 0; t < target; ++t) {
    float at;
    if (align_corners) {
      at =
          target > 1 ? static_cast<float>(t) * (static_cast<float>(source - 1) / static_cast<float>(target - 1)) : 0.0f;
    } else {
      at = std::max(0.0f,
                    (static_cast<float>(t) + 0.5f) * (static_cast<float>(source) / static_cast<float>(target)) - 0.5f);
    }
    const int64_t first = std::min(static_cast<int64_t>(at), source - 1);
    const float part = at - static_cast<float>(first);
    const bool two = first + 1 < source;
    taps.spans.push_back({first, two ? 2 : 1, static_cast<int64_t>(taps.weights.size())});
    taps.weights.push_back(two ? 1 - part : 1.0f);
    if (two) taps.weights.push_back(part);
  }
  return taps;
}

Taps average_taps(int64_t source, int64_t target) {
  Taps taps{source, {}, {}};
  for (int64_t t = 0; t < target; ++t) {
    const int64_t first = t * source / target;
    const int64_t last = ((t + 1) * source + target - 1) / target;
    taps.spans.push_back({first, last - first, static_cast<int64_t>(taps.weights.size())});
    taps.weights.insert(taps.weights.end(), static_cast<size_t>(last - first), 1.0f / static_cast<float>(last - first));
  }
  return taps;
}

Kernel resample_kernel(const KernelContext& c, const Shape& source, const Shape& target, Taps y, Taps x, bool adjoint,
                       const char* name) {
  const int64_t planes = source[0] * source[1];
  const int64_t source_size = source[2] * source[3];
  const int64_t target_size = target[2] * target[3];
  const auto rows = std::make_shared<const Taps>(std::move(y));
  const auto columns = std::make_shared<const Taps>(std::move(x));
  return visit_float(c.in_types[0], name, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    // The adjoint adds up in the compute type; half types need a plane of it for each thread's planes.
    const size_t plane_bytes =
        adjoint && sizeof(C) != sizeof(T) ? static_cast<size_t>(planes * source_size) * sizeof(C) : 0;
    return {[=](const KernelArgs& a) {
              parallel_for(planes, target_size * 4, [&](int64_t begin, int64_t end) {
                for (int64_t n = begin; n < end; ++n) {
                  const T* in = a.input<T>(0) + n * (adjoint ? target_size : source_size);
                  T* out = a.output<T>(0) + n * (adjoint ? source_size : target_size);
                  C* sums = plane_bytes ? static_cast<C*>(a.workspace) + n * source_size : reinterpret_cast<C*>(out);
                  if (adjoint) std::fill_n(sums, source_size, C(0));
                  int64_t t = 0;
                  for (const Taps::Span& row : rows->spans) {
                    for (const Taps::Span& column : columns->spans) {
                      C sum = 0;
                      const C g = adjoint ? static_cast<C>(in[t]) : C(0);
                      for (int64_t i = 0; i < row.count; ++i) {
                        const C wy = rows->weights[static_cast<size_t>(row.at + i)];
                        const int64_t at = (row.first + i) * columns->source + column.first;
                        for (int64_t j = 0; j < column.count; ++j) {
                          const C w = wy * columns->weights[static_cast<size_t>(column.at + j)];
                          if (adjoint) {
                            sums[at + j] += w * g;
                          } else {
                            sum += w * static_cast<C>(in[at + j]);
                          }
                        }
                      }
                      if (!adjoint) out[t] = static_cast<T>(sum);
                      ++t;
                    }
                  }
                  if (plane_bytes) {
                    for (int64_t i = 0; i < source_size; ++i) out[i] = static_cast<T>(sums[i]);
                  }
                }
              });
            },
            plane_bytes};
  });
}

void require_planes(const Shape& shape, const char* name) {
  require(shape.ndim() == 4, "operator ", name, ": data must have shape (batch, channels, height, width), not ", shape);
}

int64_t resized_length(const BilinearParam& p, int64_t n, int size, const std::optional<float>& scale,
                       const Shape* like, int axis) {
  switch (p.mode) {
    case kOddScale: {
      require(scale.has_value(),
              "operator _contrib_BilinearResize2D: mode odd_scale needs scale_height and scale_width");
      return n % 2 == 0 ? static_cast<int64_t>(static_cast<float>(n) * *scale)
                        : static_cast<int64_t>(static_cast<float>(n - 1) * *scale) + 1;
    }
    case kLike:
      return (*like)[axis];
    case kToEvenDown:
      return n - n % 2;
    case kToEvenUp:
      return n + n % 2;
    case kToOddDown:
      return n % 2 == 0 ? n - 1 : n;
    case kToOddUp:
      return n % 2 == 0 ? n + 1 : n;
    default:
      return scale ? static_cast<int64_t>(static_cast<float>(n) * *scale) : size;
  }
}

Params<BilinearParam> bilinear_params() {
  return Params<BilinearParam>()
      .field("height", &BilinearParam::height, "Height of the output.")
      .range(1, 10000)
      .field("width", &BilinearParam::width, "Width of the output.")
      .range(1, 10000)
      .field("scale_height", &BilinearParam::scale_height, "Factor of the height, instead of height.")
      .field("scale_width", &BilinearParam::scale_width, "Factor of the width, instead of width.")
      .enumeration(
          "mode", &BilinearParam::mode,
          {{"size", kSize},
           {"odd_scale", kOddScale},
           {"like", kLike},
           {"to_even_down", kToEvenDown},
           {"to_even_up", kToEvenUp},
           {"to_odd_down", kToOddDown},
           {"to_odd_up", kToOddUp}},
          "How the output size follows: from the parameters, from the second input, or rounded to even or odd numbers.")
      .field("align_corners", &BilinearParam::align_corners,
             "The corner pixels of input and output lie on each other.");
}

Params<AdaptiveParam> adaptive_params() {
  return Params<AdaptiveParam>().field("output_size", &AdaptiveParam::output_size,
                                       "Height and width of the output, or one number for both. Default: 1.");
}

Kernel bilinear_kernel(const KernelContext& c, const Shape& source, const Shape& target, bool adjoint) {
  const bool align = c.attrs.get<BilinearParam>().align_corners;
  return resample_kernel(c, source, target, bilinear_taps(source[2], target[2], align),
                         bilinear_taps(source[3], target[3], align), adjoint, "_contrib_BilinearResize2D");
}

Kernel adaptive_kernel(const KernelContext& c, const Shape& source, const Shape& target, bool adjoint) {
  return resample_kernel(c, source, target, average_taps(source[2], target[2]), average_taps(source[3], target[3]),
                         adjoint, "_contrib_AdaptiveAvgPooling2D");
}

}  // namespace

MXNET_REGISTER(bilinear_resize) {
  register_op("_contrib_BilinearResize2D")
      .doc("Bilinear resizing of the planes of an NCHW array.")
      .inputs([](const Attrs& attrs) {
        std::vector<std::string> names{"data"};
        if (!attrs.params || attrs.get<BilinearParam>().mode == kLike) names.emplace_back("like");
        return names;
      })
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"like", "NDArray-or-Symbol"}})
      .params(bilinear_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<BilinearParam>();
        if (!in[0].ndim_known() || (p.mode == kLike && !in[1].ndim_known())) return;
        for (const Shape& s : in) require_planes(s, "_contrib_BilinearResize2D");
        Shape result = in[0];
        if (in[0][2] < 0 || in[0][3] < 0) return;
        const Shape* like = p.mode == kLike ? &in[1] : nullptr;
        result[2] = resized_length(p, in[0][2], p.height, p.scale_height, like, 2);
        result[3] = resized_length(p, in[0][3], p.width, p.scale_width, like, 3);
        require(result[2] != 0 && result[3] != 0, "operator _contrib_BilinearResize2D: the output of shape ", in[0],
                " would be empty");
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        std::vector<Entry> grads(node->inputs.size());
        grads[0] = g.op("_backward_contrib_BilinearResize2D", {g.out_grad(), g.input(0)}, g.parameters());
        return grads;
      })
      .kernel([](const KernelContext& c) { return bilinear_kernel(c, c.in_shapes[0], c.out_shapes[0], false); });
  register_op("_backward_contrib_BilinearResize2D")
      .internal()
      .inputs({"ograd", "data"})
      .params(bilinear_params())
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) { return bilinear_kernel(c, c.out_shapes[0], c.in_shapes[0], true); });
}

MXNET_REGISTER(adaptive_pooling) {
  register_op("_contrib_AdaptiveAvgPooling2D")
      .doc("Average pooling of an NCHW array to a given size, with windows that differ by one at most.")
      .params(adaptive_params())
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const Shape& size = attrs.get<AdaptiveParam>().output_size;
        require(size.ndim() <= 2,
                "operator _contrib_AdaptiveAvgPooling2D: output_size must have one or two numbers, not ", size);
        for (int64_t d : size)
          require(d > 0, "operator _contrib_AdaptiveAvgPooling2D: output_size ", size, " must be positive");
        if (!in[0].ndim_known()) return;
        require_planes(in[0], "_contrib_AdaptiveAvgPooling2D");
        Shape result = in[0];
        result[2] = size.ndim() > 0 ? size[0] : 1;
        result[3] = size.ndim() > 0 ? size.back() : 1;
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{
            g.op("_backward_contrib_AdaptiveAvgPooling2D", {g.out_grad(), g.input(0)}, g.parameters())};
      })
      .kernel([](const KernelContext& c) { return adaptive_kernel(c, c.in_shapes[0], c.out_shapes[0], false); });
  register_op("_backward_contrib_AdaptiveAvgPooling2D")
      .internal()
      .inputs({"ograd", "data"})
      .params(adaptive_params())
      .infer_shape(shape_like_inputs({1}))
      .infer_type(infer_same_type)
      .kernel([](const KernelContext& c) { return adaptive_kernel(c, c.out_shapes[0], c.in_shapes[0], true); });
}

}  // namespace mxnet
