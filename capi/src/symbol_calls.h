// Calls that both spellings of the symbol interface (MXSymbol*, NNSymbol*) share.
#pragma once

#include <mxnet/c_types.h>

#include "graph/symbol.h"

namespace mxnet::capi {

void compose(Symbol& symbol, const char* name, uint32_t count, const char** keys, SymbolHandle* args,
             const char* function);
void list_inputs(const Symbol& symbol, InputKind kind, uint32_t* out_size, const char*** out_array);
void list_outputs(const Symbol& symbol, uint32_t* out_size, const char*** out_array);
void print(const Symbol& symbol, const char** out_str);
Symbol group(uint32_t count, SymbolHandle* symbols, const char* function);
InputKind input_kind(int option);

}  // namespace mxnet::capi
