// Element types and their numeric codes (the ones files and the C ABI carry).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/half.h"

namespace mxnet {

enum class DType : int32_t {
  kUnknown = -1,
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kUint8 = 3,
  kInt32 = 4,
  kInt8 = 5,
  kInt64 = 6,
  kBool = 7,
  kBfloat16 = 12,
};

bool is_valid_dtype(int32_t code);        // one of the nine above
DType dtype_from_code(int32_t code);      // error "Unknown type enum N"
DType dtype_from_name(std::string_view);  // "float32", ...; error naming the nearest
const char* dtype_name(DType dtype);      // "float32"; "unknown" for kUnknown
size_t dtype_size(DType dtype);           // bytes of one element

inline bool is_float(DType t) {
  return t == DType::kFloat32 || t == DType::kFloat64 || t == DType::kFloat16 || t == DType::kBfloat16;
}

inline void append_text(std::string& out, DType dtype) { out += dtype_name(dtype); }

template <class T> struct DTypeOf;
template <> struct DTypeOf<float> { static constexpr DType value = DType::kFloat32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::kFloat64; };
template <> struct DTypeOf<half> { static constexpr DType value = DType::kFloat16; };
template <> struct DTypeOf<bfloat16> { static constexpr DType value = DType::kBfloat16; };
template <> struct DTypeOf<uint8_t> { static constexpr DType value = DType::kUint8; };
template <> struct DTypeOf<int8_t> { static constexpr DType value = DType::kInt8; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = DType::kInt32; };
template <> struct DTypeOf<int64_t> { static constexpr DType value = DType::kInt64; };
template <> struct DTypeOf<bool> { static constexpr DType value = DType::kBool; };

template <class T> struct TypeTag { using type = T; };

// Calls fn(TypeTag<T>{}) for the C++ type of `dtype`; every branch must return the same type.
template <class Fn>
decltype(auto) visit_dtype(DType dtype, Fn&& fn) {
  switch (dtype) {
    case DType::kFloat32: return fn(TypeTag<float>{});
    case DType::kFloat64: return fn(TypeTag<double>{});
    case DType::kFloat16: return fn(TypeTag<half>{});
    case DType::kBfloat16: return fn(TypeTag<bfloat16>{});
    case DType::kUint8: return fn(TypeTag<uint8_t>{});
    case DType::kInt8: return fn(TypeTag<int8_t>{});
    case DType::kInt32: return fn(TypeTag<int32_t>{});
    case DType::kInt64: return fn(TypeTag<int64_t>{});
    case DType::kBool: return fn(TypeTag<bool>{});
    case DType::kUnknown: break;
  }
  fail_as(ErrorKind::kTypeError, "dtype is unknown");
}

template <class Fn>
decltype(auto) visit_float(DType dtype, std::string_view what, Fn&& fn) {
  switch (dtype) {
    case DType::kFloat32: return fn(TypeTag<float>{});
    case DType::kFloat64: return fn(TypeTag<double>{});
    case DType::kFloat16: return fn(TypeTag<half>{});
    case DType::kBfloat16: return fn(TypeTag<bfloat16>{});
    default: break;
  }
  fail_as(ErrorKind::kTypeError, what, " works on float16, bfloat16, float32 and float64, not on ", dtype);
}

// The type in which a kernel adds up or evaluates formulas for elements of type T.
template <class T> struct Compute { using type = T; };
template <> struct Compute<half> { using type = float; };
template <> struct Compute<bfloat16> { using type = float; };
template <> struct Compute<bool> { using type = int32_t; };
template <> struct Compute<uint8_t> { using type = int32_t; };
template <> struct Compute<int8_t> { using type = int32_t; };
template <class T> using compute_t = typename Compute<T>::type;

}  // namespace mxnet
