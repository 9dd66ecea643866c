// Where an array lives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mxnet {

enum class DeviceType : int32_t { kCPU = 1, kGPU = 2, kCPUPinned = 3, kCPUShared = 5 };

struct Context {
  DeviceType device_type = DeviceType::kCPU;
  int32_t device_id = 0;

  // Checks the code and the id; error "Unknown device type N".
  static Context from_codes(int32_t device_type, int32_t device_id);
  // Reads "cpu(0)", "gpu(1)", "cpu_pinned(0)", "cpu_shared(0)", "cpu"; error naming the text.
  static Context parse(std::string_view text);

  bool operator==(const Context&) const = default;
};

// Number of GPUs that can be used: 0 in this build.
int gpu_count();
// Error saying which device was asked for and that none is there.
void require_device(const Context& context);

void append_text(std::string& out, const Context& context);  // "cpu(0)"

}  // namespace mxnet
