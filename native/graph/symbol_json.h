// Symbols as JSON files, in the layout of MXNet 1.9.1, with the upgrades of files written since 0.8.
#pragma once

#include <string>
#include <string_view>

#include "graph/symbol.h"

namespace mxnet {

// Errors name the node, the operator or the field.
Symbol symbol_from_json(std::string_view json);
std::string symbol_to_json(const Symbol& symbol);

// A copy without the amp_cast and amp_multicast nodes (what MXSymbolRemoveAmpCast gives).
Symbol remove_amp_cast(const Symbol& symbol);

}  // namespace mxnet
