#include "plan/plan.h"

#include "engine/engine.h"
#include "plan/builder.h"
#include "plan/random_state.h"

namespace mxnet {

Plan::Plan(const PlanInput& input, std::shared_ptr<Arena> arena) : arena_(std::move(arena)) {
  random_ = &random_state(input.context);
  Builder(*this, input).build();
}

void Plan::run(size_t begin, size_t end, int part) {
  arena_->owner = this;
  for (const NDArray& array : held_) wait_to_write(array);
  for (size_t i = begin; i < end; ++i) steps_[i].kernel.run(steps_[i].args);
  for (const NDArray& array : written_[part]) array.mark_written();
}

void Plan::bind_variable(const Node* variable, const NDArray& array) {
  const auto slots = late_slots_.find(variable);
  if (slots == late_slots_.end()) return;
  for (const auto& [step, pointer] : slots->second) steps_[step].pointers[pointer] = array.data();
  late_arrays_[variable] = array;
}

void Plan::run_forward_observed(const StepObserver& observer) {
  std::vector<NDArray> inputs;
  std::vector<NDArray> outputs;
  arena_->owner = this;
  for (const NDArray& array : held_) wait_to_write(array);
  for (size_t i = 0; i < forward_end_; ++i) {
    Step& step = steps_[i];
    step.kernel.run(step.args);
    if (!step.node) continue;
    inputs.clear();
    outputs.clear();
    for (size_t k = 0; k < step.entries.size(); ++k) {
      (k < step.num_inputs ? inputs : outputs).push_back(entry_arrays_[step.entries[k]]);
    }
    observer(*step.node, inputs, outputs);
  }
  for (const NDArray& array : written_[0]) array.mark_written();
}

std::string Plan::describe() const {
  std::string out = text("plan: ", steps_.size(), " steps (", forward_end_, " forward), arena ", arena_bytes_, " bytes\n");
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    out += text(i == forward_end_ ? "backward:\n" : "", "  ", i, " ",
                step.node ? step.node->op->name() : std::string("(copy or sum)"), " ",
                step.node ? step.node->name : std::string(), " workspace ", step.kernel.workspace_bytes, "\n");
  }
  return out;
}

}  // namespace mxnet
