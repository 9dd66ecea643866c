// The operator registry.
#include <deque>
#include <mutex>
#include <unordered_map>

#include "generated/impl.h"
#include "guard.h"
#include "handle.h"
#include "op/registry.h"
#include "operator_handle.h"
#include "thread_store.h"

namespace mxnet::capi {
namespace {

// Strings of one operator as the ABI lists them; made once and kept.
struct OpInfo {
  std::deque<std::string> texts;
  std::vector<const char*> names, types, docs;
};

struct OpHandles {
  std::vector<void*> all;
  std::unordered_map<const OpDef*, void*> by_op;
};

const OpHandles& op_handles() {
  static const OpHandles* handles = [] {
    auto* made = new OpHandles;
    for (const OpDef* op : all_ops()) {
      if (op->is_internal()) continue;  // its inputs are what differentiation puts there, not what a caller likes
      void* handle = open_handle(Kind::kOp, const_cast<OpDef*>(op));
      made->all.push_back(handle);
      made->by_op[op] = handle;
    }
    return made;
  }();
  return *handles;
}

const OpInfo& op_info(const OpDef& op) {
  static std::mutex mutex;
  static auto* cache = new std::unordered_map<const OpDef*, OpInfo>;
  const std::lock_guard lock(mutex);
  const auto [it, is_new] = cache->try_emplace(&op);
  OpInfo& info = it->second;
  if (!is_new) return info;
  const auto add = [&info](const std::string& name, const std::string& type, const std::string& doc) {
    info.names.push_back(info.texts.emplace_back(name).c_str());
    info.types.push_back(info.texts.emplace_back(type).c_str());
    info.docs.push_back(info.texts.emplace_back(doc).c_str());
  };
  for (const auto& [name, type] : op.documented_inputs()) add(name, type, "");
  for (const Field& field : op.schema().fields()) {
    if (!field.hidden) add(field.name, field.type_text, field.doc);
  }
  return info;
}

void list_names(uint32_t* out_size, const char*** out_array) {
  std::vector<const char*>& pointers = nn_store().pointers[0];
  pointers.clear();
  for (const std::string& name : all_op_names()) pointers.push_back(name.c_str());
  *out_size = static_cast<uint32_t>(pointers.size());
  *out_array = pointers.data();
}

void describe(const OpDef& op, const char** name, const char** description, uint32_t* num_args,
              const char*** arg_names, const char*** arg_type_infos, const char*** arg_descriptions,
              const char** return_type) {
  const OpInfo& info = op_info(op);
  ThreadStore& store = nn_store();
  store.pointers[0] = info.names;
  store.pointers[1] = info.types;
  store.pointers[2] = info.docs;
  *name = op.name().c_str();
  *description = op.doc().c_str();
  *num_args = static_cast<uint32_t>(info.names.size());
  *arg_names = store.pointers[0].data();
  *arg_type_infos = store.pointers[1].data();
  *arg_descriptions = store.pointers[2].data();
  *return_type = nullptr;
}

}  // namespace

void* op_handle(const OpDef& op) { return op_handles().by_op.at(&op); }

namespace impl {

void MXListAllOpNames(uint32_t* out_size, const char*** out_array) { list_names(out_size, out_array); }

void NNListAllOpNames(nn_uint* out_size, const char*** out_array) { list_names(out_size, out_array); }

void MXSymbolListAtomicSymbolCreators(uint32_t* out_size, AtomicSymbolCreator** out_array) {
  // Static: callers only read it.
  *out_array = const_cast<void**>(op_handles().all.data());
  *out_size = static_cast<uint32_t>(op_handles().all.size());
}

void NNListUniqueOps(nn_uint* out_size, OpHandle** out_array) { MXSymbolListAtomicSymbolCreators(out_size, out_array); }

void MXSymbolGetAtomicSymbolName(OpObject& creator, const char** name) { *name = creator.name().c_str(); }

void MXSymbolGetAtomicSymbolInfo(OpObject& creator, const char** name, const char** description, uint32_t* num_args,
                                 const char*** arg_names, const char*** arg_type_infos,
                                 const char*** arg_descriptions, const char** key_var_num_args,
                                 const char** return_type) {
  const char* unused = nullptr;
  describe(creator, name, description, num_args, arg_names, arg_type_infos, arg_descriptions,
           return_type == nullptr ? &unused : return_type);
  *key_var_num_args = creator.count_param().c_str();
}

void NNGetOpInfo(OpObject& op, const char** real_name, const char** description, nn_uint* num_doc_args,
                 const char*** arg_names, const char*** arg_type_infos, const char*** arg_descriptions,
                 const char** return_type) {
  const char* unused = nullptr;
  describe(op, real_name, description, num_doc_args, arg_names, arg_type_infos, arg_descriptions,
           return_type == nullptr ? &unused : return_type);
}

void NNGetOpHandle(const char* op_name, OpHandle* op_out) {
  const OpDef& op = get_op(op_name);
  require(!op.is_internal(), "Operator ", op_name, " is internal: only differentiation makes its nodes");
  *op_out = op_handle(op);
}

}  // namespace impl
}  // namespace mxnet::capi
