#include "plan/imperative.h"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "engine/engine.h"
#include "op/registry.h"
#include "plan/random_state.h"

namespace mxnet {
namespace {

thread_local bool t_training = false;

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};

// A kernel made for one combination of parameters, shapes and types. Kernels keep state, so each thread has its own.
struct CachedCall {
  std::shared_ptr<const Attrs> attrs;  // keeps the address in the key from being used again
  Kernel kernel;
  ShapeVec out_shapes;
  DTypeVec out_types;
  std::vector<int> mutated;
  bool is_view = false;
};

constexpr size_t kMaxCachedCalls = 4096;

struct ThreadCache {
  std::unordered_map<std::string, std::shared_ptr<const Attrs>, StringHash, std::equal_to<>> attrs;
  std::unordered_map<std::string, std::shared_ptr<CachedCall>, StringHash, std::equal_to<>> calls;
  std::string key;
  std::vector<void*> in, out;
  std::vector<const Var*> vars;
  std::shared_ptr<Storage> workspace;
};

ThreadCache& thread_cache() {
  thread_local ThreadCache cache;
  return cache;
}

template <class T>
void append_raw(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_array(std::string& key, const NDArray& array) {
  append_raw(key, array.dtype());
  append_raw(key, static_cast<int8_t>(array.is_none() ? -2 : array.shape().ndim()));
  key.append(reinterpret_cast<const char*>(array.shape().begin()),
             sizeof(int64_t) * static_cast<size_t>(array.shape().end() - array.shape().begin()));
}

std::shared_ptr<CachedCall> make_call(const OpDef& op, const std::shared_ptr<const Attrs>& attrs,
                                      const std::vector<NDArray>& inputs, const std::vector<NDArray>& outputs) {
  auto call = std::make_shared<CachedCall>();
  call->attrs = attrs;
  ShapeVec in_shapes;
  DTypeVec in_types;
  for (const NDArray& array : inputs) {
    in_shapes.push_back(array.shape());
    in_types.push_back(array.dtype());
  }
  const int count = op.num_outputs(*attrs);
  call->out_shapes.resize(static_cast<size_t>(count));
  call->out_types.assign(static_cast<size_t>(count), DType::kUnknown);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_none()) continue;
    call->out_shapes[i] = outputs[i].shape();
    call->out_types[i] = outputs[i].dtype();
  }
  require(op.infer_shape() && op.infer_type(), "operator ", op.name(), " has no inference");
  // Twice: what the first round found for one input may settle another.
  for (int round = 0; round < 2; ++round) {
    op.infer_shape()(*attrs, in_shapes, call->out_shapes);
    op.infer_type()(*attrs, in_types, call->out_types);
  }
  for (int i = 0; i < count; ++i) {
    require(call->out_shapes[i].known(), "the shape of output ", i, " cannot be decided: ", call->out_shapes[i]);
    if (call->out_types[i] == DType::kUnknown) call->out_types[i] = DType::kFloat32;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    require(in_shapes[i] == inputs[i].shape(), "input ", i, ": Shape inconsistent, Provided = ", inputs[i].shape(),
            ", inferred shape=", tuple_text(in_shapes[i]));
  }
  call->mutated = op.mutable_inputs(*attrs);
  call->is_view = op.is_view() && in_types[0] == call->out_types[0];
  if (call->is_view) {
    const size_t bytes = inputs[0].bytes();
    call->kernel.run = [bytes](const KernelArgs& a) {
      if (a.in[0] != a.out[0]) std::memmove(a.out[0], a.in[0], bytes);
    };
  } else {
    call->kernel = op.make_kernel({*attrs, in_shapes, call->out_shapes, in_types, call->out_types, t_training, {}});
  }
  return call;
}

bool overlaps(const NDArray& a, const NDArray& b) {
  const char* pa = a.data_as<char>();
  const char* pb = b.data_as<char>();
  return pa < pb + b.bytes() && pb < pa + a.bytes();
}

// Whether writing `output` number `index` could spoil an input that is still to be read.
bool needs_copy(const OpDef& op, const std::vector<NDArray>& inputs, const NDArray& output, int index) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].bytes() == 0 || output.bytes() == 0 || !overlaps(inputs[i], output)) continue;
    bool allowed = false;
    if (inputs[i].data() == output.data() && inputs[i].bytes() == output.bytes()) {
      for (const auto& [in, out] : op.inplace_pairs()) allowed = allowed || (in == static_cast<int>(i) && out == index);
    }
    if (!allowed) return true;
  }
  return false;
}

