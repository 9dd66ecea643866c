#include "plan/executor.h"

#include <algorithm>
#include <unordered_set>

#include "graph/indexed.h"
#include "op/infer.h"
#include "passes/autodiff.h"

namespace mxnet {
namespace {

// Marks an executor as running. Two threads in one executor would overwrite each other's temporaries.
class BusyGuard {
 public:
  explicit BusyGuard(std::atomic<bool>& flag) : flag_(flag) {
    require(!flag_.exchange(true, std::memory_order_acquire),
            "the executor is running in another thread; bind one executor per thread");
  }
  ~BusyGuard() { flag_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& flag_;
};

void check_lists(size_t given, size_t expected, const char* what) {
  require(given == expected, "Length of ", what, " does not match the number of ", what, ": expected ", expected,
          ", got ", given);
}

// The known shapes and types of a graph whose arguments have arrays.
std::string argument_list(const std::map<std::string, Shape>& shapes) {
  std::string out;
  for (const auto& [name, shape] : shapes) out += text("\n", name, ": ", tuple_text(shape));
  return out;
}

}  // namespace

GradReq grad_req_from_code(int64_t code) {
  require(code >= 0 && code <= 3, "grad_req ", code, " is not valid; valid are 0 (null), 1 (write), 3 (add)");
  return static_cast<GradReq>(code);
}

GradReq grad_req_from_name(const std::string& name) {
  if (name == "null") return GradReq::kNull;
  if (name == "write") return GradReq::kWrite;
  if (name == "add") return GradReq::kAdd;
  fail("grad_req=", name, " is not a valid input in simple_bind; only 'null', 'write', and 'add' are supported");
}

std::shared_ptr<Executor> Executor::bind(const Symbol& symbol, const Context& context, std::vector<NDArray> args,
                                         std::vector<NDArray> grads, std::vector<GradReq> requests,
                                         std::vector<NDArray> aux, const Executor* shared) {
  require_device(context);
  require(!symbol.outputs.empty(), "bind: the symbol has no outputs");
  require(!symbol.is_atomic() || symbol.outputs[0].node->op->num_inputs(symbol.outputs[0].node->attrs) == 0,
          "bind: operator ", symbol.outputs[0].node->op ? symbol.outputs[0].node->op->name() : "", " has no inputs yet");
  std::shared_ptr<Executor> self(new Executor);
  self->symbol_ = symbol.copy();
  self->context_ = context;
  self->arg_nodes_ = self->symbol_.input_variables(InputKind::kReadOnly);
  self->aux_nodes_ = self->symbol_.input_variables(InputKind::kAuxiliary);
  for (const NodePtr& n : self->arg_nodes_) self->arg_names_.push_back(n->name);
  for (const NodePtr& n : self->aux_nodes_) self->aux_names_.push_back(n->name);
  check_lists(args.size(), self->arg_nodes_.size(), "arguments");
  check_lists(aux.size(), self->aux_nodes_.size(), "auxiliary states");
  grads.resize(args.size());
  requests.resize(args.size(), GradReq::kNull);
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& name = self->arg_names_[i];
    require(!args[i].is_none(), "Input argument NDArray cannot be un-allocated: ", name);
    require_device(args[i].context());
    if (requests[i] == GradReq::kNull || grads[i].is_none()) {
      requests[i] = GradReq::kNull;
      grads[i] = NDArray();
      continue;
    }
    require(grads[i].shape() == args[i].shape(), "gradient array of ", name, ": expected shape ", args[i].shape(),
            ", got ", grads[i].shape());
    require(grads[i].dtype() == args[i].dtype(), "gradient array of ", name, ": expected type ", args[i].dtype(),
            ", got ", grads[i].dtype());
  }
  for (size_t i = 0; i < aux.size(); ++i) {
    require(!aux[i].is_none(), "Auxiliary state NDArray cannot be un-allocated: ", self->aux_names_[i]);
  }
  self->args_ = std::move(args);
  self->grads_ = std::move(grads);
  self->aux_ = std::move(aux);
  self->requests_ = std::move(requests);
  self->arena_ = shared ? shared->arena_ : std::make_shared<Arena>();
  self->make_outputs();
  self->make_training_graph();
  self->plan(self->has_gradients());  // what does not fit is said now, not at the first run
  return self;
}

bool Executor::has_gradients() const {
  return std::any_of(requests_.begin(), requests_.end(), [](GradReq r) { return r != GradReq::kNull; });
}

void Executor::make_outputs() {
  const IndexedGraph graph(symbol_.outputs);
  ShapeVec shapes(graph.entry_node.size());
  DTypeVec types(graph.entry_node.size(), DType::kUnknown);
  const auto know = [&](const std::vector<NodePtr>& nodes, const std::vector<NDArray>& arrays) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t entry = graph.nodes[graph.position.at(nodes[i].get())].first_output;
      shapes[entry] = arrays[i].shape();
      types[entry] = arrays[i].dtype();  // both go before the variable's hints
    }
  };
  know(arg_nodes_, args_);
  know(aux_nodes_, aux_);
  infer_shapes(graph, shapes);
  infer_types(graph, types);
  for (uint32_t head : graph.heads) {
    const std::string name = graph.producer(head).node->name;
    require(shapes[head].known(), "the shape of output ", name, " cannot be decided: ", shapes[head]);
    require(types[head] != DType::kUnknown, "the type of output ", name, " cannot be decided");
    outputs_.emplace_back(shapes[head], types[head], context_);
    fill_zero(outputs_.back());
  }
}

