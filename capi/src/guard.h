// What stands round the body of every entry point: no exception leaves, a failure leaves a text on the thread.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace mxnet::capi {

// Classes of errors as MXExtApi::last_error_code tells them. The first ones are ErrorKind + 1; numbers never change.
enum class ErrorCode : int {
  kNone, kMXNetError, kValueError, kTypeError, kIndexError, kNotImplementedError, kMemoryError, kInternalError,
  kAttributeError
};

// Turns the exception being handled into the thread's error text.
void record_exception() noexcept;
void set_last_error(const char* text) noexcept;  // as NNAPISetLastError: the text as it is
const char* last_error() noexcept;
ErrorCode last_error_code() noexcept;
int fail_not_implemented(const char* function) noexcept;

template <class Body>
int guard(Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    record_exception();
    return -1;
  }
}

[[noreturn]] void fail_null(const char* function, const char* argument);
[[noreturn]] void fail_count(long long value, const char* function, const char* argument);

template <class T>
void check_pointer(T* pointer, const char* function, const char* argument) {
  if (pointer == nullptr) [[unlikely]] fail_null(function, argument);
}

// An array may be NULL when it has no elements.
template <class T>
void check_array(T* pointer, long long count, const char* function, const char* argument) {
  if (pointer == nullptr && count != 0) [[unlikely]] fail_null(function, argument);
}

inline void check_count(long long value, const char* function, const char* argument) {
  if (value < 0) [[unlikely]] fail_count(value, function, argument);
}

// Strings inside an array are as mandatory as the array.
inline const char* string_at(const char* const* strings, size_t i, const char* function, const char* argument) {
  if (strings[i] == nullptr) [[unlikely]] {
    fail_as(ErrorKind::kValueError, function, ": argument '", argument, "' holds NULL at index ", i);
  }
  return strings[i];
}

}  // namespace mxnet::capi
