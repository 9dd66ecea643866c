// A graph made ready to run: a flat list of steps over resolved pointers. Running it allocates nothing, parses nothing
// and takes no lock.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/indexed.h"
#include "op/kernel.h"
#include "tensor/ndarray.h"

namespace mxnet {

// Where a graph entry must end up: an array outside the plan.
struct PlanTarget {
  Entry entry;        // empty: zero
  NDArray array;
  bool add = false;   // array += entry instead of array = entry
};

struct PlanInput {
  std::vector<PlanTarget> outputs;    // computed by run_forward
  std::vector<PlanTarget> gradients;  // computed by run_backward; empty for inference
  std::unordered_map<const Node*, NDArray> variables;
  // Variables whose array changes from run to run (head gradients); bind_variable sets them.
  std::vector<NodePtr> late_variables;
  std::unordered_map<const Node*, std::pair<Shape, DType>> late_types;
  Context context;
  bool is_train = false;
  bool keep_all = false;  // every entry keeps memory of its own (monitors look at them)
};

// The memory for temporaries. Executors that share one (bucketing) do not run interleaved: `owner` tells them.
struct Arena {
  std::shared_ptr<Storage> storage;
  const void* owner = nullptr;  // the plan whose values it holds
};

using StepObserver = std::function<void(const Node& node, const std::vector<NDArray>& inputs,
                                        const std::vector<NDArray>& outputs)>;

class Plan {
 public:
  // `arena` is used when it is large enough, and replaced by a larger one otherwise. Errors name the node.
  Plan(const PlanInput& input, std::shared_ptr<Arena> arena);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void run_forward() { run(0, forward_end_, 0); }
  void run_backward() { run(forward_end_, steps_.size(), 1); }
  void bind_variable(const Node* variable, const NDArray& array);
  // The variables of late_variables that the plan really reads.
  bool reads(const Node* variable) const { return late_slots_.count(variable) > 0; }
  // Runs the forward part and shows each operator's arrays.
  void run_forward_observed(const StepObserver& observer);

  // Whether the temporaries of the last run are still there (another plan may share the arena).
  bool owns_arena() const { return arena_->owner == this; }
  size_t arena_bytes() const { return arena_bytes_; }
  size_t num_steps() const { return steps_.size(); }
  std::string describe() const;  // one line a step: operator, node, bytes

 private:
  struct Step {
    Kernel kernel;
    KernelArgs args;
    const Node* node = nullptr;      // null for copies and sums the plan added
    std::vector<void*> pointers;     // inputs, then outputs
    std::vector<const Var*> vars;    // of inputs outside the plan
    std::vector<uint32_t> entries;   // inputs, then outputs
    size_t num_inputs = 0;
  };

  class Builder;
  void run(size_t begin, size_t end, int part);

  std::vector<Step> steps_;
  size_t forward_end_ = 0;
  std::shared_ptr<IndexedGraph> graph_;
  ShapeVec shapes_;
  std::vector<DType> types_;
  std::vector<NDArray> entry_arrays_;         // what each entry's memory is, for observers
  std::shared_ptr<Arena> arena_;
  std::shared_ptr<Storage> arena_storage_;
  size_t arena_bytes_ = 0;
  std::vector<NDArray> written_[2];           // arrays outside the plan that the forward / backward part writes
  std::vector<NDArray> held_;                 // keeps every outside array alive
  std::unordered_map<const Node*, std::vector<std::pair<size_t, size_t>>> late_slots_;  // variable -> (step, pointer)
  std::unordered_map<const Node*, NDArray> late_arrays_;
  RandomSource* random_ = nullptr;
};

}  // namespace mxnet
