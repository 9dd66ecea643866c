#include "graph/symbol.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/hidden_keys.h"
#include "op/registry.h"

namespace mxnet {
namespace {

std::string wrapped(std::string_view key) { return text("__", key, "__"); }

// The bare name of a wrapped hidden key, or "".
std::string_view bare_hidden_key(std::string_view key) {
  for (std::string_view hidden : kHiddenKeys) {
    if (key.size() == hidden.size() + 4 && key.starts_with("__") && key.ends_with("__") &&
        key.substr(2, hidden.size()) == hidden) {
      return hidden;
    }
  }
  return {};
}

const Entry& single_entry(const Symbol& symbol, std::string_view what, std::string_view which) {
  require(symbol.outputs.size() == 1, what, " ", which, " is a tuple, single value is required");
  return symbol.outputs[0];
}

[[noreturn]] void unknown_keyword(std::string_view where, std::string_view key,
                                  const std::vector<std::string>& candidates) {
  std::string message = text(where, " argument name ", key, " not found.");
  const std::string near = nearest_name(key, candidates);
  if (!near.empty()) message += text(" Did you mean ", near, "?");
  message += "\nCandidate arguments:";
  for (size_t i = 0; i < candidates.size(); ++i) message += text("\n\t[", i, "]", candidates[i]);
  fail(message);
}

// Versions tell readers of a variable apart by how many writers came before them.
void update_versions(Node& node) {
  for (Entry& entry : node.inputs) {
    if (entry.node->is_variable()) entry.version = entry.node->version;
  }
  for (int i : node.op->mutable_inputs(node.attrs)) {
    if (static_cast<size_t>(i) >= node.inputs.size()) continue;
    Entry& entry = node.inputs[i];
    require(entry.node->is_variable(), "Operator ", node.op->name(), " (", node.name, ") writes its input ", i,
            ", which must be a variable, not the output of ", entry.node->name);
    entry.version = ++entry.node->version;
  }
}

// The symbols a graph would contain itself through: composing x into a graph that x is computed from.
bool reaches(const std::vector<Entry>& from, const std::unordered_set<const Node*>& targets) {
  bool found = false;
  visit_post_order(from, [&](const NodePtr& node) { found = found || targets.count(node.get()) > 0; });
  return found;
}

}  // namespace

bool is_hidden_key(std::string_view key) {
  return std::find(std::begin(kHiddenKeys), std::end(kHiddenKeys), key) != std::end(kHiddenKeys);
}

AttrDict normalize_hidden_keys(AttrDict dict) {
  AttrDict out;
  for (auto& [key, value] : dict) {
    if (is_hidden_key(key)) {
      out[wrapped(key)] = std::move(value);
      continue;
    }
    for (std::string_view hidden : kHiddenKeys) {
      if (key.size() > hidden.size() && key.ends_with(hidden)) {
        fail("setting variable attributes with ", key, " is deprecated. please instead use\nw = Variable(",
             hidden, "=", value, ")\nsym = YourSymbolName(",
             key.substr(0, key.size() - hidden.size() - 1), "=w)");
      }
    }
    out[key] = std::move(value);
  }
  return out;
}

void visit_post_order(const std::vector<Entry>& heads, const std::function<void(const NodePtr&)>& fn) {
  std::unordered_set<const Node*> seen;
  std::vector<std::pair<NodePtr, size_t>> stack;  // node, next child
  const auto push = [&](const NodePtr& node) {
    if (node && seen.insert(node.get()).second) stack.emplace_back(node, 0);
  };
  for (const Entry& head : heads) {
    push(head.node);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const size_t inputs = node->inputs.size();
      if (next < inputs) {
        const NodePtr child = node->inputs[next++].node;
        push(child);
      } else if (next < inputs + node->control_deps.size()) {
        const NodePtr child = node->control_deps[next++ - inputs];
        push(child);
      } else {
        const NodePtr done = node;
        stack.pop_back();
        fn(done);
      }
    }
  }
}

