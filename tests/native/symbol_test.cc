#include "graph/symbol.h"

#include <gtest/gtest.h>

#include "graph/indexed.h"
#include "graph/symbol_json.h"
#include "op/registry.h"
#include "plan/executor.h"

namespace mxnet {
namespace {

Symbol make(const char* op, AttrDict dict, const char* name, const std::vector<const Symbol*>& inputs) {
  Symbol s = Symbol::atomic(get_op(op), std::move(dict));
  s.compose(name, inputs, {});
  return s;
}

std::string message_of(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(Symbol, ComposesWithMadeUpVariables) {
  const Symbol data = Symbol::variable("data");
  const Symbol fc = make("FullyConnected", {{"num_hidden", "3"}}, "fc", {&data});
  EXPECT_EQ(fc.list_inputs(InputKind::kReadOnly), (std::vector<std::string>{"data", "fc_weight", "fc_bias"}));
  EXPECT_EQ(fc.list_outputs(), std::vector<std::string>{"fc_output"});
  EXPECT_EQ(*fc.name(), "fc");
}

TEST(Symbol, ErrorsNameTheNearestName) {
  EXPECT_NE(message_of([] { get_op("FullyConected"); }).find("FullyConnected"), std::string::npos);
  const std::string unknown = message_of([] { Symbol::atomic(get_op("FullyConnected"), {{"num_hiden", "3"}}); });
  EXPECT_NE(unknown.find("num_hidden"), std::string::npos);
  const Symbol data = Symbol::variable("data");
  Symbol fc = Symbol::atomic(get_op("FullyConnected"), {{"num_hidden", "3"}});
  const std::string keyword = message_of([&] { fc.compose("fc", {}, {{"weigth", &data}}); });
  EXPECT_NE(keyword.find("Did you mean weight"), std::string::npos);
}

TEST(Symbol, JsonRoundTrip) {
  const Symbol a = Symbol::variable("a");
  const Symbol b = Symbol::variable("b");
  const Symbol sum = make("elemwise_add", {}, "sum", {&a, &b});
  const Symbol net = make("FullyConnected", {{"num_hidden", "3"}}, "fc", {&sum});
  const std::string json = symbol_to_json(net);
  EXPECT_EQ(symbol_to_json(symbol_from_json(json)), json);
}

TEST(Symbol, HostileJsonIsAnError) {
  const auto bad = [](const std::string& json) { return !message_of([&] { symbol_from_json(json); }).empty(); };
  const std::string tail = "], \"arg_nodes\": [], \"heads\": [[0, 0, 0]]}";
  EXPECT_TRUE(bad(""));
  EXPECT_TRUE(bad("{"));
  EXPECT_TRUE(bad(std::string(100000, '[')));
  EXPECT_TRUE(bad("{\"nodes\": [{\"op\": \"null\", \"name\": \"a\", \"inputs\": []}" + std::string("], \"arg_nodes\": [7], \"heads\": []}")));
  EXPECT_TRUE(bad("{\"nodes\": [{\"op\": \"relu\", \"name\": \"a\", \"inputs\": [[0, 0, 0]]}" + tail));  // a cycle
  EXPECT_TRUE(bad("{\"nodes\": [{\"op\": \"relu\", \"name\": \"a\", \"inputs\": [[1, 0, 0]]}, "
                  "{\"op\": \"relu\", \"name\": \"b\", \"inputs\": [[0, 0, 0]]}" + tail));
  EXPECT_TRUE(bad("{\"nodes\": [{\"op\": \"relu\", \"name\": \"a\", \"inputs\": [[99999999999, 0, 0]]}" + tail));
  const std::string internal = message_of([] {
    symbol_from_json("{\"nodes\": [{\"op\": \"_backward_topk\", \"name\": \"a\", \"inputs\": []}], "
                     "\"arg_nodes\": [], \"heads\": [[0, 0, 0]]}");
  });
  EXPECT_NE(internal.find("only differentiation makes nodes of it"), std::string::npos) << internal;
  EXPECT_TRUE(bad("{\"nodes\": [{\"op\": \"nonsense\", \"name\": \"a\", \"inputs\": []}" + tail));
}

TEST(Symbol, AMillionNodesDoNotOverflowTheStack) {
  Symbol x = Symbol::variable("x");
  const OpDef& relu = get_op("relu");
  for (int i = 0; i < 1000000; ++i) {
    x.outputs[0] = Entry{make_node(relu, "n", {}, {x.outputs[0]}), 0, 0};
  }
  size_t count = 0;
  visit_post_order(x.outputs, [&](const NodePtr&) { ++count; });
  EXPECT_EQ(count, 1000001u);
}

TEST(Executor, SharesGradientsAndRepeatsBackward) {
  const Symbol a = Symbol::variable("a");
  const Symbol square = make("square", {}, "sq", {&a});
  const NDArray x(Shape{2}, DType::kFloat32), g(Shape{2}, DType::kFloat32), head(Shape{2}, DType::kFloat32);
  x.data_as<float>()[0] = 3, x.data_as<float>()[1] = -2;
  g.data_as<float>()[0] = g.data_as<float>()[1] = 100;
  const auto executor = Executor::bind(square, {}, {x}, {g}, {GradReq::kAdd}, {});
  executor->forward(true);
  EXPECT_EQ(executor->outputs()[0].data_as<float>()[0], 9.0f);
  for (float scale : {1.0f, 10.0f}) {  // several backwards after one forward, each adding
    head.data_as<float>()[0] = head.data_as<float>()[1] = scale;
    executor->backward({head});
  }
  EXPECT_EQ(g.data_as<float>()[0], 100 + 6 + 60);
  EXPECT_EQ(g.data_as<float>()[1], 100 - 4 - 40);
  EXPECT_THROW(executor->backward({}), Error);
}

}  // namespace
}  // namespace mxnet
