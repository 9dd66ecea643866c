#include "op/params.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tensor/dtype.h"

namespace mxnet {
namespace {

std::string_view strip(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\n')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n')) s.remove_suffix(1);
  return s;
}

template <class T>
std::optional<T> parse_integer(std::string_view text) {
  text = strip(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  if (rest == "L" || rest == "l") rest = {};  // files written under Python 2
  if (code != std::errc() || !rest.empty()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  text = strip(text);
  if (text.empty()) return std::nullopt;
  if (text == "True") return 1.0;
  if (text == "False") return 0.0;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (*end == 'f' && end[1] == '\0') ++end;
  if (*end != '\0') return std::nullopt;
  return value;
}

std::string print_real(double value, int digits) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

template <class T>
std::optional<std::vector<T>> parse_list(std::string_view text) {
  text = strip(text);
  std::vector<T> values;
  const bool bracketed = !text.empty() && (text.front() == '(' || text.front() == '[');
  if (bracketed) {
    const char close = text.front() == '(' ? ')' : ']';
    if (text.size() < 2 || text.back() != close) return std::nullopt;
    text = strip(text.substr(1, text.size() - 2));
    if (text.empty()) return values;
  }
  while (true) {
    const size_t comma = text.find(',');
    const std::optional<T> value = FieldType<T>::parse(strip(text.substr(0, comma)));
    if (!value) return std::nullopt;
    values.push_back(*value);
    if (comma == std::string_view::npos) break;
    text = strip(text.substr(comma + 1));
    if (text.empty()) break;  // trailing comma
  }
  return values;
}

template <class T>
std::string print_list(const std::vector<T>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) out += ',';
    // Reals in lists are shown short (0.1), single ones so that they read back exactly.
    out += std::is_floating_point_v<T> ? print_real(static_cast<double>(values[i]), 6) : FieldType<T>::print(values[i]);
  }
  return out + "]";
}

}  // namespace

std::string FieldType<bool>::name() { return "boolean"; }
std::optional<bool> FieldType<bool>::parse(std::string_view text) {
  text = strip(text);
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return std::nullopt;
}
std::string FieldType<bool>::print(const bool& value) { return value ? "1" : "0"; }

#define MXNET_INTEGER_FIELD(T, NAME)                                                                       \
  std::string FieldType<T>::name() { return NAME; }                                                        \
  std::optional<T> FieldType<T>::parse(std::string_view text) {                                            \
    if (text == "True" || text == "False") return static_cast<T>(text == "True");                          \
    return parse_integer<T>(text);                                                                         \
  }                                                                                                        \
  std::string FieldType<T>::print(const T& value) { return std::to_string(value); }
MXNET_INTEGER_FIELD(int32_t, "int")
MXNET_INTEGER_FIELD(int64_t, "long")
MXNET_INTEGER_FIELD(uint32_t, "int (non-negative)")
MXNET_INTEGER_FIELD(uint64_t, "long (non-negative)")
#undef MXNET_INTEGER_FIELD

std::string FieldType<float>::name() { return "float"; }
std::optional<float> FieldType<float>::parse(std::string_view text) {
  const std::optional<double> value = parse_real(text);
  if (!value) return std::nullopt;
  return static_cast<float>(*value);
}
std::string FieldType<float>::print(const float& value) { return print_real(value, 9); }

std::string FieldType<double>::name() { return "double"; }
std::optional<double> FieldType<double>::parse(std::string_view text) { return parse_real(text); }
std::string FieldType<double>::print(const double& value) { return print_real(value, 17); }

std::string FieldType<std::string>::name() { return "string"; }
std::optional<std::string> FieldType<std::string>::parse(std::string_view text) { return std::string(text); }
std::string FieldType<std::string>::print(const std::string& value) { return value; }

std::string FieldType<Shape>::name() { return "Shape(tuple)"; }
std::optional<Shape> FieldType<Shape>::parse(std::string_view text) {
  if (strip(text) == "None") return Shape();
  return parse_shape(text);
}
std::string FieldType<Shape>::print(const Shape& value) { return text(value); }

#define MXNET_LIST_FIELD(T, NAME)                                                                          \
  std::string FieldType<std::vector<T>>::name() { return "tuple of <" NAME ">"; }                          \
  std::optional<std::vector<T>> FieldType<std::vector<T>>::parse(std::string_view text) {                  \
    return parse_list<T>(text);                                                                            \
  }                                                                                                        \
  std::string FieldType<std::vector<T>>::print(const std::vector<T>& value) { return print_list(value); }
