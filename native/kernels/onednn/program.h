// A short sequence of oneDNN primitives over user arrays and workspace, made once and run many times.
#pragma once

#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "op/kernel.h"

namespace mxnet::onednn {

const dnnl::engine& cpu_engine();

class Program {
 public:
  // `threads`: how many the primitives may use. Make a ThreadLimit of it while their descriptors are made.
  explicit Program(int threads) : threads_(threads), stream_(cpu_engine()) {}

  using Slot = int;  // a memory object of the program

  // The operator's input or output number `index`, which lies in memory as `desc` says.
  Slot input(const dnnl::memory::desc& desc, int index) { return add_slot(desc, Place::kInput, index); }
  Slot output(const dnnl::memory::desc& desc, int index) { return add_slot(desc, Place::kOutput, index); }
  // Workspace.
  Slot temporary(const dnnl::memory::desc& desc);

  // The array of input `index` in the layout `wanted`: itself where that is its own layout, otherwise a copy that every
  // run refreshes. With `keep` the copy belongs to the program and is refreshed only when the input was written.
  Slot load(const dnnl::memory::desc& user, const dnnl::memory::desc& wanted, int index, bool keep = false);
  // A place for output `index` in the layout `wanted`; store() then brings it to the user's one.
  Slot target(const dnnl::memory::desc& user, const dnnl::memory::desc& wanted, int index);
  void store(const dnnl::memory::desc& user, Slot from, int index);

  // Adds a primitive; its scratchpad, if any, goes to the workspace.
  void add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           std::vector<std::pair<int, Slot>> args);

  // The finished kernel.
  static Kernel finish(std::shared_ptr<Program> program);

 private:
  enum class Place { kInput, kOutput, kWorkspace, kOwned };
  struct SlotInfo {
    dnnl::memory memory;
    Place place;
    int index;       // of the input or output
    size_t offset;   // in the workspace
  };
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> args;
    int refresh_of = -1;       // input whose version decides whether the step runs; -1: always runs
    uint64_t version = 0;      // of that input when the step ran last
  };

  Slot add_slot(const dnnl::memory::desc& desc, Place place, int index);
  void add_reorder(Slot from, Slot to, int refresh_of);
  void run(const KernelArgs& args);

  int threads_;
  dnnl::stream stream_;
  std::vector<SlotInfo> slots_;
  std::vector<Step> steps_;
  std::vector<std::shared_ptr<char>> owned_;
  size_t workspace_bytes_ = 0;
};

}  // namespace mxnet::onednn
