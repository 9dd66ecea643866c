// Every operator is complete: it can be inferred, run, and differentiated or says that it cannot.
#include "op/registry.h"

#include <gtest/gtest.h>

namespace mxnet {
namespace {

TEST(Registry, EveryOperatorIsComplete) {
  EXPECT_GT(all_ops().size(), 300u);
  for (const OpDef* op : all_ops()) {
    EXPECT_FALSE(op->name().empty());
    EXPECT_TRUE(op->infer_shape() != nullptr) << op->name() << " has no shape inference";
    EXPECT_TRUE(op->infer_type() != nullptr) << op->name() << " has no type inference";
    EXPECT_TRUE(op->has_kernel() || op->is_view()) << op->name() << " has no kernel";
    EXPECT_TRUE(op->is_internal() || !op->doc().empty()) << op->name() << " has no description";
    for (const Field& field : op->schema().fields()) {
      EXPECT_FALSE(field.doc.empty()) << op->name() << ": parameter " << field.name << " has no description";
    }
  }
}

TEST(Registry, DescribesItselfAsJson) { EXPECT_NE(ops_json().find("\"FullyConnected\""), std::string::npos); }

}  // namespace
}  // namespace mxnet
