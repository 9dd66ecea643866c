// Lowers a graph to the steps of a Plan.
#pragma once

#include <unordered_set>
#include <vector>

#include "plan/memory.h"
#include "plan/plan.h"

namespace mxnet {

class Plan::Builder {
 public:
  Builder(Plan& plan, const PlanInput& input) : plan_(plan), input_(input) {}
  void build();

 private:
  // Where the memory of an entry is. Entries that are views of another have none of their own (see root_).
  struct Place {
    NDArray outside;      // an array outside the plan, or
    int32_t block = -1;   // a block of the arena, or
    bool late = false;    // a variable bound before each run
    bool constant = false;  // an outside array that no step writes
  };
  // What a step does: run a node, or bring an entry to a target (copy, add or zero).
  struct StepPlan {
    uint32_t node = 0;
    const PlanTarget* target = nullptr;
  };

  void infer();
  void find_roots();
  void place_variables();
  void place_targets();
  void order_steps();
  void find_lifetimes();
  void make_kernels();
  void place_temporaries();
  void resolve();

  uint32_t target_entry(const PlanTarget& target) const { return graph_->entry_id(target.entry); }
  bool aliases_variable(const NDArray& array) const { return variable_storage_.count(array.storage().get()) > 0; }
  bool place_inplace(const IndexedNode& record, int32_t step, uint32_t output);
  void emit_targets_of(uint32_t node, const std::vector<PlanTarget>& targets);
  void emit_rest(const std::vector<PlanTarget>& targets);
  Kernel target_kernel(const PlanTarget& target) const;
  NDArray entry_array(uint32_t entry) const;

  Plan& plan_;
  const PlanInput& input_;
  const IndexedGraph* graph_ = nullptr;
  uint32_t forward_nodes_ = 0;                    // nodes [0, forward_nodes_) are reachable from the outputs
  std::vector<uint32_t> root_;                    // entry -> entry that owns its memory
  std::vector<Place> places_;                     // per root entry
  std::unordered_set<const Storage*> variable_storage_;
  std::unordered_set<uint32_t> mutated_;          // roots written by some node
  std::unordered_set<const PlanTarget*> direct_;  // written by the producing step itself
  std::unordered_set<const PlanTarget*> emitted_;
  std::vector<StepPlan> order_;
  size_t forward_steps_ = 0;
  std::vector<int32_t> made_at_;                  // root -> step, -1: before the plan runs
  std::vector<int32_t> last_use_;                 // root -> last step that reads it
  std::vector<MemoryBlock> blocks_;
  std::vector<int32_t> workspace_;                // step -> block, or -1
};

}  // namespace mxnet
