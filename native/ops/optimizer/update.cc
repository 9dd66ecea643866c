#include "ops/optimizer/update.h"

#include <algorithm>

namespace mxnet {

InferTypeFn update_types(bool master, int inputs_of_weight_type) {
  return [=](const Attrs&, DTypeVec& in, DTypeVec& out) {
    for (int i = 0; i < inputs_of_weight_type; ++i) assign_type(out[0], in[i], "optimizer update");
    for (int i = 0; i < inputs_of_weight_type; ++i) assign_type(in[i], out[0], "optimizer update");
    for (size_t i = inputs_of_weight_type; i < in.size(); ++i) {
      if (master) {
        assign_type(in[i], DType::kFloat32, "optimizer state");
      } else {
        assign_type(in[i], out[0], "optimizer state");
        assign_type(out[0], in[i], "optimizer state");
      }
    }
  };
}

OpDef& update_op(const char* name, std::vector<std::string> inputs, bool master,
                 const std::vector<std::string>& read_only) {
  std::vector<int> written;
  for (size_t i = 2; i < inputs.size(); ++i) {
    if (std::find(read_only.begin(), read_only.end(), inputs[i]) == read_only.end())
      written.push_back(static_cast<int>(i));
  }
  OpDef& op = register_op(name)
                  .inputs(std::move(inputs))
                  .explicit_inputs()
                  .infer_shape(infer_same_shape)
                  .infer_type(update_types(master))
                  .inplace(0, 0);
  if (!written.empty()) op.mutates(written);
  return op;
}

}  // namespace mxnet
