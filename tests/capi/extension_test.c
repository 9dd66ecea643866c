/* Operators at once: strings, parsed calls, and the other extension entries. */
#include <math.h>
#include <mxnet/ext_api.h>
#include <nnvm/c_api.h>
#include <stdint.h>

#include "check.h"

static NDArrayHandle vector(const float* data, uint32_t size) {
  NDArrayHandle array = NULL;
  OK(MXNDArrayCreate(&size, 1, 1, 0, 0, &array));
  OK(MXNDArraySyncCopyFromCPU(array, data, size));
  return array;
}

static void test_invoke(void) {
  const float data[] = {1, 2, 3};
  NDArrayHandle x = vector(data, 3);
  OpHandle op = NULL;
  OK(NNGetOpHandle("_plus_scalar", &op));
  const char *keys[] = {"scalar"}, *vals[] = {"10"};
  int count = 0;
  NDArrayHandle* outputs = NULL;
  const int* stypes = NULL;
  OK(MXImperativeInvokeEx(op, 1, &x, &count, &outputs, 1, keys, vals, &stypes));
  CHECK(count == 1 && stypes[0] == 0);
  NDArrayHandle y = outputs[0];
  float out[3] = {0};
  OK(MXNDArraySyncCopyToCPU(y, out, 3));
  CHECK(out[2] == 13);
  NDArrayHandle none = NULL, target[] = {x};
  NDArrayHandle* in_place = target;
  count = 1;
  OK(MXImperativeInvoke(op, 1, &x, &count, &in_place, 1, keys, vals));
  OK(MXNDArraySyncCopyToCPU(x, out, 3));
  CHECK(out[0] == 11);
  OK(MXNDArrayCreateNone(&none));
  target[0] = none;
  OK(MXImperativeInvoke(op, 1, &x, &count, &in_place, 1, keys, vals));
  OK(MXNDArraySyncCopyToCPU(none, out, 3));
  CHECK(out[0] == 21);
  outputs = NULL;
  FAILS(MXImperativeInvoke(op, 0, NULL, &count, &outputs, 1, keys, vals), "_plus_scalar");
  keys[0] = "scaler";
  FAILS(MXImperativeInvoke(op, 1, &x, &count, &outputs, 1, keys, vals), "scal");
  OK(MXNDArrayFree(none));
  OK(MXNDArrayFree(x));
  OK(MXNDArrayFree(y));
}

static void test_calls(void) {
  const MXExtApi* ext = MXGetExtApi(1);
  const float data[] = {1, 2, 3};
  NDArrayHandle x = vector(data, 3), y[2] = {NULL, NULL};
  OpHandle op = NULL;
  MXCallHandle call = NULL, same = NULL, bad = NULL;
  OK(NNGetOpHandle("_mul_scalar", &op));
  const char *keys[] = {"scalar"}, *vals[] = {"3"};
  OK(ext->call_create(op, 1, keys, vals, &call));
  OK(ext->call_create(op, 1, keys, vals, &same));
  CHECK(call == same);
  int count = 2;
  OK(ext->call_invoke(call, 1, &x, &count, y));
  CHECK(count == 1 && y[0] != NULL && y[1] == NULL);
  float out[3] = {0};
  OK(MXNDArraySyncCopyToCPU(y[0], out, 3));
  CHECK(out[1] == 6);
  count = 1;
  OK(ext->call_invoke(call, 1, y, &count, y)); /* in place */
  OK(MXNDArraySyncCopyToCPU(y[0], out, 3));
  CHECK(out[1] == 18);
  count = 0;
  FAILS(ext->call_invoke(call, 1, &x, &count, y), "room");
  count = 1;
  FAILS(ext->call_invoke((MXCallHandle)x, 1, &x, &count, y), "Call");
  FAILS(ext->call_invoke(call, -1, &x, &count, y), "num_inputs");
  vals[0] = "three";
  FAILS(ext->call_create(op, 1, keys, vals, &bad), "three");

  MXArrayInfo info;
  OK(ext->array_info(y[0], &info));
  CHECK(info.ndim == 1 && info.shape[0] == 3 && info.size == 3 && info.dtype == 0 && info.storage_type == 0);
  CHECK(info.dev_type == 1);
  FAILS(ext->array_info(NULL, &info), "NULL");
  OK(MXNDArrayFree(x));
  OK(MXNDArrayFree(y[0]));
}

static void test_bfloat16(void) {
  const MXExtApi* ext = MXGetExtApi(1);
  const float values[] = {1.0f, -2.5f, 1.00390625f, 3.4e38f, INFINITY, NAN};
  uint16_t bits[6];
  float back[6];
  OK(ext->float_to_bfloat16(values, bits, 6));
  OK(ext->bfloat16_to_float(bits, back, 6));
  CHECK(bits[0] == 0x3f80 && back[1] == -2.5f);
  CHECK(back[2] == 1.0f); /* a tie goes to the even neighbour */
  CHECK(isinf(back[4]) && isnan(back[5]));
  FAILS(ext->float_to_bfloat16(NULL, bits, 1), "src");
  OK(ext->float_to_bfloat16(NULL, NULL, 0));
  CHECK(ext->instance_id() != 0 && ext->instance_id() == ext->instance_id());
}

int main(void) {
  test_invoke();
  test_calls();
  test_bfloat16();
  return check_report("extension");
}
