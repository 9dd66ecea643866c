#ifdef MXNET_USE_ONEDNN

#include "kernels/onednn/program.h"

#include <cstdlib>
#include <new>

#include "base/error.h"
#include "kernels/threads.h"

namespace mxnet::onednn {

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

Program::Slot Program::add_slot(const dnnl::memory::desc& desc, Place place, int index) {
  slots_.push_back({dnnl::memory(desc, cpu_engine(), nullptr), place, index, 0});
  return static_cast<Slot>(slots_.size() - 1);
}

Program::Slot Program::temporary(const dnnl::memory::desc& desc) {
  const Slot slot = add_slot(desc, Place::kWorkspace, 0);
  slots_[slot].offset = workspace_bytes_;
  workspace_bytes_ += (desc.get_size() + 63) / 64 * 64;
  return slot;
}

Program::Slot Program::load(const dnnl::memory::desc& user, const dnnl::memory::desc& wanted, int index, bool keep) {
  const Slot from = input(user, index);
  if (user == wanted) return from;
  Slot to;
  if (keep) {
    to = add_slot(wanted, Place::kOwned, index);
    void* memory = std::aligned_alloc(64, (wanted.get_size() + 63) / 64 * 64);
    if (memory == nullptr) throw std::bad_alloc();
    owned_.emplace_back(static_cast<char*>(memory), [](char* p) { std::free(p); });
    slots_[to].memory.set_data_handle(memory);
  } else {
    to = temporary(wanted);
  }
  add_reorder(from, to, keep ? index : -1);
  return to;
}

Program::Slot Program::target(const dnnl::memory::desc& user, const dnnl::memory::desc& wanted, int index) {
  return user == wanted ? output(user, index) : temporary(wanted);
}

void Program::store(const dnnl::memory::desc& user, Slot from, int index) {
  if (slots_[from].place == Place::kOutput) return;
  add_reorder(from, output(user, index), -1);
}

void Program::add_reorder(Slot from, Slot to, int refresh_of) {
  const dnnl::memory &a = slots_[from].memory, &b = slots_[to].memory;
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc desc(cpu_engine(), a.get_desc(), cpu_engine(), b.get_desc(), attr);
  add(dnnl::reorder(desc), desc.scratchpad_desc(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  steps_.back().refresh_of = refresh_of;
}

void Program::add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                  std::vector<std::pair<int, Slot>> args) {
  if (scratchpad.get_size() > 0) args.emplace_back(DNNL_ARG_SCRATCHPAD, temporary(scratchpad));
  Step step{primitive, {}, -1, 0};
  for (const auto& [arg, slot] : args) step.args.push_back({arg, slots_[slot].memory.get()});
  steps_.push_back(std::move(step));
}

void Program::run(const KernelArgs& args) {
  const ThreadLimit limit(threads_);
  for (const SlotInfo& slot : slots_) {
    void* data = nullptr;
    switch (slot.place) {
      case Place::kInput: data = args.in[slot.index]; break;
      case Place::kOutput: data = args.out[slot.index]; break;
      case Place::kWorkspace: data = static_cast<char*>(args.workspace) + slot.offset; break;
      case Place::kOwned: continue;
    }
    dnnl_memory_set_data_handle(slot.memory.get(), data);
  }
  for (Step& step : steps_) {
    if (step.refresh_of >= 0) {
      const uint64_t version = args.in_version(static_cast<size_t>(step.refresh_of));
      if (version != 0 && version == step.version) continue;
      step.version = version;
    }
    const dnnl_status_t status = dnnl_primitive_execute(step.primitive.get(), stream_.get(),
                                                        static_cast<int>(step.args.size()), step.args.data());
    if (status != dnnl_success) {
      fail_as(ErrorKind::kInternalError, "oneDNN could not run a primitive, status ", static_cast<int>(status));
    }
  }
}

Kernel Program::finish(std::shared_ptr<Program> program) {
  const size_t bytes = program->workspace_bytes_;
  return {[program = std::move(program)](const KernelArgs& args) { program->run(args); }, bytes};
}

}  // namespace mxnet::onednn

#endif
