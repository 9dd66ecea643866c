// What an operator gives to a plan: a callable made once for fixed shapes and types, and run many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/philox.h"
#include "op/node.h"
#include "tensor/context.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace mxnet {

// Fixed facts a kernel is made for. Everything that can be decided from them is decided when it is made: types are
// dispatched, primitives created, strides computed.
struct KernelContext {
  const Attrs& attrs;
  const ShapeVec& in_shapes;
  const ShapeVec& out_shapes;
  const std::vector<DType>& in_types;
  const std::vector<DType>& out_types;
  bool is_train = false;
  // An input is constant when nothing in the plan computes or writes it (weights of an inference plan): the kernel may
  // keep a packed copy and refresh it when KernelArgs::in_version says that it changed. Empty: none is.
  std::vector<bool> constant_inputs;

  bool is_constant(size_t i) const { return i < constant_inputs.size() && constant_inputs[i]; }
};

// A source of random streams: each take() hands out its own stretch of one seeded Philox sequence.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual Philox take(uint64_t blocks) = 0;
};

struct KernelArgs {
  void* const* in;
  void* const* out;
  void* workspace;           // at least Kernel::workspace_bytes, 64-byte aligned; contents undefined
  RandomSource* random;      // never null
  const Var* const* in_vars; // variables of inputs that live outside the plan; null entries (or a null array) otherwise

  template <class T> T* input(size_t i) const { return static_cast<T*>(in[i]); }
  template <class T> T* output(size_t i) const { return static_cast<T*>(out[i]); }
  // A number that changes whenever the input was written; 0: unknown, treat as changed.
  uint64_t in_version(size_t i) const {
    const Var* var = in_vars ? in_vars[i] : nullptr;
    if (!var || var->escaped.load(std::memory_order_relaxed)) return 0;
    return var->version.load(std::memory_order_relaxed);
  }
};

// The callable must not allocate, lock or throw in its steady state (it may throw for data it cannot accept, such as a
// matrix that is not positive definite). Outputs are always written whole; sums into existing arrays are the plan's
// business. A kernel is used by one thread at a time and may keep mutable state in its captures.
struct Kernel {
  std::function<void(const KernelArgs&)> run;
  size_t workspace_bytes = 0;
};

}  // namespace mxnet