std::vector<NDArray> run_call(const OpDef& op, const std::shared_ptr<const Attrs>& attrs,
                              const std::vector<NDArray>& inputs, const std::vector<NDArray>& outputs,
                              const Context& fallback) {
  ThreadCache& cache = thread_cache();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_none()) fail("input ", i, " is an array without memory");
  }
  const int expected = op.num_inputs(*attrs);
  require(static_cast<int>(inputs.size()) == expected, "expected ", expected, " inputs, got ", inputs.size());
  const size_t count = static_cast<size_t>(op.num_outputs(*attrs));
  require(outputs.empty() || outputs.size() == count ||
              outputs.size() == static_cast<size_t>(op.num_visible_outputs(*attrs)),
          "expected ", op.num_visible_outputs(*attrs), " output arrays, got ", outputs.size());

  cache.key.clear();
  append_raw(cache.key, attrs.get());
  append_raw(cache.key, t_training);
  for (const NDArray& array : inputs) append_array(cache.key, array);
  for (const NDArray& array : outputs) append_array(cache.key, array);
  std::shared_ptr<CachedCall> call;
  if (const auto it = cache.calls.find(std::string_view(cache.key)); it != cache.calls.end()) {
    call = it->second;
  } else {
    call = make_call(op, attrs, inputs, outputs);
    if (cache.calls.size() >= kMaxCachedCalls) cache.calls.clear();
    cache.calls.emplace(cache.key, call);
  }

  const Context context = inputs.empty() ? fallback : inputs[0].context();
  std::vector<NDArray> results = outputs;
  results.resize(count);
  std::vector<std::pair<size_t, NDArray>> copies;  // (output, where it really belongs)
  for (size_t i = 0; i < count; ++i) {
    if (results[i].is_none()) {
      results[i] = NDArray(call->out_shapes[i], call->out_types[i], context);
    } else if (needs_copy(op, inputs, results[i], static_cast<int>(i))) {
      copies.emplace_back(i, results[i]);
      results[i] = NDArray(call->out_shapes[i], call->out_types[i], context);
    }
  }
  for (const NDArray& array : inputs) wait_to_read(array);
  for (int i : call->mutated) wait_to_write(inputs[static_cast<size_t>(i)]);
  for (const NDArray& array : results) wait_to_write(array);
  cache.in.clear();
  cache.out.clear();
  cache.vars.clear();
  for (const NDArray& array : inputs) {
    cache.in.push_back(array.data());
    cache.vars.push_back(array.var());
  }
  for (const NDArray& array : results) cache.out.push_back(array.data());
  KernelArgs args{cache.in.data(), cache.out.data(), nullptr, &random_state(context), cache.vars.data()};
  if (call->kernel.workspace_bytes > 0) {
    if (!cache.workspace || cache.workspace->bytes() < call->kernel.workspace_bytes) {
      cache.workspace = Storage::allocate(call->kernel.workspace_bytes, Context{});
    }
    args.workspace = cache.workspace->data();
  }
  call->kernel.run(args);
  for (auto& [i, target] : copies) {
    std::memcpy(target.data(), results[i].data(), results[i].bytes());
    results[i] = target;
  }
  for (const NDArray& array : outputs) {
    if (!array.is_none()) array.mark_written();
  }
  for (int i : call->mutated) {
    if (static_cast<size_t>(i) < inputs.size()) inputs[i].mark_written();
  }
  return results;
}

}  // namespace

std::shared_ptr<const Attrs> intern_attrs(const OpDef& op,
                                          const std::vector<std::pair<std::string, std::string>>& dict) {
  ThreadCache& cache = thread_cache();
  std::string& key = cache.key;
  key.clear();
  append_raw(key, &op);
  for (const auto& [k, v] : dict) {
    append_raw(key, k.size());
    key += k;
    append_raw(key, v.size());
    key += v;
  }
  if (const auto it = cache.attrs.find(std::string_view(key)); it != cache.attrs.end()) return it->second;
  AttrDict map;
  for (const auto& [k, v] : dict) map[k] = v;
  const std::string saved = key;
  auto attrs = std::make_shared<const Attrs>(op.parse(std::move(map), ""));
  if (cache.attrs.size() >= kMaxCachedCalls) cache.attrs.clear();
  cache.attrs.emplace(saved, attrs);
  return attrs;
}

std::vector<NDArray> invoke(const OpDef& op, const std::shared_ptr<const Attrs>& attrs,
                            const std::vector<NDArray>& inputs, const std::vector<NDArray>& outputs,
                            const Context& context) {
  try {
    return run_call(op, attrs, inputs, outputs, context);
  } catch (const Error& error) {
    fail_as(error.kind(), "Error in operator ", op.name(), ": ", error.message());
  }
}

std::vector<NDArray> invoke(const char* op_name, AttrDict dict, const std::vector<NDArray>& inputs,
                            const std::vector<NDArray>& outputs) {
  const OpDef& op = get_op(op_name);
  std::vector<std::pair<std::string, std::string>> list(dict.begin(), dict.end());
  return invoke(op, intern_attrs(op, list), inputs, outputs);
}

bool imperative_training() { return t_training; }
void set_imperative_training(bool on) { t_training = on; }

}  // namespace mxnet