void Executor::make_training_graph() {
  if (!has_gradients()) return;
  std::vector<Entry> head_grads;
  for (const Entry& out : symbol_.outputs) {
    head_nodes_.push_back(make_variable(output_name(out) + "_grad"));
    head_grads.push_back(Entry{head_nodes_.back(), 0, 0});
  }
  std::vector<NodePtr> wanted;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != GradReq::kNull) wanted.push_back(arg_nodes_[i]);
  }
  const std::vector<Entry> grads = differentiate(symbol_.outputs, head_grads, wanted);
  gradient_entries_.resize(args_.size());
  size_t next = 0;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != GradReq::kNull) gradient_entries_[i] = grads[next++];
  }
}

std::unique_ptr<Plan> Executor::make_plan(bool is_train, bool keep_all) const {
  PlanInput input;
  input.context = context_;
  input.is_train = is_train;
  input.keep_all = keep_all;
  for (size_t i = 0; i < args_.size(); ++i) input.variables[arg_nodes_[i].get()] = args_[i];
  for (size_t i = 0; i < aux_.size(); ++i) input.variables[aux_nodes_[i].get()] = aux_[i];
  for (size_t i = 0; i < outputs_.size(); ++i) input.outputs.push_back({symbol_.outputs[i], outputs_[i], false});
  if (is_train && has_gradients()) {
    for (size_t i = 0; i < head_nodes_.size(); ++i) {
      input.late_types[head_nodes_[i].get()] = {outputs_[i].shape(), outputs_[i].dtype()};
    }
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == GradReq::kNull) continue;
      input.gradients.push_back({gradient_entries_[i], grads_[i], requests_[i] == GradReq::kAdd});
    }
  }
  return std::make_unique<Plan>(input, arena_);
}

Plan& Executor::plan(bool is_train) {
  std::unique_ptr<Plan>& slot = monitor_ ? monitor_plans_[is_train] : plans_[is_train];
  if (!slot) slot = make_plan(is_train, monitor_ != nullptr);
  return *slot;
}

void Executor::forward(bool is_train) {
  const BusyGuard guard(busy_);
  Plan& p = plan(is_train);
  last_forward_ = nullptr;
  if (monitor_) {
    p.run_forward_observed([this](const Node& node, const std::vector<NDArray>& in, const std::vector<NDArray>& out) {
      observe(node, in, out);
    });
  } else {
    p.run_forward();
  }
  last_forward_ = &p;
}

void Executor::backward(const std::vector<NDArray>& head_grads, bool) {
  if (!has_gradients()) return;
  const BusyGuard guard(busy_);
  Plan& p = plan(true);
  require(head_grads.empty() || head_grads.size() == outputs_.size(), "backward: expected ", outputs_.size(),
          " head gradients, one per output, got ", head_grads.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!p.reads(head_nodes_[i].get())) continue;
    require(i < head_grads.size() && !head_grads[i].is_none(),
            "Because the last operator is not Loss function, head_gradient is required when calling backward. If you are "
            "attempting to minimize the output as an objective, please modify your network to use make_loss as the last "
            "operator. (output ", output_name(symbol_.outputs[i]), ")");
    require(head_grads[i].shape() == outputs_[i].shape(), "backward: head gradient of ",
            output_name(symbol_.outputs[i]), ": expected shape ", outputs_[i].shape(), ", got ", head_grads[i].shape());
    require(head_grads[i].dtype() == outputs_[i].dtype(), "backward: head gradient of ",
            output_name(symbol_.outputs[i]), ": expected type ", outputs_[i].dtype(), ", got ", head_grads[i].dtype());
    require_device(head_grads[i].context());
  }
  if (last_forward_ != &p || !p.owns_arena()) p.run_forward();
  last_forward_ = &p;
  for (size_t i = 0; i < outputs_.size() && i < head_grads.size(); ++i) {
    if (!head_grads[i].is_none()) p.bind_variable(head_nodes_[i].get(), head_grads[i]);
  }
  p.run_backward();
}

