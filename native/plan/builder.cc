#include "plan/builder.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "graph/symbol.h"

namespace mxnet {
namespace {

// target += source, elementwise.
template <class T>
void accumulate(const T* source, T* target, int64_t n) {
  parallel_for(n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) target[i] = static_cast<T>(target[i] + source[i]);
  });
}

}  // namespace

void Plan::Builder::build() {
  std::vector<Entry> heads;
  for (const PlanTarget& t : input_.outputs) heads.push_back(t.entry);
  uint32_t forward = 0;
  visit_post_order(heads, [&](const NodePtr&) { ++forward; });
  forward_nodes_ = forward;
  for (const PlanTarget& t : input_.gradients) {
    if (t.entry) heads.push_back(t.entry);
  }
  plan_.graph_ = std::make_shared<IndexedGraph>(heads);
  graph_ = plan_.graph_.get();
  infer();
  find_roots();
  place_variables();
  place_targets();
  order_steps();
  find_lifetimes();
  make_kernels();
  place_temporaries();
  resolve();
}

void Plan::Builder::infer() {
  ShapeVec& shapes = plan_.shapes_;
  std::vector<DType>& types = plan_.types_;
  shapes.assign(graph_->entry_node.size(), Shape());
  types.assign(graph_->entry_node.size(), DType::kUnknown);
  for (const IndexedNode& record : graph_->nodes) {
    if (!record.node->is_variable()) continue;
    if (const auto it = input_.variables.find(record.node.get()); it != input_.variables.end()) {
      shapes[record.first_output] = it->second.shape();
      types[record.first_output] = it->second.dtype();
    } else if (const auto late = input_.late_types.find(record.node.get()); late != input_.late_types.end()) {
      shapes[record.first_output] = late->second.first;
      types[record.first_output] = late->second.second;
    } else {
      fail("variable ", record.node->name, " has no array");
    }
  }
  infer_shapes(*graph_, shapes);
  infer_types(*graph_, types);
  for (size_t e = 0; e < shapes.size(); ++e) {
    const Node& node = *graph_->producer(static_cast<uint32_t>(e)).node;
    require(shapes[e].known(), "the shape of an output of ", node.name, " (", node.op ? node.op->name() : "variable",
            ") cannot be decided: ", shapes[e]);
    require(types[e] != DType::kUnknown, "the type of an output of ", node.name, " cannot be decided");
    (void)checked_mul(shapes[e].size(), 16, "array size");
  }
}

void Plan::Builder::find_roots() {
  root_.resize(graph_->entry_node.size());
  for (uint32_t e = 0; e < root_.size(); ++e) root_[e] = e;
  for (const IndexedNode& record : graph_->nodes) {
    const Node& node = *record.node;
    if (node.is_variable()) continue;
    // A monitor wants to see every operator, so it gets copies.
    if (!input_.keep_all && node.op->acts_as_view(node.attrs, input_.is_train) && plan_.types_[record.inputs[0]] == plan_.types_[record.first_output]) {
      root_[record.first_output] = root_[record.inputs[0]];  // inputs come first, so theirs is final
    }
    for (int i : node.op->mutable_inputs(node.attrs)) {
      if (static_cast<size_t>(i) < record.inputs.size()) mutated_.insert(root_[record.inputs[i]]);
    }
  }
  places_.resize(root_.size());
}

void Plan::Builder::place_variables() {
  for (const IndexedNode& record : graph_->nodes) {
    if (!record.node->is_variable()) continue;
    Place& place = places_[record.first_output];
    const auto it = input_.variables.find(record.node.get());
    if (it == input_.variables.end()) {
      place.late = true;
      continue;
    }
    place.outside = it->second;
    variable_storage_.insert(it->second.storage().get());
    plan_.held_.push_back(it->second);
  }
  std::unordered_set<const Storage*> written;
  for (uint32_t root : mutated_) written.insert(places_[root].outside.storage().get());
  for (const PlanTarget& t : input_.outputs) written.insert(t.array.storage().get());
  for (const PlanTarget& t : input_.gradients) written.insert(t.array.storage().get());
  for (const IndexedNode& record : graph_->nodes) {
    Place& place = places_[record.first_output];
    if (record.node->is_variable() && !place.late) {
      place.constant = written.count(place.outside.storage().get()) == 0;
    }
  }
}

