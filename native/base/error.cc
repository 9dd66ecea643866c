#include "base/error.h"

#include <algorithm>
#include <cstdio>

namespace mxnet {

const char* error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kMXNetError: return "MXNetError";
    case ErrorKind::kValueError: return "ValueError";
    case ErrorKind::kTypeError: return "TypeError";
    case ErrorKind::kIndexError: return "IndexError";
    case ErrorKind::kAttributeError: return "AttributeError";
    case ErrorKind::kNotImplementedError: return "NotImplementedError";
    case ErrorKind::kInternalError: return "InternalError";
  }
  return "MXNetError";
}

void append_text(std::string& out, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  out += buffer;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  std::vector<size_t> row;
  for (const std::string& name : candidates) {
    const size_t gap = name.size() > word.size() ? name.size() - word.size() : word.size() - name.size();
    if (gap >= best_distance || word.size() > 256) continue;
    row.resize(name.size() + 1);
    for (size_t j = 0; j <= name.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= name.size(); ++j) {
        const size_t replaced = diagonal + (lower(word[i - 1]) != lower(name[j - 1]) ? 1 : 0);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row[name.size()] < best_distance) {
      best_distance = row[name.size()];
      best = name;
    }
  }
  return best;
}

int64_t checked_mul(int64_t a, int64_t b, std::string_view what) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) fail(what, " overflows 64 bits: ", a, " x ", b);
  return product;
}

}  // namespace mxnet
