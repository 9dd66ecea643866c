// MultiBoxPrior, MultiBoxTarget and MultiBoxDetection: the parts of SSD. Liu et al. (ECCV 2016).
#include <array>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "op/infer.h"
#include "op/registry.h"
#include "ops/contrib/boxes.h"

namespace mxnet {
namespace {

struct PriorParam {
  std::vector<float> sizes{1};
  std::vector<float> ratios{1};
  bool clip = false;
  std::vector<float> steps{-1, -1};
  std::vector<float> offsets{0.5f, 0.5f};
};
struct DetectionParam {
  bool clip = true;
  float threshold = 0.01f;
  int background_id = 0;
  float nms_threshold = 0.5f;
  bool force_suppress = false;
  std::vector<float> variances{0.1f, 0.1f, 0.2f, 0.2f};
  int nms_topk = -1;
};
struct TargetParam {
  float overlap_threshold = 0.5f;
  float ignore_label = -1;
  float negative_mining_ratio = -1;
  float negative_mining_thresh = 0.5f;
  int minimum_negative_samples = 0;
  std::vector<float> variances{0.1f, 0.1f, 0.2f, 0.2f};
};

// Half widths and heights of the anchors of a position: every size with the first ratio, then the first size with the
// other ratios. `aspect` is height over width of the map, which makes the boxes square in pixels.
std::vector<std::pair<float, float>> anchor_halves(const PriorParam& p, float aspect) {
  std::vector<std::pair<float, float>> halves;
  const float first = std::sqrt(p.ratios[0]);
  for (float size : p.sizes) halves.emplace_back(size * aspect * first / 2, size / first / 2);
  for (size_t k = 1; k < p.ratios.size(); ++k) {
    const float root = std::sqrt(p.ratios[k]);
    halves.emplace_back(p.sizes[0] * aspect * root / 2, p.sizes[0] / root / 2);
  }
  return halves;
}

int64_t anchor_count(const PriorParam& p) { return static_cast<int64_t>(p.sizes.size() + p.ratios.size()) - 1; }

Kernel prior_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<PriorParam>();
  const int64_t height = c.in_shapes[0][2];
  const int64_t width = c.in_shapes[0][3];
  return visit_float(c.out_types[0], "_contrib_MultiBoxPrior", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    const float step_y = p.steps[0] > 0 ? p.steps[0] : 1.0f / static_cast<float>(height);
    const float step_x = p.steps[1] > 0 ? p.steps[1] : 1.0f / static_cast<float>(width);
    return {
        [=, halves = anchor_halves(p, static_cast<float>(height) / static_cast<float>(width))](const KernelArgs& a) {
          T* y = a.output<T>(0);
          const auto put = [&](float v) { *y++ = static_cast<T>(p.clip ? std::clamp(v, 0.0f, 1.0f) : v); };
          for (int64_t r = 0; r < height; ++r) {
            const float cy = (static_cast<float>(r) + p.offsets[0]) * step_y;
            for (int64_t q = 0; q < width; ++q) {
              const float cx = (static_cast<float>(q) + p.offsets[1]) * step_x;
              for (const auto& [w, h] : halves) {
                put(cx - w);
                put(cy - h);
                put(cx + w);
                put(cy + h);
              }
            }
          }
        }};
  });
}

template <class T>
Box<float> decode(const T* anchor, const T* offset, const std::vector<float>& variances, bool clip) {
  const Box<float> a = load_box<float>(anchor, kCorner);
  const float width = a.right - a.left;
  const float height = a.bottom - a.top;
  const float x = static_cast<float>(offset[0]) * variances[0] * width + (a.left + a.right) / 2;
  const float y = static_cast<float>(offset[1]) * variances[1] * height + (a.top + a.bottom) / 2;
  const float w = std::exp(static_cast<float>(offset[2]) * variances[2]) * width / 2;
  const float h = std::exp(static_cast<float>(offset[3]) * variances[3]) * height / 2;
  const auto bound = [clip](float v) { return clip ? std::clamp(v, 0.0f, 1.0f) : v; };
  return {bound(x - w), bound(y - h), bound(x + w), bound(y + h)};
}

