// box_iou, box_nms, bipartite_matching, box_encode, box_decode.
#include "ops/contrib/boxes.h"

#include <cmath>

#include "base/parallel.h"
#include "op/gradient.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct IouParam {
  int format = kCorner;
};
struct NmsParam {
  float overlap_thresh = 0.5f;
  float valid_thresh = 0;
  int topk = -1;
  int coord_start = 2;
  int score_index = 1;
  int id_index = -1;
  int background_id = -1;
  bool force_suppress = false;
  int in_format = kCorner;
  int out_format = kCorner;
};
struct MatchingParam {
  bool is_ascend = false;
  float threshold;
  int topk = -1;
};
struct DecodeParam {
  float std0 = 1, std1 = 1, std2 = 1, std3 = 1;
  float clip = -1;
  int format = kCenter;
};

std::vector<EnumChoice> format_choices() { return {{"corner", kCorner}, {"center", kCenter}}; }

void require_boxes(const Shape& shape, const char* what) {
  require(shape.ndim() >= 1 && (shape.back() < 0 || shape.back() == 4), what,
          " must have boxes of 4 numbers along its last axis, not shape ", shape);
}

Kernel iou_kernel(const KernelContext& c) {
  const int format = c.attrs.get<IouParam>().format;
  const int64_t rows = c.in_shapes[0].size() / 4;
  const int64_t columns = c.in_shapes[1].size() / 4;
  return visit_float(c.in_types[0], "_contrib_box_iou", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& a) {
      const T* lhs = a.input<T>(0);
      const T* rhs = a.input<T>(1);
      T* y = a.output<T>(0);
      parallel_for(rows, columns * 16, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Box<C> box = load_box<C>(lhs + 4 * i, format);
          for (int64_t j = 0; j < columns; ++j)
            y[i * columns + j] = static_cast<T>(intersection_over_union(box, load_box<C>(rhs + 4 * j, format)));
        }
      });
    }};
  });
}

// Output 0: the boxes that stay, in the order of falling scores, then rows of -1. Output 1: where each row came from.
Kernel nms_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<NmsParam>();
  const Shape& shape = c.in_shapes[0];
  const int64_t width = shape.back();
  const int64_t count = shape[shape.ndim() - 2];
  const int64_t batch = shape.product(0, shape.ndim() - 2);
  require(p.coord_start >= 0 && p.coord_start <= width - 4 && p.score_index >= 0 && p.score_index < width &&
              p.id_index < width,
          "operator _contrib_box_nms: coord_start=", p.coord_start, ", score_index=", p.score_index,
          " and id_index=", p.id_index, " do not fit rows of ", width, " numbers");
  return visit_float(c.in_types[0], "_contrib_box_nms", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const size_t orders = static_cast<size_t>(batch * count) * sizeof(int64_t);
    return {[=](const KernelArgs& a) {
              parallel_for(batch, count * count, [&](int64_t first, int64_t last) {
                for (int64_t b = first; b < last; ++b) {
                  const T* x = a.input<T>(0) + b * count * width;
                  T* y = a.output<T>(0) + b * count * width;
                  T* from = a.output<T>(1) + b * count;
                  int64_t* order = static_cast<int64_t*>(a.workspace) + b * count;
                  const auto score = [&](int64_t i) { return static_cast<C>(x[i * width + p.score_index]); };
                  const auto id = [&](int64_t i) {
                    return p.id_index < 0 ? C(0) : static_cast<C>(x[i * width + p.id_index]);
                  };
                  int64_t n = 0;
                  for (int64_t i = 0; i < count; ++i) {
                    const bool background =
                        p.id_index >= 0 && p.background_id >= 0 && id(i) == static_cast<C>(p.background_id);
                    if (score(i) > p.valid_thresh && !background) order[n++] = i;
                  }
                  std::sort(order, order + n,
                            [&](int64_t i, int64_t j) { return score(i) != score(j) ? score(i) > score(j) : i < j; });
                  if (p.topk > 0) n = std::min<int64_t>(n, p.topk);
                  int64_t kept = 0;
                  for (int64_t k = 0; k < n; ++k) {
                    const int64_t i = order[k];
                    const Box<C> box = load_box<C>(x + i * width + p.coord_start, p.in_format);
                    bool stays = true;
                    for (int64_t q = 0; q < kept && stays; ++q) {
                      const int64_t j = order[q];
                      if (!p.force_suppress && p.id_index >= 0 && id(i) != id(j)) continue;
                      stays = !(intersection_over_union(box, load_box<C>(x + j * width + p.coord_start, p.in_format)) >
                                static_cast<C>(p.overlap_thresh));
                    }
                    if (stays) order[kept++] = i;  // the places before k are free: they hold boxes that were looked at
                  }
                  for (int64_t k = 0; k < count; ++k) {
                    if (k >= kept) {
                      std::fill_n(y + k * width, width, T(-1));
                      from[k] = T(-1);
                      continue;
                    }
                    std::copy_n(x + order[k] * width, width, y + k * width);
                    if (p.in_format != p.out_format) {
                      store_box(load_box<C>(x + order[k] * width + p.coord_start, p.in_format), p.out_format,
                                y + k * width + p.coord_start);
                    }
                    from[k] = static_cast<T>(order[k]);
                  }
                }
              });
            },
            orders};
  });
}

