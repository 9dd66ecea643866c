// Operator parameters: a plain struct per operator, and a schema that names its fields, gives their defaults and reads
// them from the strings that front ends and JSON files carry.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tensor/shape.h"

namespace mxnet {

using AttrDict = std::map<std::string, std::string>;

// FieldType<T>: how a C++ type of a params struct is called, read and printed in the ABI.
template <class T> struct FieldType;

#define MXNET_FIELD_TYPE(T)                                  \
  template <> struct FieldType<T> {                          \
    static std::string name();                               \
    static std::optional<T> parse(std::string_view text);    \
    static std::string print(const T& value);                \
  };
MXNET_FIELD_TYPE(bool)
MXNET_FIELD_TYPE(int32_t)
MXNET_FIELD_TYPE(int64_t)
MXNET_FIELD_TYPE(uint32_t)
MXNET_FIELD_TYPE(uint64_t)
MXNET_FIELD_TYPE(float)
MXNET_FIELD_TYPE(double)
MXNET_FIELD_TYPE(std::string)
MXNET_FIELD_TYPE(Shape)
MXNET_FIELD_TYPE(std::vector<int32_t>)
MXNET_FIELD_TYPE(std::vector<int64_t>)
MXNET_FIELD_TYPE(std::vector<float>)
MXNET_FIELD_TYPE(std::vector<double>)
#undef MXNET_FIELD_TYPE

template <class T> struct FieldType<std::optional<T>> {
  static std::string name() {
    return (std::is_same_v<T, Shape> ? std::string("Shape") : FieldType<T>::name()) + " or None";
  }
  static std::optional<std::optional<T>> parse(std::string_view text) {
    if (text == "None") return std::optional<T>{};
    const std::optional<T> value = FieldType<T>::parse(text);
    if (!value) return std::nullopt;
    return value;
  }
  static std::string print(const std::optional<T>& value) {
    return value ? FieldType<T>::print(*value) : "None";
  }
};

// One parameter, as the ABI shows it.
struct Field {
  std::string name;
  std::string type_text;  // "int, required", "float, optional, default=0.9", "{'avg', 'max'},optional, default='max'"
  std::string doc;
  bool required = false;
  bool hidden = false;  // accepted, but not shown: 1.9.1 leaves a few parameters undocumented
  // Stores the value of `text` into the params struct; throws a message without the operator's name.
  std::function<void(void* params, std::string_view text)> assign;
};

class ParamSchema {
 public:
  bool empty() const { return fields_.empty(); }
  const std::vector<Field>& fields() const { return fields_; }
  // Parses a dictionary into a new params struct. Keys of the form __x__ are skipped; unknown keys, missing required
  // ones and bad values are errors that end in `, in operator NAME(name="NODE", k="v")`.
  std::shared_ptr<const void> parse(const AttrDict& dict, std::string_view op_name, std::string_view node_name) const;

 protected:
  std::vector<Field> fields_;
  std::function<std::shared_ptr<void>()> create_;
  bool lenient_ = false;  // unknown keys are stored and ignored (1.9.1's operators without a parameter parser)
  friend class OpDef;
};

struct EnumChoice {
  const char* text;
  int value;
};

// Builds the schema of struct P:
//   Params<PoolParam>().required("kernel", &PoolParam::kernel, "...").field("p", &PoolParam::p, "...").range(0, 1)
// Defaults of `field` are the struct's own member initialisers.
template <class P>
class Params : public ParamSchema {
 public:
  Params() {
    create_ = [] { return std::static_pointer_cast<void>(std::make_shared<P>()); };
  }