void Executor::set_monitor(MonitorFn callback, bool monitor_all) {
  const BusyGuard guard(busy_);
  monitor_ = std::move(callback);
  monitor_all_ = monitor_all;
  last_forward_ = nullptr;
}

void Executor::observe(const Node& node, const std::vector<NDArray>& inputs,
                       const std::vector<NDArray>& outputs) const {
  if (monitor_all_) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].is_none()) monitor_(output_name(node.inputs[i]), inputs[i]);
    }
  }
  const std::vector<std::string> names = node.op->output_names(node.attrs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    monitor_(node.name + "_" + (i < names.size() ? names[i] : text("output", i)), outputs[i]);
  }
}

std::string Executor::debug_text() const {
  Symbol whole = symbol_;
  for (const Entry& grad : gradient_entries_) {
    if (grad) whole.outputs.push_back(grad);
  }
  size_t bytes = 0;
  for (const auto& p : plans_) {
    if (p) bytes = std::max(bytes, p->arena_bytes());
  }
  return whole.debug_text() + text("Total ", bytes >> 20, " MB allocated\nTotal 0 TempSpace resource requested\n");
}

std::string Executor::plan_text() const {
  std::string out;
  for (const auto& p : plans_) {
    if (p) out += p->describe();
  }
  return out;
}

std::shared_ptr<Executor> Executor::simple_bind(const Symbol& symbol, const Context& context,
                                                const SimpleBindRequest& request) {
  require_device(context);
  const IndexedGraph graph(symbol.outputs);
  ShapeVec shapes(graph.entry_node.size());
  DTypeVec types(graph.entry_node.size(), DType::kUnknown);
  const std::vector<NodePtr> arg_nodes = symbol.input_variables(InputKind::kReadOnly);
  const std::vector<NodePtr> aux_nodes = symbol.input_variables(InputKind::kAuxiliary);
  const auto entry_of = [&](const NodePtr& n) { return graph.nodes[graph.position.at(n.get())].first_output; };
  const auto seed = [&](const std::vector<NodePtr>& nodes) {
    for (const NodePtr& n : nodes) {
      if (const auto it = request.shapes.find(n->name); it != request.shapes.end()) shapes[entry_of(n)] = it->second;
      if (const auto it = request.types.find(n->name); it != request.types.end()) types[entry_of(n)] = it->second;
    }
  };
  std::unordered_set<std::string> names;
  for (const NodePtr& n : arg_nodes) {
    require(names.insert(n->name).second, "simple_bind: two arguments are called ", n->name,
            "; give the variables of a symbol different names");
  }
  seed(arg_nodes);
  seed(aux_nodes);
  try {
    infer_shapes(graph, shapes);
    infer_types(graph, types);
    // Variables of which nothing says the type are float32.
    for (const auto* nodes : {&arg_nodes, &aux_nodes}) {
      for (const NodePtr& n : *nodes) {
        if (types[entry_of(n)] != DType::kUnknown) continue;
        types[entry_of(n)] = DType::kFloat32;
        infer_types(graph, types);
      }
    }
  } catch (const Error& error) {
    throw Error(error.kind(), "simple_bind error. Arguments:" + argument_list(request.shapes) + "\n" + error.message());
  }
  std::string undecided;
  const auto note = [&](const std::vector<NodePtr>& nodes) {
    for (const NodePtr& n : nodes) {
      if (!shapes[entry_of(n)].known()) undecided += text("\n", n->name, ": ", shapes[entry_of(n)]);
    }
  };
  note(arg_nodes);
  note(aux_nodes);
  require(undecided.empty(), "simple_bind error. Arguments:", argument_list(request.shapes),
          "\nInferShape pass cannot decide shapes for the following arguments (-1 means unknown dimensions). Please "
          "consider providing them as inputs:", undecided);

  const auto make = [&](const std::string& name, const Shape& shape, DType type, bool may_share) {
    if (may_share && request.shared_buffer) {
      const auto it = request.shared_buffer->find(name);
      if (it != request.shared_buffer->end() && it->second.dtype() == type && it->second.size() >= shape.size()) {
        return NDArray(it->second.storage(), it->second.byte_offset(), shape, type);
      }
    }
    NDArray array(shape, type, context);
    fill_zero(array);
    if (may_share && request.shared_buffer) (*request.shared_buffer)[name] = array;
    return array;
  };
  const auto from_shared = [&](const std::vector<std::string>& list, const std::vector<NDArray>& arrays,
                               const std::string& name, const Shape& shape, DType type) -> NDArray {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i] == name && !arrays[i].is_none() && arrays[i].shape() == shape && arrays[i].dtype() == type) {
        return arrays[i];
      }
    }
    return NDArray();
  };
  std::vector<NDArray> args, grads, aux;
  std::vector<GradReq> requests;
  for (size_t i = 0; i < arg_nodes.size(); ++i) {
    const std::string& name = arg_nodes[i]->name;
    const Shape& shape = shapes[entry_of(arg_nodes[i])];
    const DType type = types[entry_of(arg_nodes[i])];
    GradReq req = request.default_request;
    if (i < request.request_list.size()) req = request.request_list[i];
    if (!request.requests.empty()) {
      const auto it = request.requests.find(name);
      req = it == request.requests.end() ? GradReq::kNull : it->second;
    }
    const bool shared_arg = std::find(request.shared_arg_names.begin(), request.shared_arg_names.end(), name) !=
                            request.shared_arg_names.end();
    NDArray array, grad;
    if (shared_arg && request.shared) {
      array = from_shared(request.shared->arg_names_, request.shared->args_, name, shape, type);
      grad = from_shared(request.shared->arg_names_, request.shared->grads_, name, shape, type);
    }
    if (array.is_none()) array = make(name, shape, type, !shared_arg);
    if (req != GradReq::kNull && grad.is_none()) {
      grad = NDArray(shape, type, context);
      fill_zero(grad);
    }
    if (req == GradReq::kNull) grad = NDArray();
    args.push_back(std::move(array));
    grads.push_back(std::move(grad));
    requests.push_back(req);
  }
  for (const NodePtr& n : aux_nodes) {
    const Shape& shape = shapes[entry_of(n)];
    const DType type = types[entry_of(n)];
    NDArray array;
    if (request.shared) array = from_shared(request.shared->aux_names_, request.shared->aux_, n->name, shape, type);
    aux.push_back(array.is_none() ? make(n->name, shape, type, false) : array);
  }
  return bind(symbol, context, std::move(args), std::move(grads), std::move(requests), std::move(aux), request.shared);
}