// Rows (class, score, box) of every anchor whose best class is not the background, best first; suppressed rows get
// class -1, rows beyond are all -1.
Kernel detection_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<DetectionParam>();
  require(p.variances.size() == 4, "operator _contrib_MultiBoxDetection: variances must have 4 numbers, not ",
          p.variances.size());
  require(p.background_id >= 0, "operator _contrib_MultiBoxDetection: background_id must not be negative");
  const int64_t batch = c.in_shapes[0][0];
  const int64_t classes = c.in_shapes[0][1];
  const int64_t anchors = c.in_shapes[0][2];
  return visit_float(c.in_types[0], "_contrib_MultiBoxDetection", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    struct Row {
      float values[6];
    };
    const size_t rows_bytes = static_cast<size_t>(anchors) * sizeof(Row);
    return {[=](const KernelArgs& a) {
              auto* rows = static_cast<Row*>(a.workspace);
              auto* sorted = rows + anchors;
              auto* order = reinterpret_cast<int64_t*>(sorted + anchors);
              for (int64_t b = 0; b < batch; ++b) {
                const T* scores = a.input<T>(0) + b * classes * anchors;
                int64_t n = 0;
                for (int64_t i = 0; i < anchors; ++i) {
                  float best = -1;
                  int64_t id = -1;
                  for (int64_t k = 0; k < classes; ++k) {
                    if (k == p.background_id) continue;
                    const auto score = static_cast<float>(scores[k * anchors + i]);
                    if (score > best) {
                      best = score;
                      id = k;
                    }
                  }
                  if (id < 0 || best < p.threshold) continue;
                  const Box<float> box =
                      decode(a.input<T>(2) + 4 * i, a.input<T>(1) + (b * anchors + i) * 4, p.variances, p.clip);
                  rows[n++] = {{static_cast<float>(id < p.background_id ? id : id - 1), best, box.left, box.top,
                                box.right, box.bottom}};
                }
                if (n > 0 && p.nms_threshold > 0 && p.nms_threshold <= 1) {
                  std::iota(order, order + n, int64_t{0});
                  std::sort(order, order + n, [&](int64_t i, int64_t j) {
                    return rows[i].values[1] != rows[j].values[1] ? rows[i].values[1] > rows[j].values[1] : i < j;
                  });
                  const int64_t keep = p.nms_topk > 0 ? std::min<int64_t>(n, p.nms_topk) : n;
                  for (int64_t k = 0; k < keep; ++k) sorted[k] = rows[order[k]];
                  for (int64_t k = 0; k < n; ++k) {
                    if (k < keep) {
                      rows[k] = sorted[k];
                    } else {
                      rows[k].values[0] = -1;
                    }
                  }
                  for (int64_t i = 0; i < keep; ++i) {
                    if (rows[i].values[0] < 0) continue;
                    const Box<float> box = load_box<float>(rows[i].values + 2, kCorner);
                    for (int64_t j = i + 1; j < keep; ++j) {
                      if (rows[j].values[0] < 0 || (!p.force_suppress && rows[j].values[0] != rows[i].values[0]))
                        continue;
                      if (intersection_over_union(box, load_box<float>(rows[j].values + 2, kCorner)) >= p.nms_threshold)
                        rows[j].values[0] = -1;
                    }
                  }
                }
                T* y = a.output<T>(0) + b * anchors * 6;
                for (int64_t i = 0; i < anchors; ++i) {
                  for (int k = 0; k < 6; ++k) y[i * 6 + k] = static_cast<T>(i < n ? rows[i].values[k] : -1.0f);
                }
              }
            },
            2 * rows_bytes + static_cast<size_t>(anchors) * sizeof(int64_t)};
  });
}

// The state of one anchor while targets are assigned.
struct Match {
  float overlap;
  int32_t label;
  int32_t flag;  // 1: positive, 0: negative, -1: ignored
};

// Assigns labels: first the best anchor of every label, then every anchor with enough overlap.
void match_anchors(const TargetParam& p, const std::vector<Box<float>>& anchors, const std::vector<Box<float>>& labels,
                   std::vector<Match>& matches) {
  const auto count = static_cast<int64_t>(anchors.size());
  std::fill(matches.begin(), matches.end(), Match{-1, -1, -1});
  std::vector<bool> taken(labels.size(), false);
  for (size_t round = 0; round < labels.size(); ++round) {
    float best = 1e-6f;
    int64_t anchor = -1;
    int32_t label = -1;
    for (int64_t i = 0; i < count; ++i) {
      if (matches[i].flag == 1) continue;
      for (size_t k = 0; k < labels.size(); ++k) {
        if (taken[k]) continue;
        const float overlap = intersection_over_union(anchors[i], labels[k]);
        if (overlap > best) {
          best = overlap;
          anchor = i;
          label = static_cast<int32_t>(k);
        }
      }
    }
    if (anchor < 0) break;
    matches[anchor] = {best, label, 1};
    taken[label] = true;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (matches[i].flag == 1) continue;
    for (size_t k = 0; k < labels.size(); ++k) {
      const float overlap = intersection_over_union(anchors[i], labels[k]);
      if (overlap > matches[i].overlap) matches[i] = {overlap, static_cast<int32_t>(k), -1};
    }
    if (p.overlap_threshold > 0 && matches[i].overlap > p.overlap_threshold) matches[i].flag = 1;
  }
}