  template <class T>
  Params& required(std::string name, T P::*member, std::string doc) {
    return add(std::move(name), member, FieldType<T>::name() + ", required", true, std::move(doc));
  }
  template <class T>
  Params& field(std::string name, T P::*member, std::string doc) {
    std::string type = FieldType<T>::name() + ", optional, default=" + quoted_default(P{}.*member);
    return add(std::move(name), member, std::move(type), false, std::move(doc));
  }
  // Words that stand for ints. In an optional enumeration the text None stands for `none_value`.
  Params& enumeration(std::string name, int P::*member, std::vector<EnumChoice> choices, std::string doc) {
    return add_enum(std::move(name), member, std::move(choices), false, false, 0, std::move(doc));
  }
  Params& required_enumeration(std::string name, int P::*member, std::vector<EnumChoice> choices, std::string doc) {
    return add_enum(std::move(name), member, std::move(choices), true, false, 0, std::move(doc));
  }
  Params& optional_enumeration(std::string name, int P::*member, std::vector<EnumChoice> choices, int none_value,
                               std::string doc) {
    return add_enum(std::move(name), member, std::move(choices), false, true, none_value, std::move(doc));
  }
  // Bounds (inclusive) of the numeric field added last.
  Params& range(double low, double high) {
    Field& field = fields_.back();
    field.assign = [inner = field.assign, name = field.name, doc = field.doc, low, high](void* p, std::string_view t) {
      inner(p, t);
      check_range(name, doc, t, low, high);
    };
    return *this;
  }
  // About the field added last: do not show it, or show this type text.
  Params& hidden() {
    fields_.back().hidden = true;
    return *this;
  }
  Params& shown_as(std::string type_text) {
    fields_.back().type_text = std::move(type_text);
    return *this;
  }
  // What the ABI says of the field added last, where 1.9.1 words it in its own way.
  Params& type_text(std::string text) {
    fields_.back().type_text = std::move(text);
    return *this;
  }
  Params& at_least(double low) { return range(low, std::numeric_limits<double>::infinity()); }

 private:
  static void check_range(const std::string& name, const std::string& doc, std::string_view text, double low,
                          double high);

  template <class T>
  static std::string quoted_default(const T& value) {
    const std::string printed = FieldType<T>::print(value);
    // The spelling of 1.9.1: quotes round words and plain ints.
    if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, std::optional<int32_t>> ||
                  std::is_same_v<T, std::string>) {
      return "'" + printed + "'";
    }
    return printed;
  }

  template <class T>
  Params& add(std::string name, T P::*member, std::string type_text, bool required, std::string doc) {
    Field field{name, std::move(type_text), std::move(doc), required, false, nullptr};
    field.assign = [name, member](void* params, std::string_view text) {
      std::optional<T> value = FieldType<T>::parse(text);
      if (!value) {
        fail("Invalid Parameter format for ", name, " expect ", FieldType<T>::name(), " but value='", text, "'");
      }
      static_cast<P*>(params)->*member = std::move(*value);
    };
    fields_.push_back(std::move(field));
    return *this;
  }

  Params& add_enum(std::string name, int P::*member, std::vector<EnumChoice> choices, bool required, bool allow_none,
                   int none_value, std::string doc);
};

// Shared by all Params<P>; declared here so that the templates stay small.
std::string enum_type_text(const std::vector<EnumChoice>& choices, bool required, bool allow_none, int none_value,
                           int default_value);
int parse_enum(const std::string& field, std::string_view text, const std::vector<EnumChoice>& choices,
               bool allow_none, int none_value);
void check_field_range(const std::string& name, const std::string& doc, std::string_view text, double low,
                       double high);

template <class P>
void Params<P>::check_range(const std::string& name, const std::string& doc, std::string_view text, double low,
                            double high) {
  check_field_range(name, doc, text, low, high);
}

template <class P>
Params<P>& Params<P>::add_enum(std::string name, int P::*member, std::vector<EnumChoice> choices, bool required,
                               bool allow_none, int none_value, std::string doc) {
  Field field{name, enum_type_text(choices, required, allow_none, none_value, P{}.*member), std::move(doc), required,
              false, nullptr};
  field.assign = [name, member, choices = std::move(choices), allow_none, none_value](void* params,
                                                                                      std::string_view text) {
    static_cast<P*>(params)->*member = parse_enum(name, text, choices, allow_none, none_value);
  };
  fields_.push_back(std::move(field));
  return *this;
}

// The choices of a dtype parameter: pairs of name and code. E.g. dtype_choices({DType::kFloat32, DType::kInt32}).
std::vector<EnumChoice> dtype_choices(std::initializer_list<int> codes);

}  // namespace mxnet
