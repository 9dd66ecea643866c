#include "kernels/strided.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/parallel.h"

namespace mxnet {
namespace {

// Elements of a tile side: two tiles of 4-byte elements are 8 KiB, well inside a level-one cache.
constexpr int64_t kTile = 32;

// Position `linear` of a nest of loops as offsets into both layouts, moved forward one step at a time.
class Odometer {
 public:
  Odometer(const std::vector<StrideDim>& dims, int64_t linear) : dims_(dims) {
    for (size_t i = dims.size(); i-- > 0;) {
      if (dims[i].size == 0) return;  // an empty sum: no step is taken
      index_[i] = linear % dims[i].size;
      linear /= dims[i].size;
      src += index_[i] * dims[i].src;
      dst += index_[i] * dims[i].dst;
    }
  }
  void next() {
    for (size_t i = dims_.size(); i-- > 0;) {
      src += dims_[i].src;
      dst += dims_[i].dst;
      if (++index_[i] < dims_[i].size) return;
      src -= dims_[i].src * dims_[i].size;
      dst -= dims_[i].dst * dims_[i].size;
      index_[i] = 0;
    }
  }
  int64_t src = 0;
  int64_t dst = 0;

 private:
  const std::vector<StrideDim>& dims_;
  int64_t index_[2 * Shape::kMaxDim] = {};
};

bool mergeable(const StrideDim& outer, const StrideDim& inner) {
  return outer.src == inner.src * inner.size && outer.dst == inner.dst * inner.size;
}

// Drops loops of one step, puts them in order of falling dst stride and joins neighbours that walk on evenly.
std::vector<StrideDim> simplified(std::vector<StrideDim> dims) {
  std::erase_if(dims, [](const StrideDim& d) { return d.size == 1; });
  std::stable_sort(dims.begin(), dims.end(),
                   [](const StrideDim& a, const StrideDim& b) { return std::abs(a.dst) > std::abs(b.dst); });
  std::vector<StrideDim> out;
  for (const StrideDim& dim : dims) {
    if (!out.empty() && mergeable(out.back(), dim)) {
      out.back() = {out.back().size * dim.size, dim.src, dim.dst};
    } else {
      out.push_back(dim);
    }
  }
  return out;
}

int64_t count_of(const std::vector<StrideDim>& dims) {
  int64_t n = 1;
  for (const StrideDim& dim : dims) n *= dim.size;
  return n;
}

using Vec4 = uint32_t __attribute__((vector_size(16)));

// dst[j * dst_step + i] = src[i * src_step + j] for i < rows, j < columns.
template <class T>
void transpose_tile(const T* src, int64_t src_step, T* dst, int64_t dst_step, int64_t rows, int64_t columns) {
  if constexpr (sizeof(T) == 4) {
    int64_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      int64_t i = 0;
      for (; i + 4 <= rows; i += 4) {
        Vec4 row[4];
        for (int r = 0; r < 4; ++r) std::memcpy(&row[r], src + (i + r) * src_step + j, sizeof(Vec4));
        const Vec4 t0 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
        const Vec4 t1 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
        const Vec4 t2 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
        const Vec4 t3 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
        row[0] = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);
        row[1] = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);
        row[2] = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);
        row[3] = __builtin_shufflevector(t2, t3, 2, 3, 6, 7);
        for (int r = 0; r < 4; ++r) std::memcpy(dst + (j + r) * dst_step + i, &row[r], sizeof(Vec4));
      }
      for (; i < rows; ++i) {
        for (int64_t r = 0; r < 4; ++r) dst[(j + r) * dst_step + i] = src[i * src_step + j + r];
      }
    }
    for (; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i) dst[j * dst_step + i] = src[i * src_step + j];
    }
  } else {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i) dst[j * dst_step + i] = src[i * src_step + j];
    }
  }
}

}  // namespace

StridedCopy::StridedCopy(std::vector<StrideDim> dims, int64_t src_offset, int64_t dst_offset, size_t width)
    : width_(width), src_offset_(src_offset), dst_offset_(dst_offset) {
  for (const StrideDim& dim : dims) {
    if (dim.size == 0) return;
  }
  dims = simplified(std::move(dims));
  kind_ = Kind::kGeneral;
  if (!dims.empty()) {
    inner_ = dims.back();
    dims.pop_back();
  }
  if (inner_.src == 1 && inner_.dst == 1) {
    kind_ = Kind::kRuns;
  } else if (inner_.dst == 1) {
    const auto column = std::find_if(dims.begin(), dims.end(), [](const StrideDim& d) { return d.src == 1; });
    if (column != dims.end()) {
      kind_ = Kind::kTiles;
      column_ = *column;
      dims.erase(column);
    }
  }
  outer_ = std::move(dims);
  outer_count_ = count_of(outer_);
}

