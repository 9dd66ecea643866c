// Counts of elements between the edges of bins.
#include <algorithm>
#include <limits>

#include "kernels/elemwise.h"
#include "op/infer.h"
#include "op/registry.h"

namespace mxnet {
namespace {

struct HistogramParam {
  std::optional<int> bin_cnt;
  std::optional<std::vector<double>> range;
};

// Writes the counts (int64) and the edges. A bin holds its lower edge; the last one also its upper edge.
Kernel make_histogram_kernel(const KernelContext& c) {
  const auto p = c.attrs.get<HistogramParam>();
  const int64_t n = c.in_shapes[0].size(), bins = c.out_shapes[0].size();
  if (p.bin_cnt) {
    require(p.range && p.range->size() == 2 && (*p.range)[0] < (*p.range)[1],
            "_histogram: bin_cnt needs range=(low, high) with low < high");
  }
  return visit_dtype(c.in_types[0], [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[=](const KernelArgs& args) {
      const T* x = args.input<T>(0);
      int64_t* counts = args.output<int64_t>(0);
      T* edges = args.output<T>(1);
      std::fill_n(counts, bins, int64_t{0});
      if (p.bin_cnt) {
        const double low = (*p.range)[0], high = (*p.range)[1], width = (high - low) / static_cast<double>(bins);
        for (int64_t i = 0; i <= bins; ++i) edges[i] = static_cast<T>(i == bins ? high : low + width * static_cast<double>(i));
        for (int64_t i = 0; i < n; ++i) {
          const auto v = static_cast<double>(x[i]);
          if (!(v >= low && v <= high)) continue;
          int64_t bin = std::min(bins - 1, static_cast<int64_t>((v - low) * static_cast<double>(bins) / (high - low)));
          // Rounding may have crossed an edge.
          if (bin > 0 && v < low + width * static_cast<double>(bin)) --bin;
          else if (bin + 1 < bins && v >= low + width * static_cast<double>(bin + 1)) ++bin;
          ++counts[bin];
        }
        return;
      }
      const T* given = args.input<T>(1);
      std::copy_n(given, bins + 1, edges);
      for (int64_t i = 0; i < n; ++i) {
        const auto v = static_cast<double>(x[i]);
        if (!(v >= static_cast<double>(given[0]) && v <= static_cast<double>(given[bins]))) continue;
        const T* after = std::upper_bound(given, given + bins + 1, x[i],
                                          [](T a, T b) { return static_cast<double>(a) < static_cast<double>(b); });
        ++counts[std::min<int64_t>(bins - 1, after - given - 1)];
      }
    }};
  });
}

}  // namespace

MXNET_REGISTER(histogram) {
  register_op("_histogram").alias({"_npi_histogram"}).doc("Counts of the elements in each bin, and the edges of the bins.")
      .params(Params<HistogramParam>()
                  .field("bin_cnt", &HistogramParam::bin_cnt, "Number of equal bins over `range`.").at_least(1)
                  .field("range", &HistogramParam::range, "Lowest and highest edge.").shown_as(", optional, default=None"))
      .inputs([](const Attrs& attrs) {
        return attrs.get<HistogramParam>().bin_cnt ? std::vector<std::string>{"data"} : std::vector<std::string>{"data", "bins"};
      })
      .documented_inputs({{"data", "NDArray-or-Symbol"}, {"bins", "NDArray-or-Symbol"}}).outputs(2)
      .infer_shape([](const Attrs& attrs, ShapeVec& in, ShapeVec& out) {
        const auto& p = attrs.get<HistogramParam>();
        if (p.bin_cnt) {
          assign_shape(out[0], Shape{*p.bin_cnt});
          assign_shape(out[1], Shape{*p.bin_cnt + 1});
        } else if (in[1].ndim_known()) {
          require(in[1].ndim() == 1 && (in[1][0] < 0 || in[1][0] > 1), "_histogram: bins must be a list of two or more edges, got ", in[1]);
          assign_shape(out[1], in[1]);
          assign_shape(out[0], Shape{in[1][0] < 0 ? -1 : in[1][0] - 1});
        }
      })
      .infer_type([](const Attrs& attrs, DTypeVec& in, DTypeVec& out) {
        assign_type(out[0], DType::kInt64);
        DTypeVec edges{out[1]};
        infer_same_type(attrs, in, edges);
        out[1] = edges[0];
      })
      .kernel(make_histogram_kernel);
}

}  // namespace mxnet