std::string output_name(const Entry& entry) {
  const Node& node = *entry.node;
  if (node.is_variable()) return node.name;
  const std::vector<std::string> suffixes = node.op->output_names(node.attrs);
  const std::string suffix = entry.index < suffixes.size() ? suffixes[entry.index] : text("output", entry.index);
  return node.name.empty() ? suffix : node.name + "_" + suffix;
}

Symbol Symbol::variable(std::string name) { return Symbol({Entry{make_variable(std::move(name)), 0, 0}}); }

Symbol Symbol::atomic(const OpDef& op, AttrDict dict) {
  const NodePtr node = make_node(op, "", normalize_hidden_keys(std::move(dict)), {});
  Symbol symbol;
  const int visible = op.num_visible_outputs(node->attrs);
  for (int i = 0; i < visible; ++i) symbol.outputs.push_back(Entry{node, static_cast<uint32_t>(i), 0});
  return symbol;
}

Symbol Symbol::group(const std::vector<const Symbol*>& symbols) {
  Symbol all;
  for (const Symbol* symbol : symbols) {
    all.outputs.insert(all.outputs.end(), symbol->outputs.begin(), symbol->outputs.end());
  }
  return all;
}

Symbol Symbol::copy() const {
  std::unordered_map<const Node*, NodePtr> made;
  visit_post_order(outputs, [&](const NodePtr& node) {
    auto twin = std::make_shared<Node>(*node);
    for (Entry& entry : twin->inputs) entry.node = made.at(entry.node.get());
    for (NodePtr& dep : twin->control_deps) dep = made.at(dep.get());
    made.emplace(node.get(), std::move(twin));
  });
  Symbol twin = *this;
  for (Entry& entry : twin.outputs) entry.node = made.at(entry.node.get());
  return twin;
}

bool Symbol::is_atomic() const {
  if (outputs.empty()) return false;
  const Node& node = *outputs[0].node;
  if (node.is_variable() || !node.inputs.empty() || !node.name.empty()) return false;
  return std::all_of(outputs.begin(), outputs.end(), [&](const Entry& e) { return e.node.get() == &node; });
}

