// Running one operator at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "op/op_def.h"
#include "tensor/ndarray.h"

namespace mxnet {

// Interned parameters: the same operator and strings give the same object, so that invoke() can use its address as a
// key. `keys` and `values` are as the C ABI gives them. Lives as long as the thread's cache.
std::shared_ptr<const Attrs> intern_attrs(const OpDef& op, const std::vector<std::pair<std::string, std::string>>& dict);

// Runs `op` on `inputs`. `outputs` may be empty (arrays are made; hidden ones too) or hold one array per visible or
// per existing output, which are written; a none among them is made. Returns all outputs, hidden ones at the end.
// `context` says where the outputs of an operator without inputs are made. Errors name the operator.
std::vector<NDArray> invoke(const OpDef& op, const std::shared_ptr<const Attrs>& attrs,
                            const std::vector<NDArray>& inputs, const std::vector<NDArray>& outputs = {},
                            const Context& context = {});
std::vector<NDArray> invoke(const char* op_name, AttrDict dict, const std::vector<NDArray>& inputs,
                            const std::vector<NDArray>& outputs = {});

// Whether operators that act differently in training do so on this thread (autograd's train mode).
bool imperative_training();
void set_imperative_training(bool on);

}  // namespace mxnet