// Inputs: output gradient, where each output row came from, data.
Kernel nms_backward_kernel(const KernelContext& c) {
  const Shape& shape = c.out_shapes[0];
  const int64_t width = shape.back();
  const int64_t count = shape[shape.ndim() - 2];
  const int64_t batch = shape.product(0, shape.ndim() - 2);
  return visit_float(c.out_types[0], "_backward_contrib_box_nms", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      T* dx = a.output<T>(0);
      std::fill_n(dx, batch * count * width, T(0));
      for (int64_t r = 0; r < batch * count; ++r) {
        const auto from = static_cast<int64_t>(static_cast<float>(a.input<T>(1)[r]));
        if (from < 0 || from >= count) continue;
        std::copy_n(a.input<T>(0) + r * width, width, dx + (r / count * count + from) * width);
      }
    }};
  });
}

// Greedy pairs by score; each row and column is used once.
Kernel matching_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<MatchingParam>();
  const Shape& shape = c.in_shapes[0];
  const int64_t columns = shape.back();
  const int64_t rows = shape[shape.ndim() - 2];
  const int64_t batch = shape.product(0, shape.ndim() - 2);
  return visit_float(c.in_types[0], "_contrib_bipartite_matching", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& a) {
              auto* order = static_cast<int64_t*>(a.workspace);
              const int64_t n = rows * columns;
              for (int64_t b = 0; b < batch; ++b) {
                const T* x = a.input<T>(0) + b * n;
                T* row_match = a.output<T>(0) + b * rows;
                T* column_match = a.output<T>(1) + b * columns;
                std::fill_n(row_match, rows, T(-1));
                std::fill_n(column_match, columns, T(-1));
                int64_t scores = 0;  // NaN has no place in an order and matches nothing
                for (int64_t i = 0; i < n; ++i) {
                  if (!std::isnan(static_cast<C>(x[i]))) order[scores++] = i;
                }
                std::sort(order, order + scores, [&](int64_t i, int64_t j) {
                  const C s = static_cast<C>(x[i]);
                  const C t = static_cast<C>(x[j]);
                  return s != t ? (p.is_ascend ? s < t : s > t) : i < j;
                });
                int64_t matched = 0;
                for (int64_t k = 0; k < scores; ++k) {
                  const int64_t r = order[k] / columns;
                  const int64_t q = order[k] % columns;
                  if (static_cast<C>(row_match[r]) != C(-1) || static_cast<C>(column_match[q]) != C(-1)) continue;
                  const C score = static_cast<C>(x[order[k]]);
                  if (p.is_ascend ? !(score < static_cast<C>(p.threshold)) : !(score > static_cast<C>(p.threshold)))
                    break;
                  row_match[r] = static_cast<T>(q);
                  column_match[q] = static_cast<T>(r);
                  ++matched;
                  if (p.topk > 0 && matched > p.topk) break;
                }
              }
            },
            static_cast<size_t>(rows * columns) * sizeof(int64_t)};
  });
}