void Plan::Builder::place_targets() {
  std::unordered_set<const Storage*> used;
  const auto place = [&](const PlanTarget& t) {
    plan_.held_.push_back(t.array);
    const bool fresh = used.insert(t.array.storage().get()).second;
    if (!t.entry || t.add || !fresh || aliases_variable(t.array)) return;
    const uint32_t root = root_[target_entry(t)];
    Place& spot = places_[root];
    if (graph_->producer(root).node->is_variable() || !spot.outside.is_none()) return;
    if (plan_.types_[root] != t.array.dtype()) return;
    spot.outside = t.array;
    direct_.insert(&t);
  };
  for (const PlanTarget& t : input_.outputs) place(t);
  for (const PlanTarget& t : input_.gradients) place(t);
}

void Plan::Builder::emit_targets_of(uint32_t node, const std::vector<PlanTarget>& targets) {
  for (const PlanTarget& t : targets) {
    if (!t.entry || direct_.count(&t) || emitted_.count(&t) || aliases_variable(t.array)) continue;
    if (graph_->entry_node[root_[target_entry(t)]] != node) continue;
    emitted_.insert(&t);
    order_.push_back({node, &t});
  }
}

void Plan::Builder::emit_rest(const std::vector<PlanTarget>& targets) {
  for (const PlanTarget& t : targets) {
    if (direct_.count(&t) || emitted_.count(&t) || (!t.entry && t.add)) continue;
    emitted_.insert(&t);
    order_.push_back({0, &t});
  }
}

void Plan::Builder::order_steps() {
  const auto emit_nodes = [&](uint32_t begin, uint32_t end, const std::vector<PlanTarget>& targets) {
    // Sums and copies follow the step they depend on at once, so that temporaries die early.
    std::unordered_set<uint32_t> with_target;
    for (const PlanTarget& t : targets) {
      if (t.entry && !direct_.count(&t)) with_target.insert(graph_->entry_node[root_[target_entry(t)]]);
    }
    for (uint32_t i = begin; i < end; ++i) {
      const IndexedNode& record = graph_->nodes[i];
      if (!record.node->is_variable() && root_[record.first_output] == record.first_output) {
        order_.push_back({i, nullptr});
      }
      if (with_target.count(i) && !record.node->is_variable()) emit_targets_of(i, targets);
    }
    emit_rest(targets);
  };
  emit_nodes(0, forward_nodes_, input_.outputs);
  forward_steps_ = order_.size();
  emit_nodes(forward_nodes_, static_cast<uint32_t>(graph_->nodes.size()), input_.gradients);
}

void Plan::Builder::find_lifetimes() {
  made_at_.assign(root_.size(), -1);
  last_use_.assign(root_.size(), -1);
  const int32_t end = static_cast<int32_t>(order_.size());
  for (int32_t s = 0; s < end; ++s) {
    if (const PlanTarget* t = order_[s].target) {
      if (t->entry) last_use_[root_[target_entry(*t)]] = s;
      continue;
    }
    const IndexedNode& record = graph_->nodes[order_[s].node];
    for (uint32_t e : record.inputs) last_use_[root_[e]] = s;
    for (uint32_t i = 0; i < record.num_outputs; ++i) {
      made_at_[record.first_output + i] = s;
      last_use_[record.first_output + i] = std::max(last_use_[record.first_output + i], s);
    }
  }
  // What backward reads of forward stays whole to the end, so that backward may run several times.
  const int32_t forward = static_cast<int32_t>(forward_steps_);
  for (size_t e = 0; e < root_.size(); ++e) {
    if (input_.keep_all || (made_at_[e] < forward && last_use_[e] >= forward)) last_use_[e] = end;
  }
}

