// The tables of each instruction set, and what they share that must not be inlined into them.
#pragma once

#include <cstdint>

#include "kernels/vmath.h"

namespace mxnet {

const VMath* vmath_table_base();
const VMath* vmath_table_avx2();    // null where the compiler does not target x86
const VMath* vmath_table_avx512();

float float_of_half(uint16_t bits);
uint16_t half_of_float(float value);

}  // namespace mxnet