template <class T>
void StridedCopy::run_typed(const T* src, T* dst) const {
  if (kind_ == Kind::kTiles) {
    const int64_t strips = (column_.size + kTile - 1) / kTile;
    parallel_for(outer_count_ * strips, inner_.size * std::min(kTile, column_.size), [&](int64_t begin, int64_t end) {
      Odometer at(outer_, begin / strips);
      int64_t strip = begin % strips;
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t j = strip * kTile;
        const int64_t columns = std::min(kTile, column_.size - j);
        const T* s = src + at.src + j;
        T* d = dst + at.dst + j * column_.dst;
        for (int64_t i = 0; i < inner_.size; i += kTile) {
          transpose_tile(s + i * inner_.src, inner_.src, d + i, column_.dst, std::min(kTile, inner_.size - i), columns);
        }
        if (++strip == strips) {
          strip = 0;
          at.next();
        }
      }
    });
    return;
  }
  if (kind_ == Kind::kRuns && outer_count_ == 1) {
    parallel_for(inner_.size, 1, [&](int64_t begin, int64_t end) {
      std::memcpy(dst + begin, src + begin, static_cast<size_t>(end - begin) * sizeof(T));
    });
    return;
  }
  const bool runs = kind_ == Kind::kRuns;
  parallel_for(outer_count_, inner_.size, [&](int64_t begin, int64_t end) {
    Odometer at(outer_, begin);
    for (int64_t unit = begin; unit < end; ++unit, at.next()) {
      const T* s = src + at.src;
      T* d = dst + at.dst;
      if (runs && inner_.size >= 8) {
        std::memcpy(d, s, static_cast<size_t>(inner_.size) * sizeof(T));
      } else if (runs) {
        for (int64_t i = 0; i < inner_.size; ++i) d[i] = s[i];
      } else if (inner_.src == 0 && inner_.dst == 1) {
        std::fill_n(d, inner_.size, *s);
      } else {
        for (int64_t i = 0; i < inner_.size; ++i) d[i * inner_.dst] = s[i * inner_.src];
      }
    }
  });
}

void StridedCopy::run(const void* src, void* dst) const {
  const auto with = [&](auto tag) {
    using T = decltype(tag);
    run_typed(static_cast<const T*>(src) + src_offset_, static_cast<T*>(dst) + dst_offset_);
  };
  if (kind_ == Kind::kNothing) return;
  switch (width_) {
    case 1:
      return with(uint8_t{});
    case 2:
      return with(uint16_t{});
    case 4:
      return with(uint32_t{});
    default:
      return with(uint64_t{});
  }
}

StridedSum::StridedSum(std::vector<StrideDim> dims, DType type) : type_(type) {
  std::vector<StrideDim> kept;
  for (const StrideDim& dim : dims) (dim.dst == 0 ? summed_ : kept).push_back(dim);
  std::erase_if(summed_, [](const StrideDim& d) { return d.size == 1; });
  summed_count_ = count_of(summed_);
  kept = simplified(std::move(kept));
  if (!kept.empty()) {
    inner_ = kept.back();
    kept.pop_back();
  }
  kept_ = std::move(kept);
  kept_count_ = count_of(kept_);
}

template <class T>
void StridedSum::run_typed(const T* src, T* dst) const {
  using C = compute_t<T>;
  constexpr int64_t kBlock = 256;
  const int64_t blocks = (inner_.size + kBlock - 1) / kBlock;
  parallel_for(kept_count_ * blocks, std::min(inner_.size, kBlock) * summed_count_, [&](int64_t begin, int64_t end) {
    C sums[kBlock];
    Odometer at(kept_, begin / blocks);
    int64_t block = begin % blocks;
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = block * kBlock;
      const int64_t count = std::min(kBlock, inner_.size - first);
      std::fill_n(sums, count, C{});
      Odometer inside(summed_, 0);
      for (int64_t k = 0; k < summed_count_; ++k, inside.next()) {
        const T* s = src + at.src + inside.src + first * inner_.src;
        if (inner_.src == 1) {
          for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<C>(s[i]);
        } else {
          for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<C>(s[i * inner_.src]);
        }
      }
      T* d = dst + at.dst + first * inner_.dst;
      for (int64_t i = 0; i < count; ++i) d[i * inner_.dst] = static_cast<T>(sums[i]);
      if (++block == blocks) {
        block = 0;
        at.next();
      }
    }
  });
}

void StridedSum::run(const void* src, void* dst) const {
  visit_dtype(type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_typed(static_cast<const T*>(src), static_cast<T*>(dst));
  });
}

StridedCopy transpose_copy(const Shape& in, const std::vector<int>& axes, size_t width) {
  const auto strides = row_major_strides(in);
  std::vector<StrideDim> dims(axes.size());
  int64_t step = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    dims[i] = {in[axes[i]], strides[axes[i]], step};
    step *= in[axes[i]];
  }
  return StridedCopy(std::move(dims), 0, 0, width);
}

}  // namespace mxnet