Kernel Plan::Builder::target_kernel(const PlanTarget& t) const {
  const int64_t n = t.array.size();
  const DType to = t.array.dtype();
  if (!t.entry) {
    const size_t bytes = t.array.bytes();
    return {[bytes](const KernelArgs& a) { std::memset(a.out[0], 0, bytes); }, 0};
  }
  const DType from = plan_.types_[target_entry(t)];
  if (!t.add) return {[n, from, to](const KernelArgs& a) { convert_elements(a.in[0], from, a.out[0], to, n); }, 0};
  require(from == to, "gradient of type ", from, " cannot be added to an array of type ", to);
  return visit_dtype(to, [&](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    return {[n](const KernelArgs& a) { accumulate(a.input<T>(0), a.output<T>(0), n); }, 0};
  });
}

void Plan::Builder::make_kernels() {
  plan_.steps_.resize(order_.size());
  plan_.forward_end_ = forward_steps_;
  workspace_.assign(order_.size(), -1);
  ShapeVec in_shapes, out_shapes;
  std::vector<DType> in_types, out_types;
  for (size_t s = 0; s < order_.size(); ++s) {
    Step& step = plan_.steps_[s];
    if (order_[s].target) {
      step.kernel = target_kernel(*order_[s].target);
    } else {
      const IndexedNode& record = graph_->nodes[order_[s].node];
      const Node& node = *record.node;
      step.node = &node;
      step.num_inputs = record.inputs.size();
      in_shapes.clear(), out_shapes.clear(), in_types.clear(), out_types.clear();
      KernelContext context{node.attrs, in_shapes, out_shapes, in_types, out_types, input_.is_train, {}};
      for (uint32_t e : record.inputs) {
        in_shapes.push_back(plan_.shapes_[e]);
        in_types.push_back(plan_.types_[e]);
        context.constant_inputs.push_back(places_[root_[e]].constant);
        step.entries.push_back(e);
      }
      for (uint32_t i = 0; i < record.num_outputs; ++i) {
        const uint32_t e = record.first_output + i;
        out_shapes.push_back(plan_.shapes_[e]);
        out_types.push_back(plan_.types_[e]);
        step.entries.push_back(e);
      }
      try {
        if (node.op->is_view()) {
          const size_t bytes = static_cast<size_t>(out_shapes[0].size()) * dtype_size(out_types[0]);
          step.kernel.run = [bytes](const KernelArgs& a) { std::memcpy(a.out[0], a.in[0], bytes); };
        } else {
          step.kernel = node.op->make_kernel(context);
        }
      } catch (const Error& error) {
        fail_as(error.kind(), "Error in operator ", node.name, ": ", error.message());
      }
    }
    if (step.kernel.workspace_bytes > 0) {
      workspace_[s] = static_cast<int32_t>(blocks_.size());
      blocks_.push_back({step.kernel.workspace_bytes, static_cast<int32_t>(s), static_cast<int32_t>(s), 0});
    }
  }
}

bool Plan::Builder::place_inplace(const IndexedNode& record, int32_t step, uint32_t output) {
  if (input_.keep_all) return false;
  const size_t bytes = static_cast<size_t>(plan_.shapes_[output].size()) * dtype_size(plan_.types_[output]);
  for (const auto& [in, out] : record.node->op->inplace_pairs()) {
    if (record.first_output + static_cast<uint32_t>(out) != output || static_cast<size_t>(in) >= record.inputs.size()) {
      continue;
    }
    const uint32_t root = root_[record.inputs[in]];
    Place& source = places_[root];
    if (source.block < 0 || last_use_[root] != step || blocks_[source.block].bytes != bytes) continue;
    if (blocks_[source.block].last_step != step) continue;  // another output took it already
    const auto readers = std::count_if(record.inputs.begin(), record.inputs.end(),
                                       [&](uint32_t e) { return root_[e] == root; });
    if (readers != 1) continue;
    places_[output].block = source.block;
    blocks_[source.block].last_step = std::max(step + 1, last_use_[output]);
    return true;
  }
  return false;
}

