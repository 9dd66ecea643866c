#include "graph/indexed.h"

#include "graph/symbol.h"
#include "op/infer.h"
#include "tensor/shape_mode.h"

namespace mxnet {

IndexedGraph::IndexedGraph(const std::vector<Entry>& head_entries) {
  visit_post_order(head_entries, [&](const NodePtr& node) {
    IndexedNode record;
    record.node = node;
    for (const Entry& e : node->inputs) {
      const IndexedNode& source = nodes[position.at(e.node.get())];
      require(e.index < source.num_outputs, "node ", node->name, " reads output ", e.index, " of ", e.node->name,
              ", which has ", source.num_outputs);
      record.inputs.push_back(source.first_output + e.index);
    }
    record.first_output = static_cast<uint32_t>(entry_node.size());
    record.num_outputs = node->num_outputs();
    entry_node.insert(entry_node.end(), record.num_outputs, static_cast<uint32_t>(nodes.size()));
    position.emplace(node.get(), static_cast<uint32_t>(nodes.size()));
    nodes.push_back(std::move(record));
  });
  for (const Entry& e : head_entries) heads.push_back(entry_id(e));
}

uint32_t IndexedGraph::entry_id(const Entry& entry) const {
  const IndexedNode& source = nodes[position.at(entry.node.get())];
  require(entry.index < source.num_outputs, "output ", entry.index, " of ", entry.node->name, " was asked for, which has ",
          source.num_outputs);
  return source.first_output + entry.index;
}

Shape shape_hint(const Node& variable) {
  const auto it = variable.attrs.dict.find("__shape__");
  if (it == variable.attrs.dict.end()) return Shape();
  const std::optional<Shape> shape = parse_shape(it->second);
  require(shape.has_value(), "variable ", variable.name, ": attribute __shape__ is not a shape: ", it->second);
  return from_user_shape(*shape);
}

DType type_hint(const Node& variable) {
  const auto it = variable.attrs.dict.find("__dtype__");
  if (it == variable.attrs.dict.end()) return DType::kUnknown;
  const std::optional<int32_t> code = FieldType<int32_t>::parse(it->second);
  require(code && (*code == -1 || is_valid_dtype(*code)), "variable ", variable.name,
          ": attribute __dtype__ is not a type number: ", it->second);
  return static_cast<DType>(*code);
}

namespace {

bool is_known(const Shape& shape) { return shape.known(); }
bool is_known(DType type) { return type != DType::kUnknown; }
void merge(Shape& slot, const Shape& hint) { assign_shape(slot, hint); }
void merge(DType& slot, DType hint) { assign_type(slot, hint); }

// One engine for both: T is Shape or DType, `rule` picks the operator's function, `hint` the variable's attribute.
template <class T, class Rule, class Hint>
void infer(const IndexedGraph& graph, std::vector<T>& values, const T& unknown, Rule rule, Hint hint) {
  values.resize(graph.entry_node.size(), unknown);
  std::vector<bool> settled(graph.nodes.size(), false);
  std::vector<T> in;
  std::vector<T> out;
  const auto visit = [&](size_t position) -> bool {
    if (settled[position]) return false;
    const IndexedNode& record = graph.nodes[position];
    const Node& node = *record.node;
    if (node.is_variable()) {
      settled[position] = true;
      T& slot = values[record.first_output];
      if (is_known(slot)) return false;  // what the caller gives goes before the variable's own hint
      const T before = slot;
      try {
        merge(slot, hint(node));
      } catch (const Error& error) {
        fail_as(error.kind(), "Error in variable ", node.name, ": ", error.message());
      }
      return !(before == slot);
    }
    const auto& fn = rule(*node.op);
    if (!fn) {
      fail_as(ErrorKind::kNotImplementedError, "Operator ", node.op->name(), " (", node.name, ") has no inference");
    }
    in.clear();
    out.clear();
    for (uint32_t e : record.inputs) in.push_back(values[e]);
    for (uint32_t i = 0; i < record.num_outputs; ++i) out.push_back(values[record.first_output + i]);
    try {
      fn(node.attrs, in, out);
    } catch (const Error& error) {
      fail_as(error.kind(), "Error in operator ", node.name, ": ", error.message());
    }
    bool changed = false;
    bool all_known = true;
    const auto store = [&](uint32_t entry, const T& value) {
      if (!(values[entry] == value)) {
        values[entry] = value;
        changed = true;
      }
      all_known = all_known && is_known(value);
    };
    for (size_t i = 0; i < in.size(); ++i) store(record.inputs[i], in[i]);
    for (size_t i = 0; i < out.size(); ++i) store(record.first_output + static_cast<uint32_t>(i), out[i]);
    settled[position] = all_known;
    return changed;
  };
  // A forward sweep settles nearly everything; backward sweeps carry what is known of outputs to inputs.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < graph.nodes.size(); ++i) changed = visit(i) || changed;
    for (size_t i = graph.nodes.size(); i-- > 0;) changed = visit(i) || changed;
  }
}

}  // namespace

void infer_shapes(const IndexedGraph& graph, ShapeVec& shapes) {
  infer(graph, shapes, Shape(), [](const OpDef& op) -> const InferShapeFn& { return op.infer_shape(); }, shape_hint);
}

void infer_types(const IndexedGraph& graph, DTypeVec& types) {
  infer(graph, types, DType::kUnknown, [](const OpDef& op) -> const InferTypeFn& { return op.infer_type(); },
        type_hint);
}

}  // namespace mxnet
