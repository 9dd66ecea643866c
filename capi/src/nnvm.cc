// The nnvm symbol interface.
#include "convert.h"
#include "generated/impl.h"
#include "symbol_calls.h"
#include "thread_store.h"

namespace mxnet::capi::impl {

void NNSymbolFree(SymbolHandle symbol) { free_handle<Symbol>(symbol, __func__, "symbol"); }

void NNSymbolCreateAtomicSymbol(OpObject& op, nn_uint num_param, const char** keys, const char** vals,
                                SymbolHandle* out) {
  *out = make_handle(Symbol::atomic(op, dict_of(num_param, keys, vals, __func__)));
}

void NNSymbolCreateVariable(const char* name, SymbolHandle* out) { *out = make_handle(Symbol::variable(name)); }

void NNSymbolCreateGroup(nn_uint num_symbols, SymbolHandle* symbols, SymbolHandle* out) {
  *out = make_handle(group(num_symbols, symbols, __func__));
}

void NNSymbolCopy(SymbolObject& symbol, SymbolHandle* out) { *out = make_handle(symbol.copy()); }

void NNSymbolPrint(SymbolObject& symbol, const char** out_str) { print(symbol, out_str); }

void NNSymbolGetAttr(SymbolObject& symbol, const char* key, const char** out, int* success) {
  std::optional<std::string> value = symbol.attribute(key);
  *success = value ? 1 : 0;
  *out = nullptr;
  if (!value) return;
  std::string& text = nn_store().text;
  text = *std::move(value);
  *out = text.c_str();
}

void NNSymbolSetAttrs(SymbolObject& symbol, nn_uint num_param, const char** keys, const char** values) {
  for (const auto& [key, value] : dict_of(num_param, keys, values, __func__)) symbol.set_attribute(key, value);
}

void NNSymbolListAttrs(SymbolObject& symbol, int recursive_option, nn_uint* out_size, const char*** out) {
  std::vector<std::string> list;
  if (recursive_option == 0) {
    for (Symbol::AttributeRow& row : symbol.list_attributes_deep()) {
      list.push_back(row.node + "$" + row.key);
      list.push_back(std::move(row.value));
    }
  } else {
    for (auto& [key, value] : symbol.list_attributes()) {
      list.push_back(std::move(key));
      list.push_back(std::move(value));
    }
  }
  *out_size = static_cast<nn_uint>(list.size() / 2);
  *out = nn_store().texts.set(std::move(list));
}

void NNSymbolListInputNames(SymbolObject& symbol, int option, nn_uint* out_size, const char*** out_str_array) {
  list_inputs(symbol, input_kind(option), out_size, out_str_array);
}

void NNSymbolListInputVariables(SymbolObject& symbol, int option, nn_uint* out_size, SymbolHandle** out_sym_array) {
  const std::vector<NodePtr> variables = symbol.input_variables(input_kind(option));
  NewHandles<Symbol> made(nn_store().handles[0]);
  for (const NodePtr& variable : variables) made.add(Symbol({Entry{variable, 0, 0}}));
  *out_size = static_cast<nn_uint>(made.size());
  *out_sym_array = made.keep();
}

void NNSymbolListOutputNames(SymbolObject& symbol, nn_uint* out_size, const char*** out_str_array) {
  list_outputs(symbol, out_size, out_str_array);
}

void NNSymbolGetNumOutputs(SymbolObject& symbol, nn_uint* output_count) {
  *output_count = static_cast<nn_uint>(symbol.outputs.size());
}

void NNSymbolGetInternals(SymbolObject& symbol, SymbolHandle* out) { *out = make_handle(symbol.internals()); }

void NNSymbolGetChildren(SymbolObject& symbol, SymbolHandle* out) {
  *out = make_handle(symbol.children().value_or(Symbol()));
}

void NNSymbolGetOutput(SymbolObject& symbol, nn_uint index, SymbolHandle* out) {
  *out = make_handle(symbol.output(index));
}

void NNSymbolCompose(SymbolObject& sym, const char* name, nn_uint num_args, const char** keys, SymbolHandle* args) {
  compose(sym, name, num_args, keys, args, __func__);
}

}  // namespace mxnet::capi::impl
