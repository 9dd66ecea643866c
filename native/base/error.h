// The one exception type of the native code, and the helpers that throw it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mxnet {

// The word before the colon of a message at the C boundary; front ends map it to their exception classes.
enum class ErrorKind { kMXNetError, kValueError, kTypeError, kIndexError, kAttributeError, kNotImplementedError,
                       kInternalError };

const char* error_kind_name(ErrorKind kind);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  std::string message_;
};

// append_text(out, value): the text of a value in a message. Types of other folders add overloads beside themselves.
inline void append_text(std::string& out, std::string_view value) { out += value; }
inline void append_text(std::string& out, const char* value) { out += value ? value : "(null)"; }
inline void append_text(std::string& out, const std::string& value) { out += value; }
inline void append_text(std::string& out, char value) { out += value; }
void append_text(std::string& out, double value);
template <class T>
  requires std::is_integral_v<T>
void append_text(std::string& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "True" : "False";
  } else {
    out += std::to_string(value);
  }
}

template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

// Throws an Error whose message is the parts written one after another.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(ErrorKind::kMXNetError, text(parts...));
}

template <class... Parts>
[[noreturn]] void fail_as(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, text(parts...));
}

template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]] fail(parts...);
}

// The candidate closest to `word` by edit distance, or "" when none is near enough to be a slip of the pen.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// a * b, or an error naming `what` when the product leaves int64.
int64_t checked_mul(int64_t a, int64_t b, std::string_view what);

}  // namespace mxnet
