// _histogram: counts per bin, of equal width or between given edges.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct HistogramParam {
  std::optional<int32_t> bin_cnt;
  std::optional<std::vector<double>> range;
};

// Bins are half open, the last one is closed; what lies outside or is NaN is not counted.
template <class T>
void count_equal(const T* x, int64_t n, int bins, double low, double high, int64_t* counts, T* edges) {
  std::memset(counts, 0, sizeof(int64_t) * static_cast<size_t>(bins));
  for (int i = 0; i <= bins; ++i) edges[i] = static_cast<T>(low + i * (high - low) / bins);
  const double scale = bins / (high - low);
  for (int64_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(x[i]);
    if (!(value >= low && value <= high)) continue;
    int bin = std::min(bins - 1, static_cast<int>((value - low) * scale));
    // The division may land a hair on the wrong side of an edge.
    if (value < low + bin * (high - low) / bins) --bin;
    if (bin + 1 < bins && value >= low + (bin + 1) * (high - low) / bins) ++bin;
    ++counts[bin];
  }
}

template <class T>
void count_between(const T* x, int64_t n, const T* edges, int64_t bins, int64_t* counts) {
  std::memset(counts, 0, sizeof(int64_t) * static_cast<size_t>(bins));
  for (int64_t i = 0; i < n; ++i) {
    if (!(x[i] >= edges[0] && x[i] <= edges[bins])) continue;
    const int64_t bin = std::upper_bound(edges, edges + bins + 1, x[i]) - edges - 1;
    ++counts[std::min(bin, bins - 1)];
  }
}

MXNET_REGISTER(histogram) {
  register_op("_histogram")
      .alias({"_npi_histogram"})
      .doc("Counts of the elements in bins, and the edges of the bins.")
      .params(Params<HistogramParam>()
                  .field("bin_cnt", &HistogramParam::bin_cnt, "Number of bins of equal width; None: edges are an input.")
                  .field("range", &HistogramParam::range, "Lowest and highest edge of bins of equal width.")
                  .type_text(", optional, default=None"))
      .inputs([](const Attrs& attrs) {
        if (attrs.params && attrs.get<HistogramParam>().bin_cnt) return std::vector<std::string>{"data"};
        return std::vector<std::string>{"data", "bins"};
      })
      .outputs(2)
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<HistogramParam>();
        if (p.bin_cnt) {
          require(*p.bin_cnt > 0, "_histogram: bin_cnt must be positive, got ", *p.bin_cnt);
          require(p.range && p.range->size() == 2 && (*p.range)[0] < (*p.range)[1],
                  "_histogram: with bin_cnt, range must be two rising numbers");
          assign_shape(out[0], Shape{*p.bin_cnt});
          assign_shape(out[1], Shape{*p.bin_cnt + 1});
        } else if (in[1].known()) {
          require(in[1].ndim() == 1 && in[1][0] >= 2, "_histogram: bins must be a vector of two or more edges, got ",
                  in[1]);
          assign_shape(out[0], Shape{in[1][0] - 1});
          assign_shape(out[1], in[1]);
        }
      })
      .infer_type([](const Attrs&, DTypeVec& in, DTypeVec& out) {
        for (size_t i = 1; i < in.size(); ++i) assign_type(in[i], in[0]);
        assign_type(out[0], DType::kInt64);
        assign_type(out[1], in[0]);
      })
      .kernel([](const KernelContext& c) -> Kernel {
        const auto p = c.attrs.get<HistogramParam>();
        const int64_t n = c.in_shapes[0].size();
        const int64_t bins = c.out_shapes[0].size();
        return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
          using T = typename decltype(tag)::type;
          if (p.bin_cnt) {
            return {[n, bins, low = (*p.range)[0], high = (*p.range)[1]](const KernelArgs& a) {
              count_equal(a.input<T>(0), n, static_cast<int>(bins), low, high, a.output<int64_t>(0), a.output<T>(1));
            }, 0};
          }
          return {[n, bins](const KernelArgs& a) {
            const T* edges = a.input<T>(1);
            count_between(a.input<T>(0), n, edges, bins, a.output<int64_t>(0));
            std::copy(edges, edges + bins + 1, a.output<T>(1));
          }, 0};
        });
      });
}

}  // namespace
}  // namespace mxnet
