// The four functions of the oldest array interface: listed and described, as front ends ask for them when they start.
#include <array>
#include <string_view>

#include "generated/impl.h"
#include "guard.h"
#include "handle.h"
#include "thread_store.h"

namespace mxnet::capi {

struct LegacyFunction {
  const char* name;
  const char* doc;
  uint32_t arrays, scalars, mutated;
  int type_mask;
  std::vector<const char*> arg_names, arg_types, arg_docs;
};

namespace {

constexpr int kArraysFirst = 1;
constexpr int kAcceptEmpty = 4;

const std::array<LegacyFunction, 4>& functions() {
  static const auto* list = new std::array<LegacyFunction, 4>{{
      {"_set_value", "Set every element of an array to a number.", 0, 1, 1, 0, {"src"}, {"real_t"}, {"The number."}},
      {"_onehot_encode", "One row per index: 1 at the index, 0 elsewhere.", 2, 0, 1, kArraysFirst | kAcceptEmpty, {}, {}, {}},
      {"fill_element_0index", "Per row, set the element that an index array names.", 3, 0, 1,
       kArraysFirst | kAcceptEmpty, {"lhs", "mhs", "rhs"}, {"NDArray", "NDArray", "NDArray"},
       {"The array to change.", "One value per row.", "One column index per row."}},
      {"_imdecode", "Decode an image into an array.", 1, 7, 1, kArraysFirst | kAcceptEmpty, {}, {}, {}},
  }};
  return *list;
}

const std::array<void*, 4>& function_handles() {
  static const std::array<void*, 4> handles = [] {
    std::array<void*, 4> made{};
    for (size_t i = 0; i < made.size(); ++i) {
      made[i] = open_handle(Kind::kFunction, const_cast<LegacyFunction*>(&functions()[i]));
    }
    return made;
  }();
  return handles;
}

}  // namespace

namespace impl {

void MXListFunctions(uint32_t* out_size, FunctionHandle** out_array) {
  *out_size = static_cast<uint32_t>(function_handles().size());
  *out_array = const_cast<void**>(function_handles().data());
}

void MXGetFunction(const char* name, FunctionHandle* out) {
  *out = nullptr;
  for (size_t i = 0; i < functions().size(); ++i) {
    if (std::string_view(functions()[i].name) == name) *out = function_handles()[i];
  }
}

void MXFuncGetInfo(FunctionObject& fun, const char** name, const char** description, uint32_t* num_args,
                   const char*** arg_names, const char*** arg_type_infos, const char*** arg_descriptions,
                   const char** return_type) {
  ThreadStore& store = mx_store();
  store.pointers[0] = fun.arg_names;
  store.pointers[1] = fun.arg_types;
  store.pointers[2] = fun.arg_docs;
  *name = fun.name;
  *description = fun.doc;
  *num_args = static_cast<uint32_t>(fun.arg_names.size());
  *arg_names = store.pointers[0].data();
  *arg_type_infos = store.pointers[1].data();
  *arg_descriptions = store.pointers[2].data();
  if (return_type != nullptr) *return_type = "";
}

void MXFuncDescribe(FunctionObject& fun, uint32_t* num_use_vars, uint32_t* num_scalars, uint32_t* num_mutate_vars,
                    int* type_mask) {
  *num_use_vars = fun.arrays;
  *num_scalars = fun.scalars;
  *num_mutate_vars = fun.mutated;
  *type_mask = fun.type_mask;
}

}  // namespace impl
}  // namespace mxnet::capi
