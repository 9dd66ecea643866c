#pragma once

namespace mxnet {
class OpDef;
namespace capi {
// The one handle of an operator; it lives as long as the library.
void* op_handle(const OpDef& op);
}  // namespace capi
}  // namespace mxnet
