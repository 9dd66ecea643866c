#include "passes/autodiff.h"

#include <unordered_map>
#include <unordered_set>

#include "graph/symbol.h"
#include "op/registry.h"

namespace mxnet {
namespace {

// The sum of the contributions to one entry's gradient.
Entry add_up(std::vector<Entry>& parts, const Node& node) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  AttrDict dict{{"num_args", std::to_string(parts.size())}};
  return Entry{make_node(get_op("add_n"), node.name + "_sum_grad", std::move(dict), parts), 0, 0};
}

}  // namespace

std::vector<Entry> differentiate(const std::vector<Entry>& outputs, const std::vector<Entry>& head_grads,
                                 const std::vector<NodePtr>& wrt) {
  std::vector<NodePtr> order;
  std::unordered_set<const Node*> needed;  // nodes that depend on a variable of wrt
  for (const NodePtr& variable : wrt) needed.insert(variable.get());
  visit_post_order(outputs, [&](const NodePtr& node) {
    order.push_back(node);
    for (const Entry& e : node->inputs) {
      if (needed.count(e.node.get())) needed.insert(node.get());
    }
  });

  std::unordered_map<const Node*, std::vector<std::vector<Entry>>> parts;  // node -> per output: contributions
  const auto parts_of = [&](const Node& node) -> std::vector<std::vector<Entry>>& {
    auto& list = parts[&node];
    if (list.empty()) list.resize(node.num_outputs());
    return list;
  };
  std::unordered_set<const Node*> loss_heads;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Entry& out = outputs[i];
    if (!needed.count(out.node.get())) continue;
    if (out.node->op && out.node->op->is_loss()) loss_heads.insert(out.node.get());
    if (i < head_grads.size() && head_grads[i]) parts_of(*out.node)[out.index].push_back(head_grads[i]);
  }

  for (size_t i = order.size(); i-- > 0;) {
    const NodePtr& node = order[i];
    if (node->is_variable() || !needed.count(node.get())) continue;
    auto& list = parts_of(*node);
    std::vector<Entry> out_grads;
    bool any = loss_heads.count(node.get()) > 0;
    for (auto& part : list) {
      out_grads.push_back(add_up(part, *node));
      any = any || out_grads.back();
    }
    if (!any) continue;  // nothing flows back through this node
    if (!node->op->gradient()) {
      fail("Operator ", node->op->name(), " is non-differentiable because it didn't register FGradient attribute. (node ",
           node->name, ")");
    }
    const std::vector<Entry> in_grads = node->op->gradient()(node, out_grads);
    for (size_t k = 0; k < node->inputs.size() && k < in_grads.size(); ++k) {
      const Entry& source = node->inputs[k];
      if (!in_grads[k] || !needed.count(source.node.get())) continue;
      parts_of(*source.node)[source.index].push_back(in_grads[k]);
    }
  }

  std::vector<Entry> grads;
  for (const NodePtr& variable : wrt) {
    const auto it = parts.find(variable.get());
    grads.push_back(it == parts.end() || it->second.empty() ? Entry{} : add_up(it->second[0], *variable));
  }
  return grads;
}

}  // namespace mxnet
