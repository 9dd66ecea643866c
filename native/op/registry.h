// All operators by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "op/op_def.h"

namespace mxnet {

// Declares an operator; returns it for the fluent calls of OpDef. Names and aliases must be new.
OpDef& register_op(const char* name);

// Use in a .cc file: a function that registers operators when the library is loaded.
//   MXNET_REGISTER(activation) { register_op("Activation").doc(...)...; }
#define MXNET_REGISTER(tag)                                               \
  static void register_operators_##tag();                                 \
  [[maybe_unused]] static const bool registered_##tag =                   \
      ::mxnet::add_registration(#tag, &register_operators_##tag);         \
  static void register_operators_##tag()

bool add_registration(const char* tag, void (*fn)());

// By name or alias; null when there is none.
const OpDef* find_op(std::string_view name);
// By name or alias; error "Operator X is not registered" with the nearest name.
const OpDef& get_op(std::string_view name);
// Every operator, sorted by name.
const std::vector<const OpDef*>& all_ops();
// Every name and alias but those of internal operators, sorted.
const std::vector<std::string>& all_op_names();
// JSON text describing every operator; the source of ops.json.
std::string ops_json();

}  // namespace mxnet
