#include "tensor/context.h"

#include <charconv>

namespace mxnet {
namespace {

struct DeviceRow {
  DeviceType type;
  const char* name;
};
constexpr DeviceRow kDevices[] = {{DeviceType::kCPU, "cpu"},
                                  {DeviceType::kGPU, "gpu"},
                                  {DeviceType::kCPUPinned, "cpu_pinned"},
                                  {DeviceType::kCPUShared, "cpu_shared"}};

}  // namespace

Context Context::from_codes(int32_t device_type, int32_t device_id) {
  for (const DeviceRow& row : kDevices) {
    if (static_cast<int32_t>(row.type) != device_type) continue;
    require(device_id >= 0 && device_id < 1 << 20, "Invalid device id ", device_id, " for ", row.name);
    return Context{row.type, device_id};
  }
  fail("Unknown device type ", device_type, "; valid are 1 (cpu), 2 (gpu), 3 (cpu_pinned), 5 (cpu_shared)");
}

Context Context::parse(std::string_view text) {
  const size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  int32_t id = 0;
  bool ok = true;
  if (open != std::string_view::npos) {
    const std::string_view rest = text.substr(open + 1);
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
    ok = code == std::errc() && std::string_view(end, rest.data() + rest.size()) == ")";
  }
  for (const DeviceRow& row : kDevices) {
    if (ok && name == row.name) return from_codes(static_cast<int32_t>(row.type), id);
  }
  fail("Invalid context string '", text, "'; expected for example cpu(0) or gpu(0)");
}

int gpu_count() { return 0; }

void require_device(const Context& context) {
  if (context.device_type == DeviceType::kGPU) {
    fail(context, " was asked for, but no GPU device is there: this build of the library runs on the CPU. "
         "Use cpu() instead");
  }
}

void append_text(std::string& out, const Context& context) {
  for (const DeviceRow& row : kDevices) {
    if (row.type == context.device_type) out += row.name;
  }
  out += '(';
  out += std::to_string(context.device_id);
  out += ')';
}

}  // namespace mxnet