void Symbol::compose(std::string name, const std::vector<const Symbol*>& positional,
                     const std::vector<std::pair<std::string, const Symbol*>>& named) {
  if (is_atomic()) {
    Node& node = *outputs[0].node;
    const OpDef& op = *node.op;
    const int count = op.num_inputs(node.attrs);
    const std::vector<std::string> names = op.is_variadic() ? std::vector<std::string>{} : op.input_names(node.attrs);
    require(static_cast<int>(positional.size()) <= count, "Incorrect number of arguments for operator ", op.name(),
            " (", name, "): expected at most ", count, ", got ", positional.size());
    std::vector<Entry> inputs(static_cast<size_t>(std::max(0, count)));
    for (size_t i = 0; i < positional.size(); ++i) {
      inputs[i] = single_entry(*positional[i], "Argument", std::to_string(i));
    }
    for (const auto& [key, symbol] : named) {
      const auto at = std::find(names.begin(), names.end(), key);
      if (at == names.end()) unknown_keyword("Symbol.ComposeKeyword", key, names);
      Entry& slot = inputs[static_cast<size_t>(at - names.begin())];
      require(!slot, "operator ", op.name(), " (", name, "): argument ", key, " is given twice");
      slot = single_entry(*symbol, "Keyword Argument", key);
    }
    for (const Entry& entry : inputs) {
      require(!entry || entry.node.get() != &node, "Operator ", op.name(), " (", name, ") cannot be its own input");
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]) continue;
      require(op.auto_inputs() && i < names.size(), "Not enough argument to call operator ", op.name());
      NodePtr made = make_variable(name.empty() ? names[i] : name + "_" + names[i]);
      made->attrs.dict = node.attrs.dict;
      inputs[i] = Entry{std::move(made), 0, 0};
    }
    for (size_t i = 0; i < names.size(); ++i) {  // initialisers the operator wishes for, where the user named none
      const auto extra = op.auto_input_attrs().find(names[i]);
      if (extra == op.auto_input_attrs().end() || !inputs[i].node->is_variable()) continue;
      for (const auto& [key, value] : extra->second) inputs[i].node->attrs.dict.emplace(key, value);
    }
    node.inputs = std::move(inputs);
    node.name = std::move(name);
    try {
      update_versions(node);
    } catch (...) {
      node.inputs.clear();
      node.name.clear();
      throw;
    }
    return;
  }
  // Substitution in a composed graph.
  std::unordered_map<const Node*, Entry> replaced;
  const std::vector<NodePtr> variables = input_variables(InputKind::kReadOnly);
  require(positional.size() <= variables.size(), "Incorrect number of arguments: the symbol has ", variables.size(),
          " arguments, got ", positional.size());
  for (size_t i = 0; i < positional.size(); ++i) {
    replaced[variables[i].get()] = single_entry(*positional[i], "Argument", std::to_string(i));
  }
  for (const auto& [key, symbol] : named) {
    std::vector<std::string> names;
    bool found = false;
    for (const NodePtr& variable : variables) {
      names.push_back(variable->name);
      if (variable->name != key) continue;
      found = true;
      replaced[variable.get()] = single_entry(*symbol, "Keyword Argument", key);
    }
    if (!found) unknown_keyword("Symbol.ComposeKeyword", key, names);
  }
  std::unordered_set<const Node*> users;
  visit_post_order(outputs, [&](const NodePtr& node) {
    for (const Entry& entry : node->inputs) {
      if (replaced.count(entry.node.get())) users.insert(node.get());
    }
  });
  std::vector<Entry> given;
  for (const auto& [node, entry] : replaced) given.push_back(entry);
  require(!reaches(given, users), "compose: the given symbol depends on the symbol it is put into");
  visit_post_order(outputs, [&](const NodePtr& node) {
    for (Entry& entry : node->inputs) {
      if (const auto it = replaced.find(entry.node.get()); it != replaced.end()) entry = it->second;
    }
  });
  for (Entry& entry : outputs) {
    if (const auto it = replaced.find(entry.node.get()); it != replaced.end()) entry = it->second;
  }
  if (!name.empty() && outputs.size() == 1 && !outputs[0].node->is_variable()) outputs[0].node->name = std::move(name);
}

std::optional<std::string> Symbol::name() const {
  if (outputs.empty()) return std::nullopt;
  const Node* node = outputs[0].node.get();
  for (const Entry& entry : outputs) {
    if (entry.node.get() != node) return std::nullopt;
  }
  return node->name;
}

std::vector<std::string> Symbol::list_outputs() const {
  std::vector<std::string> names;
  for (const Entry& entry : outputs) names.push_back(output_name(entry));
  return names;
}

std::vector<NodePtr> Symbol::input_variables(InputKind kind) const {
  std::vector<NodePtr> variables;
  std::unordered_set<const Node*> written;
  visit_post_order(outputs, [&](const NodePtr& node) {
    if (node->is_variable()) {
      variables.push_back(node);
    } else if (node->op->has_mutable_inputs()) {
      for (int i : node->op->mutable_inputs(node->attrs)) {
        if (static_cast<size_t>(i) < node->inputs.size()) written.insert(node->inputs[i].node.get());
      }
    }
  });
  if (kind == InputKind::kAll) return variables;
  std::erase_if(variables, [&](const NodePtr& v) {
    return (written.count(v.get()) > 0) != (kind == InputKind::kAuxiliary);
  });
  return variables;
}

std::vector<std::string> Symbol::list_inputs(InputKind kind) const {
  std::vector<std::string> names;
  for (const NodePtr& node : input_variables(kind)) names.push_back(node->name);
  return names;
}

Symbol Symbol::output(uint32_t index) const {
  if (index >= outputs.size()) {
    fail_as(ErrorKind::kIndexError, "output index ", index, " is out of range: the symbol has ", outputs.size(),
            " outputs");
  }
  return Symbol({outputs[index]});
}

Symbol Symbol::internals() const {
  Symbol all;
  visit_post_order(outputs, [&](const NodePtr& node) {
    const uint32_t count = node->is_variable() ? 1 : static_cast<uint32_t>(node->op->num_visible_outputs(node->attrs));
    for (uint32_t i = 0; i < count; ++i) {
      all.outputs.push_back(Entry{node, i, node->is_variable() ? node->version : 0});
    }
  });
  return all;
}

