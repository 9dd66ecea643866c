// The registry as JSON, in the field names of facts that tools compare and generators read.
#include <algorithm>

#include "base/json.h"
#include "op/registry.h"

namespace mxnet {
namespace {

std::string strings(const std::vector<std::string>& list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + json_quoted(list[i]);
  return out + "]";
}

// A value for a required parameter that lets the operator be asked for its names.
std::string sample_value(const Field& field) {
  const std::string& type = field.type_text;
  if (type.starts_with("{")) {
    const size_t open = type.find('\'');
    return type.substr(open + 1, type.find('\'', open + 1) - open - 1);
  }
  if (type.starts_with("Shape") || type.starts_with("tuple")) return "(1,1)";
  if (type.starts_with("string")) return "";
  return "1";
}

Attrs default_attrs(const OpDef& op) {
  AttrDict dict;
  for (const Field& field : op.schema().fields()) {
    if (field.required) dict[field.name] = sample_value(field);
  }
  if (!op.count_param().empty()) dict[op.count_param()] = "2";
  return op.parse(std::move(dict), "");
}

std::string describe(const OpDef& op) {
  const Attrs attrs = default_attrs(op);
  std::string out = "{\"aliases\": ";
  std::vector<std::string> aliases = op.aliases();
  std::sort(aliases.begin(), aliases.end());
  out += strings(aliases) + ", \"doc\": " + json_quoted(op.doc());
  out += ", \"key_var_num_args\": " + json_quoted(op.count_param()) + ", \"inputs\": [";
  const auto inputs = op.documented_inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    out += text(i ? ", " : "", "[", json_quoted(inputs[i].first), ", ", json_quoted(inputs[i].second), "]");
  }
  out += "], \"params\": [";
  bool first = true;
  for (const Field& field : op.schema().fields()) {
    if (field.hidden) continue;
    out += text(first ? "" : ", ", "[", json_quoted(field.name), ", ", json_quoted(field.type_text), ", ",
                json_quoted(field.doc), "]");
    first = false;
  }
  out += text("], \"num_inputs\": ", op.num_inputs(attrs), ", \"num_outputs\": ", op.num_outputs(attrs),
              ", \"num_visible_outputs\": ", op.num_visible_outputs(attrs));
  std::vector<std::string> suffixes = op.output_names(attrs);
  suffixes.resize(std::min<size_t>(suffixes.size(), static_cast<size_t>(op.num_visible_outputs(attrs))));
  out += ", \"output_suffixes\": " + strings(suffixes);
  out += text(", \"auto_inputs\": ", op.auto_inputs() ? "true" : "false");
  std::vector<std::string> args, aux;
  const std::vector<int> mutated = op.mutable_inputs(attrs);
  if (!op.is_variadic()) {
    const std::vector<std::string> names = op.input_names(attrs);
    for (size_t i = 0; i < names.size(); ++i) {
      const bool is_aux = std::find(mutated.begin(), mutated.end(), static_cast<int>(i)) != mutated.end();
      (is_aux ? aux : args).push_back(names[i]);
    }
  }
  out += ", \"list_arguments\": " + strings(args) + ", \"list_auxiliary_states\": " + strings(aux);
  out += ", \"mutated_inputs\": [";
  for (size_t i = 0; i < mutated.size(); ++i) out += text(i ? ", " : "", mutated[i]);
  out += text("], \"gradient\": ", op.num_inputs(attrs) == 0 ? "\"no inputs\"" : op.gradient() ? "\"yes\"" : "\"none\"");
  out += text(", \"loss\": ", op.is_loss() ? "true" : "false", ", \"random\": ", op.uses_random() ? "true" : "false",
              ", \"internal\": ", op.is_internal() ? "true" : "false", "}");
  return out;
}

}  // namespace

std::string ops_json() {
  std::string out = "{\n\"ops\": {\n";
  bool first = true;
  for (const OpDef* op : all_ops()) {
    out += first ? "" : ",\n";
    first = false;
    try {
      out += json_quoted(op->name()) + ": " + describe(*op);
    } catch (const Error& error) {
      fail_as(ErrorKind::kInternalError, "operator ", op->name(), " cannot be described: ", error.message());
    }
  }
  return out + "\n}\n}\n";
}

}  // namespace mxnet
