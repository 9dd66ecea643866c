#include "kernels/gather.h"

#include "tensor/ndarray.h"

namespace mxnet {

void read_indices(const void* source, DType type, int64_t count, int64_t length, IndexMode mode,
                  std::string_view op_name, int64_t* indices) {
  convert_elements(source, type, indices, DType::kInt64, count);
  if (mode == kRaiseIndex) {
    for (int64_t i = 0; i < count; ++i) {
      if (indices[i] >= 0 && indices[i] < length) continue;
      fail_as(ErrorKind::kIndexError, op_name, " operator contains indices out of bound: ", indices[i],
              " is not in the range [0, ", length - 1, "]");
    }
    return;
  }
  if (length == 0) {
    std::fill_n(indices, count, int64_t{0});
  } else if (mode == kClipIndex) {
    for (int64_t i = 0; i < count; ++i) indices[i] = std::clamp<int64_t>(indices[i], 0, length - 1);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t rest = indices[i] % length;
      indices[i] = rest < 0 ? rest + length : rest;
    }
  }
}

namespace {

template <class T>
void gather_elements(const T* data, const int64_t* indices, T* out, int64_t outer, int64_t length, int64_t count) {
  parallel_for(outer * count, 2, [=](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end;) {
      const int64_t o = k / count;
      const int64_t stop = std::min(end, (o + 1) * count);
      const T* from = data + o * length;
      for (; k < stop; ++k) out[k] = from[indices[k - o * count]];
    }
  });
}

}  // namespace

void gather_rows(const void* data, const int64_t* indices, void* out, int64_t outer, int64_t length, int64_t count,
                 int64_t row_bytes) {
  if (outer * count == 0) return;
  const auto elements = [&](auto tag) {
    using T = decltype(tag);
    gather_elements(static_cast<const T*>(data), indices, static_cast<T*>(out), outer, length, count);
  };
  switch (row_bytes) {
    case 1:
      return elements(uint8_t{});
    case 2:
      return elements(uint16_t{});
    case 4:
      return elements(uint32_t{});
    case 8:
      return elements(uint64_t{});
    default:
      break;
  }
  const char* from = static_cast<const char*>(data);
  char* to = static_cast<char*>(out);
  parallel_for(outer * count, row_bytes / 4 + 4, [=](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t o = k / count;
      std::memcpy(to + k * row_bytes, from + (o * length + indices[k - o * count]) * row_bytes,
                  static_cast<size_t>(row_bytes));
    }
  });
}

}  // namespace mxnet
