#include "base/json.h"

#include <charconv>

#include "base/error.h"

namespace mxnet {
namespace {

constexpr int kMaxDepth = 64;  // control flow nests graphs, a handful of levels each

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonValue value(int depth) {
    if (depth > kMaxDepth) error("nested too deeply");
    const char c = peek();
    JsonValue out;
    if (c == '{') {
      out.kind = JsonValue::Kind::kObject;
      members(out, depth);
    } else if (c == '[') {
      out.kind = JsonValue::Kind::kArray;
      items(out, depth);
    } else if (c == '"') {
      out.kind = JsonValue::Kind::kString;
      out.string = quoted();
    } else if (literal("true") || literal("false")) {
      out.kind = JsonValue::Kind::kBool;
      out.boolean = c == 't';
    } else if (!literal("null")) {
      out.kind = JsonValue::Kind::kNumber;
      out.number = number();
    }
    return out;
  }

  std::string_view rest() const { return text_.substr(at_); }

 private:
  template <class... Parts>
  [[noreturn]] void error(const Parts&... parts) const {
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
    fail("JSONReader: line ", line, ": ", parts...);
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
    if (at_ >= text_.size()) error("the text ends in the middle");
    return text_[at_];
  }

  void expect(char c) {
    const char got = peek();
    if (got != c) error("expected '", c, "', got '", got, "'");
    ++at_;
  }

  bool literal(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void members(JsonValue& out, int depth) {
    expect('{');
    if (peek() == '}') {
      ++at_;
      return;
    }
    while (true) {
      if (peek() != '"') error("expected a key in quotes");
      std::string key = quoted();
      expect(':');
      out.members.emplace_back(std::move(key), value(depth + 1));
      const char next = peek();
      ++at_;
      if (next == '}') return;
      if (next != ',') error("expected ',' or '}', got '", next, "'");
    }
  }

  void items(JsonValue& out, int depth) {
    expect('[');
    if (peek() == ']') {
      ++at_;
      return;
    }
    while (true) {
      out.items.push_back(value(depth + 1));
      const char next = peek();
      ++at_;
      if (next == ']') return;
      if (next != ',') error("expected ',' or ']', got '", next, "'");
    }
  }

  std::string quoted() {
    ++at_;
    std::string out;
    while (true) {
      if (at_ >= text_.size()) error("a string is not closed");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (c == '\n' || c == '\r') error("a line ends inside a string");
      if (c != '\\') {
        out += c;
        continue;
      }
      if (at_ >= text_.size()) error("a string is not closed");
      switch (const char escaped = text_[at_++]) {
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case '"': out += '"'; break;
        case '\\': out += '\\'; break;
        default: error("unknown string escape \\", escaped);
      }
    }
  }

  double number() {
    double out = 0;
    const char* begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), out);
    if (code != std::errc()) error("expected a value, got '", text_[at_], "'");
    at_ += static_cast<size_t>(end - begin);
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

JsonValue parse_json(std::string_view text, std::string_view* rest) {
  Reader reader(text);
  JsonValue out = reader.value(0);
  if (rest) *rest = reader.rest();
  return out;
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += c;
    }
  }
  return out + "\"";
}

}  // namespace mxnet