void Plan::Builder::place_temporaries() {
  for (size_t s = 0; s < order_.size(); ++s) {
    if (order_[s].target) continue;
    const IndexedNode& record = graph_->nodes[order_[s].node];
    for (uint32_t i = 0; i < record.num_outputs; ++i) {
      const uint32_t e = record.first_output + i;
      Place& place = places_[e];
      if (!place.outside.is_none() || place_inplace(record, static_cast<int32_t>(s), e)) continue;
      const size_t bytes = static_cast<size_t>(plan_.shapes_[e].size()) * dtype_size(plan_.types_[e]);
      place.block = static_cast<int32_t>(blocks_.size());
      blocks_.push_back({std::max<size_t>(bytes, 1), static_cast<int32_t>(s), last_use_[e], 0});
    }
  }
  plan_.arena_bytes_ = plan_memory(blocks_);
#ifndef NDEBUG
  verify_memory(blocks_, plan_.arena_bytes_);
#endif
  if (plan_.arena_bytes_ == 0) return;
  Arena& arena = *plan_.arena_;
  if (!arena.storage || arena.storage->bytes() < plan_.arena_bytes_) {
    arena.storage = Storage::allocate(plan_.arena_bytes_, input_.context);
  }
  plan_.arena_storage_ = arena.storage;
}

NDArray Plan::Builder::entry_array(uint32_t entry) const {
  const Place& place = places_[root_[entry]];
  if (place.late || (place.outside.is_none() && place.block < 0)) return NDArray();
  if (!place.outside.is_none()) {
    return NDArray(place.outside.storage(), place.outside.byte_offset(), plan_.shapes_[entry], plan_.types_[entry]);
  }
  return NDArray(plan_.arena_storage_, blocks_[place.block].offset, plan_.shapes_[entry], plan_.types_[entry]);
}

void Plan::Builder::resolve() {
  plan_.entry_arrays_.reserve(root_.size());
  for (uint32_t e = 0; e < root_.size(); ++e) plan_.entry_arrays_.push_back(entry_array(e));
  for (size_t s = 0; s < order_.size(); ++s) {
    Step& step = plan_.steps_[s];
    const auto add_pointer = [&](uint32_t entry) {
      const Place& place = places_[root_[entry]];
      if (place.late) {
        const Node* variable = graph_->producer(root_[entry]).node.get();
        plan_.late_slots_[variable].emplace_back(s, step.pointers.size());
      }
      step.pointers.push_back(plan_.entry_arrays_[entry].data());
    };
    if (const PlanTarget* t = order_[s].target) {
      if (t->entry) {
        step.num_inputs = 1;
        step.vars.push_back(nullptr);
        add_pointer(target_entry(*t));
      }
      step.pointers.push_back(t->array.data());
    } else {
      for (size_t k = 0; k < step.entries.size(); ++k) {
        add_pointer(step.entries[k]);
        if (k < step.num_inputs) {
          const Place& place = places_[root_[step.entries[k]]];
          step.vars.push_back(place.constant ? place.outside.var() : nullptr);
        }
      }
    }
    step.args.in = step.pointers.data();
    step.args.out = step.pointers.data() + step.num_inputs;
    step.args.in_vars = step.vars.data();
    step.args.random = plan_.random_;
    step.args.workspace = nullptr;
    if (workspace_[s] >= 0) {
      step.args.workspace = static_cast<char*>(plan_.arena_storage_->data()) + blocks_[workspace_[s]].offset;
    }
  }
  for (const PlanTarget& t : input_.outputs) plan_.written_[0].push_back(t.array);
  for (const PlanTarget& t : input_.gradients) plan_.written_[1].push_back(t.array);
  for (uint32_t root : mutated_) {
    if (!places_[root].outside.is_none()) plan_.written_[0].push_back(places_[root].outside);
  }
}

}  // namespace mxnet
