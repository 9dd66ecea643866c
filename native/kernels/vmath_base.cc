#include <math.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <type_traits>

#include "kernels/vmath.h"
#include "kernels/vmath_special.h"
#include "kernels/vmath_tables.h"

namespace mxnet {
namespace {
#include "kernels/vmath_vec.inc"
#include "kernels/vmath_functions.inc"
#include "kernels/vmath_impl.inc"
}  // namespace

const VMath* vmath_table_base() {
  static const VMath table = make_table("base");
  return &table;
}
}  // namespace mxnet
