// Symbols.
#include "graph/symbol.h"

#include "convert.h"
#include "generated/impl.h"
#include "graph/symbol_json.h"
#include "io/file.h"
#include "op/op_def.h"
#include "symbol_calls.h"
#include "thread_store.h"

namespace mxnet::capi {
namespace {

void list_names(std::vector<std::string> names, uint32_t* out_size, const char*** out_array) {
  *out_size = static_cast<uint32_t>(names.size());
  *out_array = nn_store().texts.set(std::move(names));
}

}  // namespace

void compose(Symbol& symbol, const char* name, uint32_t count, const char** keys, SymbolHandle* args,
             const char* function) {
  const std::vector<Symbol*> symbols = objects_of<Symbol>(count, args, function, "args");
  std::vector<const Symbol*> positional;
  std::vector<std::pair<std::string, const Symbol*>> named;
  for (uint32_t i = 0; i < count; ++i) {
    if (keys == nullptr) {
      positional.push_back(symbols[i]);
    } else {
      named.emplace_back(string_at(keys, i, function, "keys"), symbols[i]);
    }
  }
  symbol.compose(name == nullptr ? "" : name, positional, named);
}

void list_inputs(const Symbol& symbol, InputKind kind, uint32_t* out_size, const char*** out_array) {
  list_names(symbol.list_inputs(kind), out_size, out_array);
}

void list_outputs(const Symbol& symbol, uint32_t* out_size, const char*** out_array) {
  list_names(symbol.list_outputs(), out_size, out_array);
}

void print(const Symbol& symbol, const char** out_str) {
  std::string& text = nn_store().text;
  text = symbol.debug_text();
  *out_str = text.c_str();
}

Symbol group(uint32_t count, SymbolHandle* symbols, const char* function) {
  std::vector<const Symbol*> list;
  for (const Symbol* symbol : objects_of<Symbol>(count, symbols, function, "symbols")) list.push_back(symbol);
  return Symbol::group(list);
}

InputKind input_kind(int option) {
  if (option < 0 || option > 2) {
    fail_as(ErrorKind::kValueError, "Option ", option, " for listing inputs: valid are 0 (all), 1 (read-only), 2 (auxiliary)");
  }
  return static_cast<InputKind>(option);
}

namespace impl {

void MXSymbolCreateAtomicSymbol(OpObject& creator, uint32_t num_param, const char** keys, const char** vals,
                                SymbolHandle* out) {
  *out = make_handle(Symbol::atomic(creator, dict_of(num_param, keys, vals, __func__)));
}

void MXSymbolCreateVariable(const char* name, SymbolHandle* out) { *out = make_handle(Symbol::variable(name)); }

void MXSymbolCreateGroup(uint32_t num_symbols, SymbolHandle* symbols, SymbolHandle* out) {
  *out = make_handle(group(num_symbols, symbols, __func__));
}

void MXSymbolCreateFromFile(const char* fname, SymbolHandle* out) {
  *out = make_handle(symbol_from_json(read_text_file(fname)));
}

void MXSymbolCreateFromJSON(const char* json, SymbolHandle* out) { *out = make_handle(symbol_from_json(json)); }

void MXSymbolRemoveAmpCast(SymbolObject& sym_handle, SymbolHandle* ret_sym_handle) {
  *ret_sym_handle = make_handle(remove_amp_cast(sym_handle));
}

void MXSymbolSaveToFile(SymbolObject& symbol, const char* fname) {
  const std::string json = symbol_to_json(symbol);
  ReplacingFile file(fname);
  file.write(json);
  file.commit();
}

void MXSymbolSaveToJSON(SymbolObject& symbol, const char** out_json) {
  std::string& text = mx_store().text;
  text = symbol_to_json(symbol);
  *out_json = text.c_str();
}

void MXSymbolFree(SymbolHandle symbol) { free_handle<Symbol>(symbol, __func__, "symbol"); }

void MXSymbolCopy(SymbolObject& symbol, SymbolHandle* out) { *out = make_handle(symbol.copy()); }

void MXShallowCopySymbol(SymbolObject& src, SymbolHandle* out) { *out = make_handle(Symbol(src)); }

void MXSymbolPrint(SymbolObject& symbol, const char** out_str) { print(symbol, out_str); }

void MXSymbolGetName(SymbolObject& symbol, const char** out, int* success) {
  const std::optional<std::string> name = symbol.name();
  *success = name ? 1 : 0;
  *out = nullptr;
  if (!name) return;
  std::string& text = nn_store().text;
  text = *name;
  *out = text.c_str();
}

void MXSymbolGetAttr(SymbolObject& symbol, const char* key, const char** out, int* success) {
  std::optional<std::string> value = symbol.attribute(key);
  if (!value && is_hidden_key(key)) value = symbol.attribute("__" + std::string(key) + "__");
  *success = value ? 1 : 0;
  *out = nullptr;
  if (!value) return;
  std::string& text = mx_store().text;
  text = *std::move(value);
  *out = text.c_str();
}

void MXSymbolSetAttr(SymbolObject& symbol, const char* key, const char* value) {
  for (const auto& [name, text] : normalize_hidden_keys({{key, value}})) symbol.set_attribute(name, text);
}

void MXSymbolListAttr(SymbolObject& symbol, uint32_t* out_size, const char*** out) {
  std::vector<std::string> list;
  for (Symbol::AttributeRow& row : symbol.list_attributes_deep()) {
    list.push_back(row.node + "$" + row.key);
    list.push_back(std::move(row.value));
  }
  *out_size = static_cast<uint32_t>(list.size() / 2);
  *out = mx_store().texts.set(std::move(list));
}

void MXSymbolListAttrShallow(SymbolObject& symbol, uint32_t* out_size, const char*** out) {
  std::vector<std::string> list;
  for (auto& [key, value] : symbol.list_attributes()) {
    list.push_back(std::move(key));
    list.push_back(std::move(value));
  }
  *out_size = static_cast<uint32_t>(list.size() / 2);
  *out = mx_store().texts.set(std::move(list));
}

void MXSymbolListArguments(SymbolObject& symbol, uint32_t* out_size, const char*** out_str_array) {
  list_inputs(symbol, InputKind::kReadOnly, out_size, out_str_array);
}

void MXSymbolListAuxiliaryStates(SymbolObject& symbol, uint32_t* out_size, const char*** out_str_array) {
  list_inputs(symbol, InputKind::kAuxiliary, out_size, out_str_array);
}

void MXSymbolListOutputs(SymbolObject& symbol, uint32_t* out_size, const char*** out_str_array) {
  list_outputs(symbol, out_size, out_str_array);
}

void MXSymbolGetNumOutputs(SymbolObject& symbol, uint32_t* output_count) {
  *output_count = static_cast<uint32_t>(symbol.outputs.size());
}

void MXSymbolGetInternals(SymbolObject& symbol, SymbolHandle* out) { *out = make_handle(symbol.internals()); }

void MXSymbolGetChildren(SymbolObject& symbol, SymbolHandle* out) {
  *out = make_handle(symbol.children().value_or(Symbol()));
}

void MXSymbolGetOutput(SymbolObject& symbol, uint32_t index, SymbolHandle* out) {
  *out = make_handle(symbol.output(index));
}

void MXSymbolCompose(SymbolObject& sym, const char* name, uint32_t num_args, const char** keys, SymbolHandle* args) {
  compose(sym, name, num_args, keys, args, __func__);
}

void MXGenAtomicSymbolFromSymbol(SymbolObject& sym_handle, SymbolHandle* ret_sym_handle) {
  if (sym_handle.outputs.empty() || sym_handle.outputs[0].node->is_variable()) {
    fail_as(ErrorKind::kValueError, "The symbol is no operator");
  }
  const Node& node = *sym_handle.outputs[0].node;
  *ret_sym_handle = make_handle(Symbol::atomic(*node.op, node.attrs.dict));
}

void MXSymbolGetInputSymbols(SymbolObject& sym, SymbolHandle** inputs, int* input_size) {
  const std::vector<NodePtr> variables = sym.input_variables(InputKind::kAll);
  NewHandles<Symbol> made(mx_store().handles[0]);
  for (const NodePtr& variable : variables) made.add(Symbol({Entry{variable, 0, 0}}));
  *input_size = static_cast<int>(made.size());
  *inputs = made.keep();
}

}  // namespace impl
}  // namespace mxnet::capi
