// A network for prediction only: symbol, parameters and input shapes in, outputs out.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/executor.h"

namespace mxnet {

class Predictor {
 public:
  struct Request {
    std::string_view symbol_json;
    std::span<const char> params;              // a .params file; may be empty
    Context context;
    std::map<std::string, Shape> input_shapes;
    std::map<std::string, DType> input_types;
    std::vector<std::string> output_names;     // nodes to stop at; empty: the symbol's outputs
  };
  explicit Predictor(const Request& request);
  // Another one on the same parameters.
  Predictor(const Predictor& other, std::map<std::string, Shape> input_shapes);

  // Copies `size` elements of the input's own type.
  void set_input(const std::string& name, const void* data, size_t size);
  void forward() { executor_->forward(false); }
  const NDArray& output(size_t index) const;
  void copy_output(size_t index, void* data, size_t size) const;
  const std::map<std::string, Shape>& input_shapes() const { return input_shapes_; }
  Executor& executor() { return *executor_; }

 private:
  void bind();

  Symbol symbol_;
  Context context_;
  std::map<std::string, Shape> input_shapes_;
  std::map<std::string, DType> input_types_;
  std::map<std::string, NDArray> args_, aux_;
  std::shared_ptr<Executor> executor_;
};

}  // namespace mxnet