Kernel decode_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<DecodeParam>();
  const int64_t boxes = c.in_shapes[0].size() / 4;
  const int64_t anchors = c.in_shapes[1].size() / 4;
  return visit_float(c.in_types[0], "_contrib_box_decode", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& a) {
      const T* x = a.input<T>(0);
      const T* anchor = a.input<T>(1);
      T* y = a.output<T>(0);
      parallel_for(boxes, 60, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Box<C> box = load_box<C>(anchor + i % anchors * 4, p.format);
          const C width = box.right - box.left;
          const C height = box.bottom - box.top;
          const C ox = static_cast<C>(x[4 * i]) * p.std0 * width + (box.left + box.right) / 2;
          const C oy = static_cast<C>(x[4 * i + 1]) * p.std1 * height + (box.top + box.bottom) / 2;
          C dw = static_cast<C>(x[4 * i + 2]) * p.std2;
          C dh = static_cast<C>(x[4 * i + 3]) * p.std3;
          if (p.clip > 0) {
            dw = std::min(dw, static_cast<C>(p.clip));
            dh = std::min(dh, static_cast<C>(p.clip));
          }
          const C ow = std::exp(dw) * width / 2;
          const C oh = std::exp(dh) * height / 2;
          store_box(Box<C>{ox - ow, oy - oh, ox + ow, oy + oh}, kCorner, y + 4 * i);
        }
      });
    }};
  });
}

Kernel encode_kernel(const KernelContext& c) {
  const int64_t batch = c.in_shapes[0][0];
  const int64_t count = c.in_shapes[0][1];
  const int64_t references = c.in_shapes[3][1];
  return visit_float(c.in_types[0], "_contrib_box_encode", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    return {[=](const KernelArgs& a) {
      for (int64_t i = 0; i < batch * count; ++i) {
        T* target = a.output<T>(0) + 4 * i;
        const bool valid = static_cast<C>(a.input<T>(0)[i]) > C(0.5) && references > 0;
        std::fill_n(a.output<T>(1) + 4 * i, 4, static_cast<T>(valid ? 1 : 0));
        std::fill_n(target, 4, T(0));
        if (!valid) continue;
        const auto match =
            std::clamp<int64_t>(static_cast<int64_t>(static_cast<C>(a.input<T>(1)[i])), 0, references - 1);
        const Box<C> r = load_box<C>(a.input<T>(3) + (i / count * references + match) * 4, kCorner);
        const Box<C> n = load_box<C>(a.input<T>(2) + 4 * i, kCorner);
        const C values[4] = {((r.left + r.right) - (n.left + n.right)) / 2 / (n.right - n.left),
                             ((r.top + r.bottom) - (n.top + n.bottom)) / 2 / (n.bottom - n.top),
                             std::log((r.right - r.left) / (n.right - n.left)),
                             std::log((r.bottom - r.top) / (n.bottom - n.top))};
        for (int k = 0; k < 4; ++k) {
          target[k] = static_cast<T>((values[k] - static_cast<C>(a.input<T>(4)[k])) / static_cast<C>(a.input<T>(5)[k]));
        }
      }
    }};
  });
}

}  // namespace

MXNET_REGISTER(box_iou) {
  register_op("_contrib_box_iou")
      .doc("Intersection over union of every box of lhs with every box of rhs.")
      .inputs({"lhs", "rhs"})
      .params(Params<IouParam>().enumeration("format", &IouParam::format, format_choices(), "How boxes are written."))
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known() || !in[1].ndim_known()) return;
        require_boxes(in[0], "lhs of box_iou");
        require_boxes(in[1], "rhs of box_iou");
        Shape result(in[0].begin(), in[0].end() - 1);
        for (int i = 0; i + 1 < in[1].ndim(); ++i) result.push_back(in[1][i]);
        assign_shape(out[0], result);
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(iou_kernel);
}

