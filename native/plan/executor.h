// A symbol bound to arrays.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/symbol.h"
#include "plan/plan.h"
#include "tensor/ndarray.h"

namespace mxnet {

enum class GradReq : int32_t { kNull = 0, kWrite = 1, kInplace = 2, kAdd = 3 };

GradReq grad_req_from_code(int64_t code);              // error naming the number
GradReq grad_req_from_name(const std::string& name);   // "null", "write", "add"; error as in 1.9.1

// Called with "<node>_output" or the like and the array, which is only good during the call.
using MonitorFn = std::function<void(const std::string& name, const NDArray& array)>;

class Executor {
 public:
  // One array per argument and auxiliary state in the symbol's order. A gradient array may be none where its request
  // is kNull. `shared` lends its memory for temporaries. Errors name the argument and both shapes.
  static std::shared_ptr<Executor> bind(const Symbol& symbol, const Context& context, std::vector<NDArray> args,
                                        std::vector<NDArray> grads, std::vector<GradReq> requests,
                                        std::vector<NDArray> aux, const Executor* shared = nullptr);

  // What simple_bind is told: by argument (or auxiliary) name.
  struct SimpleBindRequest {
    std::map<std::string, Shape> shapes;
    std::map<std::string, DType> types;
    std::map<std::string, GradReq> requests;   // by name
    std::vector<GradReq> request_list;         // by position; used when not empty
    GradReq default_request = GradReq::kWrite;
    std::map<std::string, NDArray>* shared_buffer = nullptr;  // arrays to reuse; new ones are added
    std::vector<std::string> shared_arg_names;                // arguments whose arrays come from `shared`
    const Executor* shared = nullptr;
  };
  // Infers all shapes and types, makes the arrays, binds. Error lists the arguments that cannot be decided.
  static std::shared_ptr<Executor> simple_bind(const Symbol& symbol, const Context& context,
                                               const SimpleBindRequest& request);

  void forward(bool is_train);
  // One head gradient per output; an empty list where every output is a loss. Runs the forward part in training mode
  // first if the last forward was for inference.
  void backward(const std::vector<NDArray>& head_grads, bool is_train = true);
  void set_monitor(MonitorFn callback, bool monitor_all);

  // An executor for other input shapes, on the same arrays where they are large enough.
  std::shared_ptr<Executor> reshape(bool partial_shaping, bool allow_up_sizing, const Context& context,
                                    const std::map<std::string, Shape>& shapes) const;

  const Symbol& symbol() const { return symbol_; }
  const Context& context() const { return context_; }
  const std::vector<std::string>& arg_names() const { return arg_names_; }
  const std::vector<std::string>& aux_names() const { return aux_names_; }
  const std::vector<NDArray>& args() const { return args_; }
  const std::vector<NDArray>& grads() const { return grads_; }
  const std::vector<NDArray>& aux() const { return aux_; }
  const std::vector<NDArray>& outputs() const { return outputs_; }
  std::string debug_text() const;
  std::string plan_text() const;  // the steps of the plans built so far

 private:
  Executor() = default;
  void make_outputs();
  void make_training_graph();
  bool has_gradients() const;
  std::unique_ptr<Plan> make_plan(bool is_train, bool keep_all) const;
  Plan& plan(bool is_train);
  void observe(const Node& node, const std::vector<NDArray>& inputs, const std::vector<NDArray>& outputs) const;

  Symbol symbol_;
  Context context_;
  std::vector<NodePtr> arg_nodes_, aux_nodes_;
  std::vector<std::string> arg_names_, aux_names_;
  std::vector<NDArray> args_, grads_, aux_, outputs_;
  std::vector<GradReq> requests_;
  std::vector<NodePtr> head_nodes_;        // a variable per output, for its gradient
  std::vector<Entry> gradient_entries_;    // per argument; empty where not asked for or zero
  std::shared_ptr<Arena> arena_;
  std::unique_ptr<Plan> plans_[2];         // for inference and for training, made at first use
  std::unique_ptr<Plan> monitor_plans_[2];
  Plan* last_forward_ = nullptr;
  MonitorFn monitor_;
  bool monitor_all_ = false;
  std::atomic<bool> busy_{false};
};

}  // namespace mxnet
