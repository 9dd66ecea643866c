#include "kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "kernels/elemwise.h"
#include "kernels/reduce_rows.h"
#include "tensor/ndarray.h"

namespace mxnet {

ReducePlan::ReducePlan(const Shape& shape, uint32_t axes) {
  struct Group {
    int64_t size, stride;
    bool reduced;
  };
  Group groups[Shape::kMaxDim];
  int count = 0;
  const auto strides = row_major_strides(shape);
  for (int d = 0; d < shape.ndim(); ++d) {
    if (shape[d] == 1) continue;
    const bool is_reduced = axes >> d & 1;
    if (count && groups[count - 1].reduced == is_reduced) {
      groups[count - 1].size *= shape[d];
      groups[count - 1].stride = strides[d];
    } else {
      groups[count++] = {shape[d], strides[d], is_reduced};
    }
  }
  if (count) {
    inner_reduced = groups[count - 1].reduced;
    inner = groups[--count].size;
  }
  for (int i = 0; i < count; ++i) {
    if (groups[i].reduced) {
      reduced[num_reduced++] = {groups[i].size, groups[i].stride};
      reduced_outer *= groups[i].size;
    } else {
      kept[num_kept++] = {groups[i].size, groups[i].stride};
      kept_outer *= groups[i].size;
    }
  }
}

Shape keep_dims(const Shape& shape, uint32_t axes) {
  Shape result = shape;
  for (int d = 0; d < shape.ndim(); ++d) {
    if (axes >> d & 1) result[d] = 1;
  }
  return result;
}

namespace {

constexpr int64_t kRowChunk = 4096;     // floats summed in float before they join the double total
constexpr int64_t kColumnBlock = 256;
constexpr int64_t kColumnRows = 128;

template <class Acc>
Acc join(Reduce op, Acc a, Acc b) {
  switch (op) {
    case Reduce::kMax: return b > a || b != b ? b : a;
    case Reduce::kMin: return b < a || b != b ? b : a;
    case Reduce::kProd:
    case Reduce::kNanProd:
      if constexpr (std::is_same_v<Acc, double>) return a * b;
      else return static_cast<Acc>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    default:
      if constexpr (std::is_same_v<Acc, double>) return a + b;
      else return static_cast<Acc>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

template <class Acc>
struct Engine {
  Reduce op;
  Finish finish;
  ReducePlan plan;
  int64_t count = 1;  // elements that become one
  DType in_type, out_type;
  int64_t in_size, out_size;
  float (*row32)(const float*, int64_t) = nullptr;
  void (*columns32)(const float*, int64_t, int64_t, int64_t, float*) = nullptr;
  ReduceRows<Acc> rows{};
  int64_t parts = 1;  // pieces of one reduction that run side by side

  Acc start() const { return row(nullptr, 0); }
  Acc row(const char* x, int64_t n) const {
    if (row32) return static_cast<Acc>(row32(reinterpret_cast<const float*>(x), n));
    return rows.row(x, n);
  }

  void store(char* y, int64_t index, Acc value) const {
    if constexpr (std::is_same_v<Acc, double>) {
      if (finish == Finish::kMean) value /= static_cast<double>(count);
      if (finish == Finish::kSqrt) value = std::sqrt(value);
      if (out_type == DType::kFloat32) {
        reinterpret_cast<float*>(y)[index] = static_cast<float>(value);
      } else {
        convert_elements(&value, DType::kFloat64, y + index * out_size, out_type, 1);
      }
    } else {
      if (finish == Finish::kMean) value = count ? value / count : 0;
      if (finish == Finish::kSqrt) {
        const double root = std::sqrt(static_cast<double>(value));
        convert_elements(&root, DType::kFloat64, y + index * out_size, out_type, 1);
        return;
      }
      convert_elements(&value, DType::kInt64, y + index * out_size, out_type, 1);
    }
  }

  // ---- the innermost dimension is reduced: rows become numbers
  Acc reduce_rows(const char* x, int64_t base, int64_t first, int64_t last) const {
    Acc total = start();
    for (int64_t r = first; r < last; ++r) {
      const int64_t offset = base + (plan.num_reduced ? plan.reduced_offset(r) : 0);
      for (int64_t i = 0; i < plan.inner; i += kRowChunk) {
        total = join(op, total, row(x + (offset + i) * in_size, std::min(kRowChunk, plan.inner - i)));
      }
    }
    return total;
  }

  void run_rows(const char* x, char* y) const {
    parallel_for(plan.kept_outer, count + 10, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) store(y, o, reduce_rows(x, plan.kept_offset(o), 0, plan.reduced_outer));
    });
  }

  // A few long reductions: pieces of rows (or of the one row), then their joint.
  void run_rows_in_parts(const char* x, char* y, Acc* partial) const {
    parallel_for(plan.kept_outer * parts, count / parts + 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t o = task / parts, p = task % parts;
        const int64_t base = plan.kept_offset(o);
        if (plan.reduced_outer >= parts) {
          partial[task] = reduce_rows(x, base, plan.reduced_outer * p / parts, plan.reduced_outer * (p + 1) / parts);
          continue;
        }
        const int64_t first = plan.inner * p / parts, last = plan.inner * (p + 1) / parts;
        Acc total = start();
        for (int64_t r = 0; r < plan.reduced_outer; ++r) {
          const int64_t offset = base + plan.reduced_offset(r);
          for (int64_t i = first; i < last; i += kRowChunk) {
            total = join(op, total, row(x + (offset + i) * in_size, std::min(kRowChunk, last - i)));
          }
        }
        partial[task] = total;
      }
    });
    for (int64_t o = 0; o < plan.kept_outer; ++o) {
      Acc total = partial[o * parts];
      for (int64_t p = 1; p < parts; ++p) total = join(op, total, partial[o * parts + p]);
      store(y, o, total);
    }
  }