MXNET_REGISTER(box_nms) {
  register_op("_contrib_box_nms")
      .alias({"_contrib_box_non_maximum_suppression"})
      .doc("Non-maximum suppression: of boxes that overlap, the one with the highest score stays.")
      .params(Params<NmsParam>()
                  .field("overlap_thresh", &NmsParam::overlap_thresh, "Boxes with a larger overlap are suppressed.")
                  .field("valid_thresh", &NmsParam::valid_thresh, "Boxes with a score up to this are dropped first.")
                  .field("topk", &NmsParam::topk, "Look at this many of the best boxes only; -1: at all.")
                  .field("coord_start", &NmsParam::coord_start, "Where the box starts in a row.")
                  .field("score_index", &NmsParam::score_index, "Where the score is in a row.")
                  .field("id_index", &NmsParam::id_index, "Where the class is in a row; -1: there is none.")
                  .field("background_id", &NmsParam::background_id, "A class whose boxes are dropped; -1: none.")
                  .field("force_suppress", &NmsParam::force_suppress, "Suppress across classes too.")
                  .enumeration("in_format", &NmsParam::in_format, format_choices(), "How the boxes are written.")
                  .enumeration("out_format", &NmsParam::out_format, format_choices(), "How the result writes them."))
      .outputs(2)
      .visible_outputs(1)
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(in[0], out[0]);
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() >= 2, "operator _contrib_box_nms: data must have two dimensions or more, not shape ",
                in[0]);
        assign_shape(out[0], in[0]);
        Shape rows = in[0];
        rows[rows.ndim() - 1] = 1;
        assign_shape(out[1], rows);
      })
      .infer_type(infer_same_type)
      .gradient([](const NodePtr& node, const std::vector<Entry>& ograds) {
        const GradientBuilder g(node, ograds);
        return std::vector<Entry>{g.op("_backward_contrib_box_nms", {g.out_grad(), g.output(1), g.input(0)})};
      })
      .kernel(nms_kernel);
  register_op("_backward_contrib_box_nms")
      .internal()
      .inputs({"ograd", "index", "data"})
      .lenient()
      .infer_shape(shape_like_inputs({2}))
      .infer_type(infer_same_type)
      .kernel(nms_backward_kernel);
}

MXNET_REGISTER(bipartite_matching) {
  register_op("_contrib_bipartite_matching")
      .doc(
          "Greedy one-to-one matching of rows and columns by score: the column of every row and the row of every "
          "column, or -1.")
      .params(Params<MatchingParam>()
                  .field("is_ascend", &MatchingParam::is_ascend, "Start with the smallest scores.")
                  .required("threshold", &MatchingParam::threshold, "Scores not beyond this are not matched.")
                  .field("topk", &MatchingParam::topk, "Stop after this many matches; -1: never."))
      .outputs(2)
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() >= 2,
                "operator _contrib_bipartite_matching: data must have two dimensions or more, not shape ", in[0]);
        Shape rows = in[0];
        rows.erase(in[0].ndim() - 1);
        Shape columns = in[0];
        columns.erase(in[0].ndim() - 2);
        assign_shape(out[0], rows);
        assign_shape(out[1], columns);
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(matching_kernel);
}

MXNET_REGISTER(box_coding) {
  register_op("_contrib_box_decode")
      .doc("Boxes from offsets to anchors.")
      .inputs({"data", "anchors"})
      .params(Params<DecodeParam>()
                  .field("std0", &DecodeParam::std0, "Factor of the x offset.")
                  .field("std1", &DecodeParam::std1, "Factor of the y offset.")
                  .field("std2", &DecodeParam::std2, "Factor of the log width.")
                  .field("std3", &DecodeParam::std3, "Factor of the log height.")
                  .field("clip", &DecodeParam::clip, "Upper bound of the log sizes; negative: none.")
                  .enumeration("format", &DecodeParam::format, format_choices(), "How the anchors are written."))
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(in[0], out[0]);
        if (in[0].ndim_known()) {
          require(in[0].ndim() == 3, "operator _contrib_box_decode: data must have shape (batch, boxes, 4), not ",
                  in[0]);
          require_boxes(in[0], "data of box_decode");
          assign_shape(in[1], Shape{1, in[0][1], 4}, "anchors of box_decode");
        }
        assign_shape(out[0], in[0]);
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(decode_kernel);
  register_op("_contrib_box_encode")
      .doc("Offsets of matched boxes to anchors, normalised, and which of them count.")
      .inputs({"samples", "matches", "anchors", "refs", "means", "stds"})
      .lenient()
      .outputs(2)
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        assign_shape(in[1], in[0]);
        assign_shape(in[0], in[1]);
        assign_shape(in[4], Shape{4}, "means of box_encode");
        assign_shape(in[5], Shape{4}, "stds of box_encode");
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 2, "operator _contrib_box_encode: samples must have shape (batch, anchors), not ",
                in[0]);
        const Shape boxes{in[0][0], in[0][1], 4};
        assign_shape(in[2], boxes, "anchors of box_encode");
        assign_shape(in[3], Shape{in[0][0], -1, 4}, "refs of box_encode");
        for (Shape& s : out) assign_shape(s, boxes);
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(encode_kernel);
}

}  // namespace mxnet