// Marks negatives: all that are not positive, or with mining those with the least background probability.
template <class T>
void choose_negatives(const TargetParam& p, const T* scores, int64_t classes, std::vector<Match>& matches) {
  const auto anchors = static_cast<int64_t>(matches.size());
  if (p.negative_mining_ratio <= 0) {
    for (Match& m : matches) m.flag = m.flag == 1 ? 1 : 0;
    return;
  }
  const auto positives = std::count_if(matches.begin(), matches.end(), [](const Match& m) { return m.flag == 1; });
  const auto wanted = std::min(static_cast<int64_t>(static_cast<float>(positives) * p.negative_mining_ratio),
                               anchors - static_cast<int64_t>(positives));
  std::vector<std::pair<float, int64_t>> background;
  for (int64_t i = 0; i < anchors; ++i) {
    if (matches[i].flag == 1 || !(matches[i].overlap < p.negative_mining_thresh)) continue;
    float highest = static_cast<float>(scores[i]);
    for (int64_t k = 1; k < classes; ++k) highest = std::max(highest, static_cast<float>(scores[k * anchors + i]));
    float sum = 0;
    for (int64_t k = 0; k < classes; ++k) sum += std::exp(static_cast<float>(scores[k * anchors + i]) - highest);
    background.emplace_back(std::exp(static_cast<float>(scores[i]) - highest) / sum, i);
  }
  std::stable_sort(background.begin(), background.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  for (int64_t k = 0; k < std::min<int64_t>(wanted, static_cast<int64_t>(background.size())); ++k)
    matches[background[k].second].flag = 0;
}

Kernel target_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<TargetParam>();
  require(p.variances.size() == 4, "operator _contrib_MultiBoxTarget: variances must have 4 numbers, not ",
          p.variances.size());
  const int64_t anchors = c.in_shapes[0][1];
  const int64_t batch = c.in_shapes[1][0];
  const int64_t labels = c.in_shapes[1][1];
  const int64_t label_width = c.in_shapes[1][2];
  const int64_t classes = c.in_shapes[2][1];
  return visit_float(c.in_types[0], "_contrib_MultiBoxTarget", [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& a) {
      std::vector<Box<float>> boxes;
      for (int64_t i = 0; i < anchors; ++i) boxes.push_back(load_box<float>(a.input<T>(0) + 4 * i, kCorner));
      std::vector<Match> matches(static_cast<size_t>(anchors));
      std::vector<Box<float>> truth;
      for (int64_t b = 0; b < batch; ++b) {
        const T* label = a.input<T>(1) + b * labels * label_width;
        truth.clear();
        for (int64_t k = 0; k < labels && static_cast<float>(label[k * label_width]) != -1.0f; ++k) {
          truth.push_back(load_box<float>(label + k * label_width + 1, kCorner));
        }
        match_anchors(p, boxes, truth, matches);
        if (!truth.empty()) choose_negatives(p, a.input<T>(2) + b * classes * anchors, classes, matches);
        for (int64_t i = 0; i < anchors; ++i) {
          const Match& m = matches[i];
          T* target = a.output<T>(0) + (b * anchors + i) * 4;
          std::fill_n(target, 4, T(0));
          std::fill_n(a.output<T>(1) + (b * anchors + i) * 4, 4, static_cast<T>(m.flag == 1 ? 1 : 0));
          T& id = a.output<T>(2)[b * anchors + i];
          id = static_cast<T>(m.flag == 0 ? 0.0f : p.ignore_label);
          if (m.flag != 1) continue;
          id = static_cast<T>(static_cast<float>(label[m.label * label_width]) + 1);
          const Box<float>& n = boxes[i];
          const Box<float>& g = truth[m.label];
          const float width = n.right - n.left;
          const float height = n.bottom - n.top;
          target[0] = static_cast<T>(((g.left + g.right) - (n.left + n.right)) / 2 / width / p.variances[0]);
          target[1] = static_cast<T>(((g.top + g.bottom) - (n.top + n.bottom)) / 2 / height / p.variances[1]);
          target[2] = static_cast<T>(std::log((g.right - g.left) / width) / p.variances[2]);
          target[3] = static_cast<T>(std::log((g.bottom - g.top) / height) / p.variances[3]);
        }
      }
    }};
  });
}

}  // namespace