std::shared_ptr<Executor> Executor::reshape(bool partial_shaping, bool allow_up_sizing, const Context& context,
                                            const std::map<std::string, Shape>& given) const {
  const IndexedGraph graph(symbol_.outputs);
  ShapeVec shapes(graph.entry_node.size());
  const auto entry_of = [&](const NodePtr& n) { return graph.nodes[graph.position.at(n.get())].first_output; };
  for (const auto& [name, shape] : given) {
    const auto it = std::find(arg_names_.begin(), arg_names_.end(), name);
    require(it != arg_names_.end(), "reshape: the executor has no argument ", name);
    shapes[entry_of(arg_nodes_[static_cast<size_t>(it - arg_names_.begin())])] = shape;
  }
  infer_shapes(graph, shapes);
  const auto resize = [&](const std::string& name, const NDArray& old, const NodePtr& node) -> NDArray {
    const Shape& shape = shapes[entry_of(node)];
    require(shape.known(), "reshape: the shape of ", name, " cannot be decided: ", shape);
    if (old.is_none() || shape == old.shape()) return old;
    require(partial_shaping || given.count(name), "Shape of unspecifie arg: ", name, " changed. This can cause the new "
            "executor to not share parameters with the old one. Please check for error in the network. If this is "
            "intended, set partial_shaping=True to suppress this warning.");
    if (shape.size() <= old.size()) return NDArray(old.storage(), old.byte_offset(), shape, old.dtype());
    require(allow_up_sizing, "New shape of arg: ", name, " is larger than original. First making a big executor and then "
            "down sizing it is more efficient than the reverse. If you really want to up size, set "
            "allow_up_sizing=True to enable allocation of new arrays.");
    NDArray array(shape, old.dtype(), context);
    fill_zero(array);
    return array;
  };
  std::vector<NDArray> args, grads, aux;
  for (size_t i = 0; i < args_.size(); ++i) {
    args.push_back(resize(arg_names_[i], args_[i], arg_nodes_[i]));
    grads.push_back(resize(arg_names_[i], grads_[i], arg_nodes_[i]));
  }
  for (size_t i = 0; i < aux_.size(); ++i) aux.push_back(resize(aux_names_[i], aux_[i], aux_nodes_[i]));
  return bind(symbol_, context, std::move(args), std::move(grads), requests_, std::move(aux), this);
}

}  // namespace mxnet
