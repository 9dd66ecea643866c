// The packed-function runtime.
#include <array>
#include <string_view>

#include "generated/impl.h"
#include "guard.h"
#include "handle.h"
#include "thread_store.h"

namespace mxnet::capi {

struct PackedFunction {
  const char* name;
  void (*call)(const MXNetValue* values, const int* codes, int count, MXNetValue* result, int* result_code);
};

namespace {

constexpr int kNullCode = 4;

void call_nop(const MXNetValue*, const int*, int, MXNetValue* result, int* result_code) {
  result->v_int64 = 0;
  *result_code = kNullCode;
}

constexpr std::array<PackedFunction, 1> kFunctions = {{{"_nop", &call_nop}}};

}  // namespace

namespace impl {

void MXNetFuncListGlobalNames(int* out_size, const char*** out_array) {
  std::vector<const char*>& names = ffi_store().pointers[0];
  names.clear();
  for (const PackedFunction& function : kFunctions) names.push_back(function.name);
  *out_size = static_cast<int>(names.size());
  *out_array = names.data();
}

void MXNetFuncGetGlobal(const char* name, MXNetFunctionHandle* out) {
  *out = nullptr;
  for (const PackedFunction& function : kFunctions) {
    if (std::string_view(function.name) == name) {
      *out = open_handle(Kind::kPackedFunction, const_cast<PackedFunction*>(&function));
    }
  }
}

void MXNetFuncFree(MXNetFunctionHandle func) {
  if (func == nullptr) return;
  if (close_handle(Kind::kPackedFunction, func) == nullptr) {
    fail_handle(func, Kind::kPackedFunction, "MXNetFuncFree", "func");
  }
}

void MXNetFuncCall(PackedFunctionObject& func, MXNetValue* arg_values, int* type_codes, int num_args,
                   MXNetValue* ret_val, int* ret_type_code) {
  func.call(arg_values, type_codes, num_args, ret_val, ret_type_code);
}

}  // namespace impl
}  // namespace mxnet::capi
