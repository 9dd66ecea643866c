// A small JSON reader for symbol files. It takes exactly what MXNet 1.9.1 takes: the escapes \" \\ \n \r \t, and text
// after the closing brace is the caller's business. Depth and size are bounded by the input.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxnet {

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  double number = 0;
  bool boolean = false;
  std::string string;
  std::vector<JsonValue> items;                               // of an array
  std::vector<std::pair<std::string, JsonValue>> members;     // of an object, in order

  bool is(Kind k) const { return kind == k; }
};

// Errors are "JSONReader: line N: ...". `rest`, when given, receives what follows the value.
JsonValue parse_json(std::string_view text, std::string_view* rest = nullptr);

// The text between quotes, with the five escapes.
std::string json_quoted(std::string_view text);

}  // namespace mxnet