std::optional<Symbol> Symbol::children() const {
  Symbol all;
  std::unordered_set<const Node*> seen;
  for (const Entry& entry : outputs) {
    if (!seen.insert(entry.node.get()).second) continue;
    all.outputs.insert(all.outputs.end(), entry.node->inputs.begin(), entry.node->inputs.end());
  }
  if (all.outputs.empty()) return std::nullopt;
  return all;
}

std::string Symbol::debug_text() const {
  if (outputs.empty()) return "";
  const Node& head = *outputs[0].node;
  if (outputs.size() == 1 && head.is_variable()) return text("Variable:", head.name, "\n");
  if (is_atomic()) return text("AtomicFunctor  Op:", head.op->name(), "\n");
  std::string out = "Symbol Outputs:\n";
  for (size_t i = 0; i < outputs.size(); ++i) {
    out += text("\toutput[", i, "]=", outputs[i].node->name, "(", outputs[i].index, ")\n");
  }
  visit_post_order(outputs, [&](const NodePtr& node) {
    if (node->is_variable()) {
      out += text("Variable:", node->name, "\n");
      return;
    }
    out += text("--------------------\nOp:", node->op->name(), ", Name=", node->name, "\nInputs:\n");
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const Entry& e = node->inputs[i];
      out += text("\targ[", i, "]=", e.node->name, "(", e.index, ")");
      if (e.node->is_variable()) out += text(" version=", e.version);
      out += "\n";
    }
    if (!node->attrs.dict.empty()) {
      out += "Attrs:\n";
      for (const auto& [key, value] : node->attrs.dict) out += text("\t", key, "=", value, "\n");
    }
    if (!node->control_deps.empty()) {
      out += "Control deps:\n";
      for (size_t i = 0; i < node->control_deps.size(); ++i) {
        out += text("\tcdep[", i, "]=", node->control_deps[i]->name, "\n");
      }
    }
  });
  return out;
}

std::optional<std::string> Symbol::attribute(std::string_view key) const {
  if (!name()) return std::nullopt;  // a group of different nodes has no attributes
  const Node& node = *outputs[0].node;
  if (key == "name") return node.name;
  if (key == "op_name") return node.is_variable() ? "null" : node.op->name();
  if (key == "_value_index" && outputs.size() == 1) return std::to_string(outputs[0].index);
  const std::string full = is_hidden_key(key) ? wrapped(key) : std::string(key);
  if (const auto it = node.attrs.dict.find(full); it != node.attrs.dict.end()) return it->second;
  return std::nullopt;
}

void Symbol::set_attribute(const std::string& key, const std::string& value) {
  require(name().has_value(), "set_attr only works for non-group symbols");
  Node& node = *outputs[0].node;
  if (key == "name") {
    node.name = value;
    return;
  }
  for (auto& [k, v] : normalize_hidden_keys({{key, value}})) node.attrs.dict[k] = v;
  if (!node.is_variable()) node.attrs = node.op->parse(node.attrs.dict, node.name);
}

std::vector<Symbol::AttributeRow> Symbol::list_attributes_deep() const {
  std::vector<AttributeRow> rows;
  visit_post_order(outputs, [&](const NodePtr& node) {
    for (const auto& [key, value] : node->attrs.dict) {
      rows.push_back({node->name, key, value});
      const std::string_view bare = bare_hidden_key(key);
      if (!bare.empty()) rows.push_back({node->name, std::string(bare), value});
    }
  });
  return rows;
}

std::vector<std::pair<std::string, std::string>> Symbol::list_attributes() const {
  std::vector<std::pair<std::string, std::string>> rows;
  if (!name()) return rows;
  for (const auto& [key, value] : outputs[0].node->attrs.dict) {
    rows.emplace_back(key, value);
    const std::string_view bare = bare_hidden_key(key);
    if (!bare.empty()) rows.emplace_back(std::string(bare), value);
  }
  return rows;
}

}  // namespace mxnet