MXNET_REGISTER(multibox) {
  register_op("_contrib_MultiBoxPrior")
      .alias({"_npx_multibox_prior"})
      .doc("Anchor boxes around every position of a feature map, as parts of its size.")
      .params(Params<PriorParam>()
                  .field("sizes", &PriorParam::sizes, "Sizes of the boxes.")
                  .field("ratios", &PriorParam::ratios, "Width over height of the boxes.")
                  .field("clip", &PriorParam::clip, "Clip the boxes to the image.")
                  .field("steps", &PriorParam::steps,
                         "Distances of the positions in y and x; negative: from the map's size.")
                  .field("offsets", &PriorParam::offsets, "Place of the centre in a cell, y and x."))
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<PriorParam>();
        require(!p.sizes.empty() && !p.ratios.empty(),
                "operator _contrib_MultiBoxPrior: sizes and ratios must not be empty");
        require(p.steps.size() == 2 && p.offsets.size() == 2,
                "operator _contrib_MultiBoxPrior: steps and offsets must have 2 numbers");
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 4,
                "operator _contrib_MultiBoxPrior: data must have shape (batch, channels, height, width), not ", in[0]);
        if (in[0][2] < 0 || in[0][3] < 0) return;
        assign_shape(out[0], Shape{1, checked_mul(in[0][2] * in[0][3], anchor_count(p), "number of anchors"), 4});
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(prior_kernel);
  register_op("_contrib_MultiBoxDetection")
      .alias({"_npx_multibox_detection"})
      .doc("Detections (class, score, box) from class probabilities, box offsets and anchors.")
      .inputs({"cls_prob", "loc_pred", "anchor"})
      .params(
          Params<DetectionParam>()
              .field("clip", &DetectionParam::clip, "Clip the boxes to the image.")
              .field("threshold", &DetectionParam::threshold, "Lowest score of a detection.")
              .field("background_id", &DetectionParam::background_id, "The class of the background.")
              .field("nms_threshold", &DetectionParam::nms_threshold, "Boxes with this overlap or more are suppressed.")
              .field("force_suppress", &DetectionParam::force_suppress, "Suppress across classes too.")
              .field("variances", &DetectionParam::variances, "Factors of the box offsets.")
              .field("nms_topk", &DetectionParam::nms_topk, "Keep this many of the best only; -1: all."))
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known()) return;
        require(in[0].ndim() == 3,
                "operator _contrib_MultiBoxDetection: cls_prob must have shape (batch, classes, anchors), not ", in[0]);
        const int64_t anchors = in[0][2];
        assign_shape(in[1], Shape{in[0][0], anchors < 0 ? -1 : anchors * 4}, "loc_pred of MultiBoxDetection");
        assign_shape(in[2], Shape{1, anchors, 4}, "anchor of MultiBoxDetection");
        assign_shape(out[0], Shape{in[0][0], anchors, 6});
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(detection_kernel);
  register_op("_contrib_MultiBoxTarget")
      .alias({"_npx_multibox_target"})
      .doc("Training targets of anchors: box offsets, their mask, and classes.")
      .inputs({"anchor", "label", "cls_pred"})
      .outputs(3)
      .output_names({"loc_target", "loc_mask", "cls_target"})
      .params(Params<TargetParam>()
                  .field("overlap_threshold", &TargetParam::overlap_threshold, "Overlap that makes an anchor positive.")
                  .field("ignore_label", &TargetParam::ignore_label, "Class of anchors that do not count.")
                  .field("negative_mining_ratio", &TargetParam::negative_mining_ratio,
                         "Negatives for each positive; negative: all.")
                  .field("negative_mining_thresh", &TargetParam::negative_mining_thresh,
                         "Overlap below which an anchor can be a negative.")
                  .field("minimum_negative_samples", &TargetParam::minimum_negative_samples,
                         "Accepted; mining goes by the ratio alone.")
                  .field("variances", &TargetParam::variances, "Divisors of the box offsets."))
      .infer_shape([](const Attrs&, ShapeVec& in, ShapeVec& out) {
        if (!in[0].ndim_known() || !in[1].ndim_known()) return;
        require(in[0].ndim() == 3 && in[0][0] == 1 && in[0][2] == 4,
                "operator _contrib_MultiBoxTarget: anchor must have shape (1, anchors, 4), not ", in[0]);
        require(in[1].ndim() == 3 && (in[1][2] < 0 || in[1][2] >= 5),
                "operator _contrib_MultiBoxTarget: label must have shape (batch, labels, 5 or more), not ", in[1]);
        const int64_t anchors = in[0][1];
        assign_shape(in[2], Shape{in[1][0], -1, anchors}, "cls_pred of MultiBoxTarget");
        const Shape offsets{in[1][0], anchors < 0 ? -1 : anchors * 4};
        assign_shape(out[0], offsets);
        assign_shape(out[1], offsets);
        assign_shape(out[2], Shape{in[1][0], anchors});
      })
      .infer_type(infer_same_type)
      .zero_gradient()
      .kernel(target_kernel);
}

}  // namespace mxnet
