#include "graph/symbol_json.h"

#include <algorithm>
#include <unordered_map>

#include "base/json.h"
#include "graph/hidden_keys.h"
#include "graph/legacy_upgrade.h"
#include "op/registry.h"
#include "tensor/shape_mode.h"

namespace mxnet {
namespace {

using Kind = JsonValue::Kind;

struct FileNode {
  NodePtr node;
  std::vector<Entry> inputs;  // resolved at the end; forward references are legal
  const JsonValue* input_list = nullptr;
  const JsonValue* control_list = nullptr;
};

void require_kind(const JsonValue& value, Kind kind, std::string_view what) {
  require(value.is(kind), "JSONReader: field ", what, " has the wrong type");
}

[[noreturn]] void unknown_field(const std::string& key, std::initializer_list<const char*> known) {
  std::string message = text("JSONReader: Unknown field ", key, ", candidates are:");
  for (const char* name : known) message += text("\n\"", name, "\"");
  fail(message);
}

uint64_t index_of(const JsonValue& value, std::string_view what, uint64_t limit) {
  require_kind(value, Kind::kNumber, what);
  require(value.number >= 0 && value.number == static_cast<double>(static_cast<uint64_t>(std::min(value.number, 1e15))),
          "JSONReader: ", what, " holds ", value.number, ", which is not an index");
  const uint64_t index = static_cast<uint64_t>(value.number);
  require(index < limit, "JSONReader: ", what, " holds index ", index, ", but there are ", limit);
  return index;
}

AttrDict string_map(const JsonValue& value, std::string_view what) {
  require_kind(value, Kind::kObject, what);
  AttrDict dict;
  for (const auto& [key, item] : value.members) {
    require(item.is(Kind::kString), "JSONReader: attribute ", key, " in ", what, " is not a string");
    dict[key] = item.string;
  }
  return dict;
}

Symbol graph_from_json(const JsonValue& root, int version, bool top);

int graph_version(const JsonValue& attrs) {
  int version = kOldestVersion;
  require_kind(attrs, Kind::kObject, "attrs");
  for (const auto& [key, value] : attrs.members) {
    require(value.is(Kind::kArray) && value.items.size() == 2 && value.items[0].is(Kind::kString),
            "JSONReader: graph attribute ", key, " is not [type, value]");
    const std::string& type = value.items[0].string;
    static const std::vector<std::string> known = {"int", "str", "bool", "float", "size_t", "list_int", "list_str",
                                                   "list_shape", "list_bool", "list_float", "dict_str_str"};
    require(std::find(known.begin(), known.end(), type) != known.end(), "JSONReader: graph attribute ", key,
            " has the unknown type name ", type);
    if (key == "mxnet_version") {
      require(value.items[1].is(Kind::kNumber), "JSONReader: mxnet_version is not a number");
      version = static_cast<int>(std::clamp(value.items[1].number, 0.0, 1e8));
    }
  }
  return version;
}

FileNode read_node(const JsonValue& value, int version) {
  require_kind(value, Kind::kObject, "nodes");
  FileNode out;
  out.node = std::make_shared<Node>();
  std::string op_name;
  AttrDict param;
  bool has_op = false, has_name = false;
  for (const auto& [key, item] : value.members) {
    if (key == "op") {
      require_kind(item, Kind::kString, "op");
      op_name = item.string;
      has_op = true;
    } else if (key == "name") {
      require_kind(item, Kind::kString, "name");
      out.node->name = item.string;
      has_name = true;
    } else if (key == "attrs" || key == "attr") {
      out.node->attrs.dict = string_map(item, key);
    } else if (key == "param") {
      param = string_map(item, key);
    } else if (key == "inputs") {
      require_kind(item, Kind::kArray, "inputs");
      out.input_list = &item;
    } else if (key == "control_deps") {
      require_kind(item, Kind::kArray, "control_deps");
      out.control_list = &item;
    } else if (key == "subgraphs") {
      require_kind(item, Kind::kArray, "subgraphs");
      for (const JsonValue& graph : item.items) {
        out.node->subgraphs.push_back(std::make_shared<Symbol>(graph_from_json(graph, version, false)));
      }
    } else if (key != "backward_source_id") {
      unknown_field(key, {"op", "param", "name", "inputs", "control_deps", "attr", "attrs", "subgraphs",
                          "backward_source_id"});
    }
  }
  require(has_op, "JSONReader: a node has no field \"op\"");
  require(has_name, "JSONReader: a node has no field \"name\"");
  require(out.input_list, "JSONReader: node ", out.node->name, " has no field \"inputs\"");
  for (auto& [key, item] : param) out.node->attrs.dict.emplace(key, item);
  if (op_name != "null") {
    out.node->op = find_op(op_name);
    if (!out.node->op) {
      const std::string near = nearest_name(op_name, all_op_names());
      fail("Failed loading Op ", out.node->name, " of type ", op_name, ": Operator ", op_name, " is not registered",
           near.empty() ? "" : "; did you mean " + near + "?");
    }
    require(!out.node->op->is_internal(), "Failed loading Op ", out.node->name, " of type ", op_name,
            ": only differentiation makes nodes of it");
  } else {
    require(out.input_list->items.empty(), "JSONReader: variable ", out.node->name, " has inputs");
  }
  return out;
}

void reject_cycles(const std::vector<FileNode>& nodes) {
  std::unordered_map<const Node*, int> state;  // 1: on the path, 2: done
  std::vector<std::pair<const Node*, size_t>> stack;
  for (const FileNode& start : nodes) {
    if (state[start.node.get()] != 0) continue;
    stack.emplace_back(start.node.get(), 0);
    state[start.node.get()] = 1;
    while (!stack.empty()) {
      const Node* node = stack.back().first;
      const size_t next = stack.back().second++;
      const size_t inputs = node->inputs.size();
      if (next >= inputs + node->control_deps.size()) {
        state[node] = 2;
        stack.pop_back();
        continue;
      }
      const Node* child = next < inputs ? node->inputs[next].node.get() : node->control_deps[next - inputs].get();
      int& mark = state[child];
      if (mark == 1) fail("JSONReader: the graph has a cycle through node ", child->name);
      if (mark == 0) {
        mark = 1;
        stack.emplace_back(child, 0);
      }
    }
  }
}

// Nodes that a failed read leaves behind may form a cycle of shared pointers: cut them.
struct CycleCutter {
  std::vector<FileNode>& nodes;
  bool armed = true;
  ~CycleCutter() {
    if (!armed) return;
    for (FileNode& f : nodes) {
      std::vector<Entry> inputs;
      std::vector<NodePtr> deps;
      f.node->inputs.swap(inputs);
      f.node->control_deps.swap(deps);
    }
  }
};

void parse_parameters(Node& node) {
  try {
    node.attrs = node.op->parse(std::move(node.attrs.dict), node.name);
  } catch (const Error& error) {
    fail_as(error.kind(), "Failed loading Op ", node.name, " of type ", node.op->name(), ": ", error.message());
  }
}

Symbol graph_from_json(const JsonValue& root, int version, bool top) {
  require_kind(root, Kind::kObject, "graph");
  const JsonValue *node_list = nullptr, *arg_list = nullptr, *head_list = nullptr;
  for (const auto& [key, value] : root.members) {
    if (key == "nodes") {
      node_list = &value;
    } else if (key == "arg_nodes") {
      arg_list = &value;
    } else if (key == "heads") {
      head_list = &value;
    } else if (key == "attrs") {
      if (top) version = graph_version(value);
    } else if (key != "node_row_ptr") {
      unknown_field(key, {"nodes", "arg_nodes", "node_row_ptr", "heads", "attrs"});
    }
  }
  for (const auto& [name, list] : {std::pair{"nodes", node_list}, {"arg_nodes", arg_list}, {"heads", head_list}}) {
    require(list != nullptr, "JSONReader: Missing field \"", name, "\"");
    require_kind(*list, Kind::kArray, name);
  }

  std::vector<FileNode> nodes;
  CycleCutter cutter{nodes};
  nodes.reserve(node_list->items.size());
  for (const JsonValue& value : node_list->items) nodes.push_back(read_node(value, version));
  const auto entry_from = [&](const JsonValue& item, std::string_view what) {
    require(item.is(Kind::kArray) && (item.items.size() == 2 || item.items.size() == 3), "JSONReader: ", what,
            " is not [node, output, version]");
    Entry entry{nodes[index_of(item.items[0], what, nodes.size())].node,
                static_cast<uint32_t>(index_of(item.items[1], what, 1u << 31)), 0};
    if (item.items.size() == 3) entry.version = static_cast<uint32_t>(index_of(item.items[2], what, 1u << 31));
    return entry;
  };
  for (FileNode& f : nodes) {
    for (const JsonValue& item : f.input_list->items) {
      f.node->inputs.push_back(entry_from(item, text("an input of node ", f.node->name)));
      Entry& entry = f.node->inputs.back();
      if (entry.node->is_variable()) entry.node->version = std::max(entry.node->version, entry.version);
    }
    if (!f.control_list) continue;
    for (const JsonValue& item : f.control_list->items) {
      f.node->control_deps.push_back(nodes[index_of(item, "control_deps", nodes.size())].node);
    }
  }
  reject_cycles(nodes);
  for (const JsonValue& item : arg_list->items) {
    const Node& node = *nodes[index_of(item, "arg_nodes", nodes.size())].node;
    require(node.is_variable(), "JSONReader: arg_nodes lists ", node.name, ", which is not a variable");
  }

  for (FileNode& f : nodes) {
    // The names of inputs depend on the parameters for a few operators, so parse what can be parsed first.
    if (f.node->op) {
      AttrDict clean;
      for (const auto& [key, value] : f.node->attrs.dict) {
        const bool set_aside = version < kFileVersion && !hidden_suffix(key).empty();
        if (!set_aside) clean.emplace(key, value);
      }
      Node probe;
      probe.op = f.node->op;
      probe.name = f.node->name;
      probe.attrs.dict = std::move(clean);
      parse_parameters(probe);
      f.node->attrs.params = probe.attrs.params;
    }
  }
  for (FileNode& f : nodes) upgrade_hidden_keys(*f.node, version);
  for (FileNode& f : nodes) {
    if (!f.node->op) continue;
    upgrade_argmax_axis(*f.node, version);
    parse_parameters(*f.node);
    upgrade_missing_inputs(*f.node, version);
    upgrade_input_attributes(*f.node, version);
    const int expected = f.node->op->num_inputs(f.node->attrs);
    require(static_cast<int>(f.node->inputs.size()) == expected, "Failed loading Op ", f.node->name, " of type ",
            f.node->op->name(), ": expected ", expected, " inputs, got ", f.node->inputs.size());
  }
  const auto check_entry = [](const Entry& entry, std::string_view user) {
    require(entry.index < entry.node->num_outputs(), "JSONReader: ", user, " reads output ", entry.index, " of ",
            entry.node->name, ", which has ", entry.node->num_outputs());
  };
  for (const FileNode& f : nodes) {
    for (const Entry& entry : f.node->inputs) check_entry(entry, f.node->name);
  }
  Symbol symbol;
  for (const JsonValue& item : head_list->items) {
    symbol.outputs.push_back(entry_from(item, "heads"));
    check_entry(symbol.outputs.back(), "heads");
  }
  cutter.armed = false;
  return symbol;
}

// ---- writing -------------------------------------------------------------------------------------------------------

std::string indent(int level) { return std::string(static_cast<size_t>(level) * 2, ' '); }

// A list of ready texts: on one line up to ten, one per line above.
std::string list_text(const std::vector<std::string>& items, int level) {
  std::string out = "[";
  const bool many = items.size() > 10;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out += ", ";
    if (many) out += "\n" + indent(level + 1);
    out += items[i];
  }
  if (many) out += "\n" + indent(level);
  return out + "]";
}

std::string map_text(const AttrDict& dict, int level) {
  std::string out = "{";
  const bool many = dict.size() > 1;
  bool first = true;
  for (const auto& [key, value] : dict) {
    if (!first) out += ", ";
    if (many) out += "\n" + indent(level + 1);
    out += json_quoted(key) + ": " + json_quoted(value);
    first = false;
  }
  if (many) out += "\n" + indent(level);
  return out + "}";
}

void write_graph(const Symbol& symbol, int level, bool top, std::string& out) {
  std::unordered_map<const Node*, size_t> number;
  std::vector<NodePtr> nodes;
  visit_post_order(symbol.outputs, [&](const NodePtr& node) {
    number.emplace(node.get(), nodes.size());
    nodes.push_back(node);
  });
  const auto entry_text = [&](const Entry& e) {
    return text("[", number.at(e.node.get()), ", ", e.index, ", ", e.version, "]");
  };
  const std::string in1 = indent(level + 1);
  const std::string in3 = indent(level + 3);
  out += "{\n" + in1 + "\"nodes\": [";
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = *nodes[i];
    out += (i ? ", \n" : "\n") + indent(level + 2) + "{\n";
    out += in3 + "\"op\": " + json_quoted(node.is_variable() ? "null" : node.op->name()) + ", \n";
    out += in3 + "\"name\": " + json_quoted(node.name) + ", \n";
    if (!node.attrs.dict.empty()) out += in3 + "\"attrs\": " + map_text(node.attrs.dict, level + 3) + ", \n";
    std::vector<std::string> inputs;
    for (const Entry& e : node.inputs) inputs.push_back(entry_text(e));
    out += in3 + "\"inputs\": " + list_text(inputs, level + 3);
    if (!node.control_deps.empty()) {
      std::vector<std::string> deps;
      for (const NodePtr& dep : node.control_deps) deps.push_back(std::to_string(number.at(dep.get())));
      out += ", \n" + in3 + "\"control_deps\": " + list_text(deps, level + 3);
    }
    if (!node.subgraphs.empty()) {
      out += ", \n" + in3 + "\"subgraphs\": [";
      for (size_t k = 0; k < node.subgraphs.size(); ++k) {
        out += (k ? ", \n" : "\n") + indent(level + 4);
        write_graph(*node.subgraphs[k], level + 4, false, out);
      }
      out += "\n" + in3 + "]";
    }
    out += "\n" + indent(level + 2) + "}";
  }
  out += "\n" + in1 + "], \n";
  std::vector<std::string> args, rows{"0"}, heads;
  size_t count = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->is_variable()) args.push_back(std::to_string(i));
    count += nodes[i]->num_outputs();
    rows.push_back(std::to_string(count));
  }
  for (const Entry& e : symbol.outputs) heads.push_back(entry_text(e));
  out += in1 + "\"arg_nodes\": " + list_text(args, level + 1) + ", \n";
  out += in1 + "\"node_row_ptr\": " + list_text(rows, level + 1) + ", \n";
  out += in1 + "\"heads\": " + list_text(heads, level + 1);
  if (top) {
    const std::string version = text("\"mxnet_version\": [\"int\", ", kFileVersion, "]");
    out += ", \n" + in1 + "\"attrs\": ";
    if (is_numpy_shape()) {
      out += "{\n" + indent(level + 2) + "\"is_np_shape\": [\"int\", 1], \n" + indent(level + 2) + version + "\n" + in1 + "}";
    } else {
      out += "{" + version + "}";
    }
  }
  out += "\n" + indent(level) + "}";
}

}  // namespace

Symbol symbol_from_json(std::string_view json) { return graph_from_json(parse_json(json), kOldestVersion, true); }

std::string symbol_to_json(const Symbol& symbol) {
  require(!symbol.is_atomic() || symbol.outputs[0].node->op->num_inputs(symbol.outputs[0].node->attrs) == 0,
          "an operator without inputs cannot be saved: compose it first");
  std::string out;
  write_graph(symbol, 0, true, out);
  return out;
}

Symbol remove_amp_cast(const Symbol& symbol) {
  Symbol copy = symbol.copy();
  const auto through = [](Entry entry) {
    while (entry.node->op && (entry.node->op->name() == "amp_cast" || entry.node->op->name() == "amp_multicast")) {
      entry = entry.node->inputs[entry.index];
    }
    return entry;
  };
  visit_post_order(copy.outputs, [&](const NodePtr& node) {
    for (Entry& entry : node->inputs) entry = through(entry);
  });
  for (Entry& entry : copy.outputs) entry = through(entry);
  return copy;
}

}  // namespace mxnet
