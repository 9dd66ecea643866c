// The headers are C++ too, and link without name mangling.
#include <mxnet/c_api.h>
#include <mxnet/c_api_test.h>
#include <mxnet/c_predict_api.h>
#include <mxnet/ext_api.h>
#include <mxnet/runtime/c_runtime_api.h>
#include <nnvm/c_api.h>

int main() {
  int version = 0;
  return MXGetVersion(&version) == 0 && version == 11000 && MXGetExtApi(1) != nullptr ? 0 : 1;
}