MXNET_LIST_FIELD(int32_t, "int")
MXNET_LIST_FIELD(int64_t, "long")
MXNET_LIST_FIELD(float, "float")
MXNET_LIST_FIELD(double, "double")
#undef MXNET_LIST_FIELD

std::shared_ptr<const void> ParamSchema::parse(const AttrDict& dict, std::string_view op_name,
                                               std::string_view node_name) const {
  const auto is_hidden = [](const std::string& key) {
    return key.size() >= 4 && key.starts_with("__") && key.ends_with("__");
  };
  std::shared_ptr<void> params = create_ ? create_() : nullptr;
  try {
    std::vector<bool> seen(fields_.size(), false);
    for (const auto& [key, value] : dict) {
      if (is_hidden(key)) continue;
      bool found = false;
      for (size_t i = 0; i < fields_.size() && !found; ++i) {
        if (fields_[i].name != key) continue;
        found = seen[i] = true;
        fields_[i].assign(params.get(), value);
      }
      if (found || lenient_) continue;
      std::vector<std::string> names;
      for (const Field& field : fields_) names.push_back(field.name);
      const std::string near = nearest_name(key, names);
      std::string message = text("Cannot find argument '", key, "'");
      if (!near.empty()) message += text(", did you mean '", near, "'?");
      message += ", Possible Arguments:\n----------------";
      for (const Field& field : fields_) message += text("\n", field.name, " : ", field.type_text, "\n    ", field.doc);
      fail(message, "\n");
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (!fields_[i].required || seen[i]) continue;
      const std::string& type = fields_[i].type_text;
      fail("Required parameter ", fields_[i].name, " of ", type.substr(0, type.rfind(", required")),
           " is not presented");
    }
  } catch (const Error& error) {
    std::string where = text(", in operator ", op_name, "(name=\"", node_name, "\"");
    for (const auto& [key, value] : dict) where += text(", ", key, "=\"", value, "\"");
    throw Error(error.kind(), error.message() + where + ")");
  }
  return params;
}

std::string enum_type_text(const std::vector<EnumChoice>& choices, bool required, bool allow_none, int none_value,
                           int default_value) {
  std::vector<std::string> words;
  std::string fallback = allow_none && default_value == none_value ? "None" : "";
  for (const EnumChoice& choice : choices) {
    words.push_back(text("'", choice.text, "'"));
    if (choice.value == default_value && fallback.empty()) fallback = choice.text;
  }
  std::sort(words.begin(), words.end());
  if (allow_none) words.insert(words.begin(), "None");
  std::string out = "{";
  for (size_t i = 0; i < words.size(); ++i) out += (i ? ", " : "") + words[i];
  return out + (required ? "}, required" : "},optional, default='" + fallback + "'");
}

int parse_enum(const std::string& field, std::string_view value, const std::vector<EnumChoice>& choices,
               bool allow_none, int none_value) {
  if (allow_none && value == "None") return none_value;
  std::vector<std::string> words;
  for (const EnumChoice& choice : choices) {
    if (value == choice.text) return choice.value;
    words.emplace_back(choice.text);
  }
  const std::string near = nearest_name(value, words);
  std::sort(words.begin(), words.end());
  std::string valid = allow_none ? "None" : "";
  for (const std::string& word : words) valid += text(valid.empty() ? "" : ", ", "'", word, "'");
  fail("Invalid Input: '", value, "' for ", field, ", valid values are: {", valid, "}",
       near.empty() ? "" : "; did you mean '" + near + "'?");
}

void check_field_range(const std::string& name, const std::string& doc, std::string_view value, double low,
                       double high) {
  const std::optional<double> number = parse_real(value);
  if (!number) return;  // None
  if (std::isnan(*number) || *number < low || *number > high) {
    fail("value ", value, " for Parameter ", name, " exceed bound [", low, ",", high, "]\n", name, ": ", doc);
  }
}

std::vector<EnumChoice> dtype_choices(std::initializer_list<int> codes) {
  std::vector<EnumChoice> choices;
  for (int code : codes) choices.push_back({dtype_name(dtype_from_code(code)), code});
  return choices;
}

}  // namespace mxnet
