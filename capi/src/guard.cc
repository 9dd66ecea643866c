#include "guard.h"

#include <new>

#include "generated/impl.h"
#include "thread_value.h"

namespace mxnet::capi {
namespace {

constexpr const char* kOutOfMemory = "MemoryError: out of memory";

struct LastError {
  std::string buffer;
  const char* text = "";
  ErrorCode code = ErrorCode::kNone;
};

// The text lives per thread. When there is no memory for that either, all threads share one slot.
LastError& slot() noexcept {
  try {
    return ThreadValue<LastError>::get();
  } catch (...) {
    static LastError shared;
    return shared;
  }
}

ErrorCode code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kMXNetError: return ErrorCode::kMXNetError;
    case ErrorKind::kValueError: return ErrorCode::kValueError;
    case ErrorKind::kTypeError: return ErrorCode::kTypeError;
    case ErrorKind::kIndexError: return ErrorCode::kIndexError;
    case ErrorKind::kAttributeError: return ErrorCode::kAttributeError;
    case ErrorKind::kNotImplementedError: return ErrorCode::kNotImplementedError;
    case ErrorKind::kInternalError: return ErrorCode::kInternalError;
  }
  return ErrorCode::kMXNetError;
}

// Reporting must not fail, so a text that finds no memory gives way to a static one.
void store(ErrorCode code, const char* type, const char* text) noexcept {
  LastError& error = slot();
  try {
    error.buffer.assign(type);
    if (*type != '\0') error.buffer += ": ";
    error.buffer += text;
    error.text = error.buffer.c_str();
    error.code = code;
  } catch (...) {
    error.text = kOutOfMemory;
    error.code = ErrorCode::kMemoryError;
  }
}

}  // namespace

void record_exception() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    store(code_of(e.kind()), error_kind_name(e.kind()), e.what());
  } catch (const std::bad_alloc&) {
    slot().text = kOutOfMemory;
    slot().code = ErrorCode::kMemoryError;
  } catch (const std::exception& e) {
    store(ErrorCode::kInternalError, "InternalError", e.what());
  } catch (...) {
    store(ErrorCode::kInternalError, "InternalError", "unknown exception");
  }
}

void set_last_error(const char* text) noexcept { store(ErrorCode::kMXNetError, "", text == nullptr ? "" : text); }

const char* last_error() noexcept { return slot().text; }

ErrorCode last_error_code() noexcept { return slot().code; }

int fail_not_implemented(const char* function) noexcept {
  return guard([&] { fail_as(ErrorKind::kNotImplementedError, "not implemented: ", function); });
}

void fail_null(const char* function, const char* argument) {
  fail_as(ErrorKind::kValueError, function, ": argument '", argument, "' is NULL");
}

void fail_count(long long value, const char* function, const char* argument) {
  fail_as(ErrorKind::kValueError, function, ": argument '", argument, "' is ", value, ", a count cannot be negative");
}

}  // namespace mxnet::capi

// These set no error, so they stand outside the guard.
const char* MXGetLastError() { return mxnet::capi::last_error(); }
const char* NNGetLastError() { return mxnet::capi::last_error(); }
void NNAPISetLastError(const char* msg) { mxnet::capi::set_last_error(msg); }
