/* The headers are C11 with every handle kind a type of its own. */
#include <mxnet/c_api.h>
#include <mxnet/c_api_test.h>
#include <mxnet/c_predict_api.h>
#include <mxnet/ext_api.h>
#include <mxnet/runtime/c_runtime_api.h>
#include <nnvm/c_api.h>

#include "check.h"

int main(void) {
  int version = 0;
  OK(MXGetVersion(&version));
  CHECK(version == 11000);
  CHECK(sizeof(struct LibFeature) == 16);
  CHECK(sizeof(struct MXCallbackList) == 24);
  CHECK(sizeof(MXNetValue) == 8);
  CHECK(sizeof(ConfigSpaces) == 24);
  return check_report("C header");
}
