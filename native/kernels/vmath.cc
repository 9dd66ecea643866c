#include "kernels/vmath.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "base/half.h"
#include "kernels/vmath_tables.h"

namespace mxnet {

float float_of_half(uint16_t bits) { return half_bits_to_float(bits); }
uint16_t half_of_float(float value) { return float_to_half_bits(value); }

namespace {

bool cpu_has(const char* name) {
  if (std::strcmp(name, "base") == 0) return true;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  if (std::strcmp(name, "avx2") == 0) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

const VMath* choose() {
  const char* limit = std::getenv("MXNET_CPU_ISA");
  bool allowed = true;  // names from the best down; those above the limit are skipped
  if (limit && (std::strcmp(limit, "avx2") == 0 || std::strcmp(limit, "base") == 0)) allowed = false;
  for (const char* name : {"avx512", "avx2", "base"}) {
    if (!allowed && std::strcmp(name, limit) == 0) allowed = true;
    if (!allowed) continue;
    if (const VMath* table = find_vmath(name)) return table;
  }
  return vmath_table_base();
}

}  // namespace

const VMath* find_vmath(const char* name) {
  if (!cpu_has(name)) return nullptr;
  if (std::strcmp(name, "base") == 0) return vmath_table_base();
  if (std::strcmp(name, "avx2") == 0) return vmath_table_avx2();
  return std::strcmp(name, "avx512") == 0 ? vmath_table_avx512() : nullptr;
}

const VMath& vmath() {
  static const VMath& table = *choose();
  return table;
}

}  // namespace mxnet
