#include <math.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own header
#endif
#include <immintrin.h>
#endif

#include <type_traits>

#include "kernels/vmath.h"
#include "kernels/vmath_special.h"
#include "kernels/vmath_tables.h"

namespace mxnet {
#if defined(__AVX512F__)
namespace {
#include "kernels/vmath_vec.inc"
#include "kernels/vmath_functions.inc"
#include "kernels/vmath_impl.inc"
}  // namespace

const VMath* vmath_table_avx512() {
  static const VMath table = make_table("avx512");
  return &table;
}
#else
const VMath* vmath_table_avx512() { return nullptr; }
#endif
}  // namespace mxnet