  // ---- the innermost dimension is kept: columns
  int64_t blocks() const { return (plan.inner + kColumnBlock - 1) / kColumnBlock; }
  int64_t column_rows() const { return plan.num_reduced ? plan.reduced[plan.num_reduced - 1].size : 1; }

  // Rows [first, last) of all reduced rows, for one block of columns.
  void reduce_columns(const char* x, int64_t base, int64_t width, int64_t first, int64_t last, Acc* total) const {
    std::fill_n(total, width, start());
    const int64_t run = column_rows();
    const int64_t stride = plan.num_reduced ? plan.reduced[plan.num_reduced - 1].stride : 0;
    Acc tile[kColumnBlock];
    float tile32[kColumnBlock];
    for (int64_t r = first; r < last;) {
      const int64_t in_run = r % run;
      const int64_t rows_now = std::min({kColumnRows, run - in_run, last - r});
      const char* from = x + (base + (plan.num_reduced ? plan.reduced_offset(r) : 0)) * in_size;
      if (columns32) {
        columns32(reinterpret_cast<const float*>(from), stride, rows_now, width, tile32);
        for (int64_t j = 0; j < width; ++j) total[j] = join(op, total[j], static_cast<Acc>(tile32[j]));
      } else {
        rows.columns(from, stride, rows_now, width, tile);
        for (int64_t j = 0; j < width; ++j) total[j] = join(op, total[j], tile[j]);
      }
      r += rows_now;
    }
  }

  void run_columns(const char* x, char* y, Acc* partial) const {
    const int64_t tasks = plan.kept_outer * blocks();
    const int64_t block_cost = std::min(kColumnBlock, plan.inner) * plan.reduced_outer + 20;
    parallel_for(tasks * parts, block_cost / parts, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t p = task % parts, o = task / parts / blocks(), block = task / parts % blocks();
        const int64_t first = block * kColumnBlock;
        const int64_t width = std::min(kColumnBlock, plan.inner - first);
        const int64_t base = plan.kept_offset(o) + first;
        Acc local[kColumnBlock];
        Acc* total = parts == 1 ? local : partial + task * kColumnBlock;
        reduce_columns(x, base, width, plan.reduced_outer * p / parts, plan.reduced_outer * (p + 1) / parts, total);
        if (parts > 1) continue;
        for (int64_t j = 0; j < width; ++j) store(y, o * plan.inner + first + j, total[j]);
      }
    });
    if (parts == 1) return;
    for (int64_t task = 0; task < tasks; ++task) {
      const int64_t first = task % blocks() * kColumnBlock;
      for (int64_t j = 0; j < std::min(kColumnBlock, plan.inner - first); ++j) {
        Acc total = partial[task * parts * kColumnBlock + j];
        for (int64_t p = 1; p < parts; ++p) total = join(op, total, partial[(task * parts + p) * kColumnBlock + j]);
        store(y, task / blocks() * plan.inner + first + j, total);
      }
    }
  }

  Kernel kernel() {
    // The split depends on shapes only, so that results do not depend on the number of threads.
    const int64_t tasks = plan.inner_reduced ? plan.kept_outer : plan.kept_outer * blocks();
    const int64_t work = tasks * (plan.inner_reduced ? count : plan.reduced_outer * std::min(kColumnBlock, plan.inner));
    if (tasks > 0 && tasks < 8 && work >= 4 * kParallelGrain) {
      const int64_t divisible = plan.inner_reduced ? std::max(plan.reduced_outer, plan.inner / kRowChunk) : plan.reduced_outer;
      parts = std::clamp<int64_t>(divisible, 1, 16);
    }
    size_t bytes = 0;
    if (parts > 1) bytes = static_cast<size_t>(tasks * parts) * sizeof(Acc) * (plan.inner_reduced ? 1 : kColumnBlock);
    return {[e = *this](const KernelArgs& args) {
              const char* x = args.input<char>(0);
              char* y = args.output<char>(0);
              Acc* partial = static_cast<Acc*>(args.workspace);
              if (!e.plan.inner_reduced) {
                e.run_columns(x, y, partial);
              } else if (e.parts > 1) {
                e.run_rows_in_parts(x, y, partial);
              } else {
                e.run_rows(x, y);
              }
            },
            bytes};
  }
};

