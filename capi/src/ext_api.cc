// The table of functions beyond the 1.9.1 ABI.
#include <mxnet/ext_api.h>

#include <cstring>
#include <map>
#include <mutex>
#include <random>

#include "base/half.h"
#include "convert.h"
#include "op/op_def.h"
#include "plan/imperative.h"

namespace mxnet::capi {
// An operator with its parameters parsed. Kept for ever, so that front ends may keep the handle.
struct CallObject {
  const OpDef* op;
  std::shared_ptr<const Attrs> attrs;
  size_t visible;
};

namespace {

struct Calls {
  std::mutex mutex;
  std::map<std::pair<const OpDef*, AttrDict>, void*> by_key;
};

Calls& calls() {
  static auto* made = new Calls;
  return *made;
}

int call_create(AtomicSymbolCreator op, int num_params, const char** keys, const char** vals, MXCallHandle* out) {
  return guard([&] {
    const OpDef& def = deref<OpObject>(op, "call_create", "op");
    check_count(num_params, "call_create", "num_params");
    check_array(keys, num_params, "call_create", "keys");
    check_array(vals, num_params, "call_create", "vals");
    check_pointer(out, "call_create", "out");
    AttrDict dict = dict_of(num_params, keys, vals, "call_create");
    Calls& table = calls();
    const std::lock_guard lock(table.mutex);
    void*& slot = table.by_key[{&def, dict}];
    if (slot == nullptr) {
      auto call = std::make_unique<CallObject>();
      call->op = &def;
      call->attrs = std::make_shared<const Attrs>(def.parse(std::move(dict), ""));
      call->visible = static_cast<size_t>(def.num_visible_outputs(*call->attrs));
      slot = open_handle(Kind::kCall, call.get());
      call.release();
    }
    *out = slot;
  });
}

int call_invoke(MXCallHandle call, int num_inputs, const NDArrayHandle* inputs, int* num_outputs, NDArrayHandle* outputs) {
  return guard([&] {
    check_count(num_inputs, "call_invoke", "num_inputs");
    check_array(inputs, num_inputs, "call_invoke", "inputs");
    check_pointer(num_outputs, "call_invoke", "num_outputs");
    check_pointer(outputs, "call_invoke", "outputs");
    const CallObject& c = deref<const CallObject>(call, "call_invoke", "call");
    if (*num_outputs < 0 || static_cast<size_t>(*num_outputs) < c.visible) {
      fail_as(ErrorKind::kValueError, "call_invoke: ", c.op->name(), " has ", c.visible, " outputs, room is for ",
              *num_outputs);
    }
    bool any_given = false;
    std::vector<NDArray> targets(c.visible);
    for (size_t i = 0; i < c.visible; ++i) {
      if (outputs[i] == nullptr) continue;
      targets[i] = deref<NDArray>(outputs[i], "call_invoke", "outputs");
      any_given = true;
    }
    if (!any_given) targets.clear();
    std::vector<NDArray> results =
        invoke(*c.op, c.attrs, arrays_of(num_inputs, inputs, "call_invoke", "inputs"), targets);
    thread_local std::vector<void*> handles;
    NewHandles<NDArray> made(handles);
    for (size_t i = 0; i < c.visible; ++i) {
      if (outputs[i] == nullptr) {
        made.add(std::move(results[i]));
      } else {
        NDArray& target = deref<NDArray>(outputs[i], "call_invoke", "outputs");
        if (target.is_none()) target = results[i];
        made.add_null();
      }
    }
    void** list = made.keep();
    for (size_t i = 0; i < c.visible; ++i) {
      if (list[i] != nullptr) outputs[i] = list[i];
    }
    *num_outputs = static_cast<int>(c.visible);
  });
}

int array_info(NDArrayHandle handle, MXArrayInfo* out) {
  return guard([&] {
    const NDArray& array = deref<NDArray>(handle, "array_info", "handle");
    check_pointer(out, "array_info", "out");
    out->reserved = 0;
    if (array.is_none()) {
      out->ndim = out->dtype = out->storage_type = -1;
      out->dev_type = out->dev_id = 0;
      out->size = 0;
      return;
    }
    out->ndim = array.shape().ndim();
    out->dtype = static_cast<int32_t>(array.dtype());
    out->storage_type = 0;
    out->dev_type = static_cast<int32_t>(array.context().device_type);
    out->dev_id = array.context().device_id;
    out->size = array.size();
    std::copy(array.shape().begin(), array.shape().end(), out->shape);
  });
}

int64_t count_live_handles(const char* kind) {
  if (kind == nullptr) return live_handles(Kind::kNone);
  for (int i = 1; i < kKindCount; ++i) {
    if (std::strcmp(kKindNames[i], kind) == 0) return live_handles(static_cast<Kind>(i));
  }
  return -1;
}

uint64_t instance_id() {
  static const uint64_t id = [] {
    std::random_device device;
    return (uint64_t{device()} << 32 | device()) | 1;
  }();
  return id;
}

int float_to_bfloat16(const float* src, uint16_t* dst, size_t size) {
  return guard([&] {
    check_array(src, static_cast<long long>(size), "float_to_bfloat16", "src");
    check_array(dst, static_cast<long long>(size), "float_to_bfloat16", "dst");
    for (size_t i = 0; i < size; ++i) dst[i] = float_to_bfloat_bits(src[i]);
  });
}

int bfloat16_to_float(const uint16_t* src, float* dst, size_t size) {
  return guard([&] {
    check_array(src, static_cast<long long>(size), "bfloat16_to_float", "src");
    check_array(dst, static_cast<long long>(size), "bfloat16_to_float", "dst");
    for (size_t i = 0; i < size; ++i) dst[i] = bfloat_bits_to_float(src[i]);
  });
}

int error_code() { return static_cast<int>(last_error_code()); }

constexpr MXExtApi kTable = {MXNET_EXT_API_VERSION, sizeof(MXExtApi), &error_code,       &instance_id,      &count_live_handles,
                             &array_info,           &call_create,     &call_invoke,      &float_to_bfloat16, &bfloat16_to_float};

}  // namespace
}  // namespace mxnet::capi

const MXExtApi* MXGetExtApi(uint32_t version) {
  return version == 0 || version > MXNET_EXT_API_VERSION ? nullptr : &mxnet::capi::kTable;
}
