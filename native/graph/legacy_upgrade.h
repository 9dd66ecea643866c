// What files of older versions need before their nodes mean what they meant then. Versions are major * 10000 +
// minor * 100 + patch; a file without one is of 0.8.
#pragma once

#include "op/node.h"

namespace mxnet {

inline constexpr int kOldestVersion = 800;
inline constexpr int kFileVersion = 10901;  // the version we write: 1.9.1

// Bare and suffixed hidden attributes (lr_mult, weight_lr_mult, ...) become __key__ attributes of the right node.
void upgrade_hidden_keys(Node& node, int version);
// Inputs that were not stored (auxiliary states before 0.9) become variables; call when parameters are parsed.
void upgrade_missing_inputs(Node& node, int version);
// Initialisers that operators give to their auxiliary variables (before 0.9.4).
void upgrade_input_attributes(Node& node, int version);
// axis = -1 of argmax and argmin meant "all axes" before 0.9.5.
void upgrade_argmax_axis(Node& node, int version);

}  // namespace mxnet