template <class Acc>
Kernel engine_kernel(Reduce op, Finish finish, const Shape& in, uint32_t axes, DType in_type, DType out_type) {
  Engine<Acc> e{op, finish, ReducePlan(in, axes), 1, in_type, out_type, static_cast<int64_t>(dtype_size(in_type)),
                static_cast<int64_t>(dtype_size(out_type))};
  for (int d = 0; d < in.ndim(); ++d) {
    if (axes >> d & 1) e.count *= in[d];
  }
  if (in_type == DType::kFloat32) {
    e.row32 = vmath().reduce_row[static_cast<int>(op)];
    e.columns32 = vmath().reduce_columns[static_cast<int>(op)];
  } else if constexpr (std::is_same_v<Acc, double>) {
    e.rows = float_reduce_rows(op, in_type);
  } else {
    e.rows = integer_reduce_rows(op, in_type);
  }
  return e.kernel();
}

}  // namespace

Kernel make_reduce_kernel(Reduce op, Finish finish, const Shape& in, uint32_t axes, DType in_type, DType out_type) {
  return is_float(in_type) ? engine_kernel<double>(op, finish, in, axes, in_type, out_type)
                           : engine_kernel<int64_t>(op, finish, in, axes, in_type, out_type);
}

Kernel make_broadcast_kernel(const Shape& in, const Shape& out, DType in_type, DType out_type, double scale) {
  const int64_t n = out.size();
  if (n == 0) return {[](const KernelArgs&) {}};
  const BroadcastPlan plan(out, in, in);
  const auto size = static_cast<int64_t>(dtype_size(out_type));
  const int64_t in_count = in.size();
  // A source of another type, or one to be scaled, is brought into shape first: it is the smaller side.
  const bool prepare = in_type != out_type || scale != 1;
  const BinaryLoop times(Binary::kMul, out_type);
  struct Value {
    alignas(8) char bytes[8];
  } factor{};
  fill_elements(out_type, factor.bytes, 1, scale);
  return {[=](const KernelArgs& args) {
            const char* x = args.input<char>(0);
            char* y = args.output<char>(0);
            if (prepare) {
              char* ready = static_cast<char*>(args.workspace);
              convert_elements(x, in_type, ready, out_type, in_count);
              if (scale != 1) times(ready, factor.bytes, ready, in_count, kStepA);
              x = ready;
            }
            const int64_t inner = plan.inner();
            const bool repeat = plan.stride_a[plan.ndim - 1] == 0;
            const auto row = [&](const char* from, char* to, int64_t width) {
              if (!repeat) {
                std::memcpy(to, from, static_cast<size_t>(width * size));
              } else {
                switch (size) {
                  case 1: std::memset(to, *from, static_cast<size_t>(width)); break;
                  case 2: std::fill_n(reinterpret_cast<uint16_t*>(to), width, *reinterpret_cast<const uint16_t*>(from)); break;
                  case 4: std::fill_n(reinterpret_cast<uint32_t*>(to), width, *reinterpret_cast<const uint32_t*>(from)); break;
                  default: std::fill_n(reinterpret_cast<uint64_t*>(to), width, *reinterpret_cast<const uint64_t*>(from));
                }
              }
            };
            if (plan.outer == 1) {
              parallel_for(inner, 1, [&](int64_t begin, int64_t end) {
                row(repeat ? x : x + begin * size, y + begin * size, end - begin);
              });
              return;
            }
            parallel_for(plan.outer, inner + 5, [&](int64_t begin, int64_t end) {
              plan.rows(begin, end, [&](int64_t oa, int64_t, int64_t oy) { row(x + oa * size, y + oy * size, inner); });
            });
          },
          prepare ? static_cast<size_t>(in_count * size) : 0};
}

}  // namespace mxnet
