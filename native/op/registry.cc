#include "op/registry.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace mxnet {
namespace {

struct Registry {
  std::deque<OpDef> ops;  // addresses stay
  std::unordered_map<std::string_view, const OpDef*> by_name;
  std::vector<const OpDef*> sorted;
  std::vector<std::string> names;
};

struct Registration {
  const char* tag;
  void (*fn)();
};

std::vector<Registration>& registrations() {
  static std::vector<Registration> list;
  return list;
}

Registry& building() {
  static Registry* registry = new Registry;  // hosts may ask after static destructors ran
  return *registry;
}

// Registration functions run at the first look-up, not when the library is loaded: loading stays cheap, and the
// order of static initialisation does not matter.
Registry& registry() {
  static std::once_flag once;
  std::call_once(once, [] {
    Registry& r = building();
    r = Registry{};  // a failed attempt before this one leaves nothing behind
    for (const Registration& registration : registrations()) registration.fn();
    for (const OpDef& op : r.ops) {
      const auto add = [&](std::string_view name) {
        if (!r.by_name.emplace(name, &op).second) {
          fail_as(ErrorKind::kInternalError, "operator name ", name, " is registered twice");
        }
        if (!op.is_internal()) r.names.emplace_back(name);
      };
      add(op.name());
      for (const std::string& alias : op.aliases()) add(alias);
      r.sorted.push_back(&op);
    }
    std::sort(r.sorted.begin(), r.sorted.end(), [](auto* a, auto* b) { return a->name() < b->name(); });
    std::sort(r.names.begin(), r.names.end());
  });
  return building();
}

}  // namespace

bool add_registration(const char* tag, void (*fn)()) {
  registrations().push_back({tag, fn});
  return true;
}

OpDef& register_op(const char* name) { return building().ops.emplace_back(name); }

const OpDef* find_op(std::string_view name) {
  const Registry& r = registry();
  const auto it = r.by_name.find(name);
  return it == r.by_name.end() ? nullptr : it->second;
}

const OpDef& get_op(std::string_view name) {
  const OpDef* op = find_op(name);
  if (!op) {
    const std::string near = nearest_name(name, all_op_names());
    fail("Operator ", name, " is not registered", near.empty() ? "" : "; did you mean " + near + "?");
  }
  return *op;
}

const std::vector<const OpDef*>& all_ops() { return registry().sorted; }
const std::vector<std::string>& all_op_names() { return registry().names; }

}  // namespace mxnet
