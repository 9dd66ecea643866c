/* The prediction API on a small network made here. */
#include <mxnet/c_predict_api.h>
#include <nnvm/c_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static char* read_file(const char* path, int* size) {
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  fseek(file, 0, SEEK_END);
  *size = (int)ftell(file);
  rewind(file);
  char* bytes = malloc((size_t)*size + 1);
  CHECK(fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
  fclose(file);
  return bytes;
}

static char* network_json(void) {
  SymbolHandle data = NULL, fc = NULL, relu = NULL;
  OpHandle op = NULL;
  const char *keys[] = {"num_hidden", "no_bias"}, *vals[] = {"2", "True"}, *args[] = {"data"};
  const char *act_key[] = {"act_type"}, *act_val[] = {"relu"};
  OK(MXSymbolCreateVariable("data", &data));
  OK(NNGetOpHandle("FullyConnected", &op));
  OK(MXSymbolCreateAtomicSymbol(op, 2, keys, vals, &fc));
  OK(MXSymbolCompose(fc, "fc", 1, args, &data));
  OK(NNGetOpHandle("Activation", &op));
  OK(MXSymbolCreateAtomicSymbol(op, 1, act_key, act_val, &relu));
  OK(MXSymbolCompose(relu, "relu", 1, args, &fc));
  const char* json = NULL;
  OK(MXSymbolSaveToJSON(relu, &json));
  char* copy = malloc(strlen(json) + 1);
  strcpy(copy, json);
  OK(MXSymbolFree(relu));
  OK(MXSymbolFree(fc));
  OK(MXSymbolFree(data));
  return copy;
}

int main(void) {
  char* json = network_json();
  char path[] = "/tmp/mxnet_capi_XXXXXX";
  close(mkstemp(path));
  const float weight[] = {1, 0, 0, 1, -1, 0}; /* (2, 3) */
  const uint32_t weight_shape[] = {2, 3};
  NDArrayHandle array = NULL;
  const char* name[] = {"arg:fc_weight"};
  OK(MXNDArrayCreate(weight_shape, 2, 1, 0, 0, &array));
  OK(MXNDArraySyncCopyFromCPU(array, weight, 6));
  OK(MXNDArraySave(path, 1, &array, name));
  OK(MXNDArrayFree(array));
  int size = 0;
  char* params = read_file(path, &size);
  unlink(path);

  const char* inputs[] = {"data"};
  const uint32_t index[] = {0, 2}, shape[] = {1, 3};
  PredictorHandle predictor = NULL, larger = NULL, inner = NULL;
  OK(MXPredCreate(json, params, size, 1, 0, 1, inputs, index, shape, &predictor));
  const float x[] = {3, 5, 7};
  float y[4] = {0};
  OK(MXPredSetInput(predictor, "data", x, 3));
  OK(MXPredForward(predictor));
  uint32_t *out_shape = NULL, ndim = 0;
  OK(MXPredGetOutputShape(predictor, 0, &out_shape, &ndim));
  CHECK(ndim == 2 && out_shape[0] == 1 && out_shape[1] == 2);
  int dtype = -1, left = -1;
  OK(MXPredGetOutputType(predictor, 0, &dtype));
  CHECK(dtype == 0);
  OK(MXPredGetOutput(predictor, 0, y, 2));
  CHECK(y[0] == 3 && y[1] == 0); /* relu(3), relu(3 - 5) */
  OK(MXPredPartialForward(predictor, 0, &left));
  CHECK(left == 0);

  const uint32_t two_rows[] = {2, 3};
  OK(MXPredReshape(1, inputs, index, two_rows, predictor, &larger));
  const float x2[] = {3, 5, 7, 9, 1, 0};
  OK(MXPredSetInput(larger, "data", x2, 6));
  OK(MXPredForward(larger));
  OK(MXPredGetOutput(larger, 0, y, 4));
  CHECK(y[0] == 3 && y[1] == 0 && y[2] == 9 && y[3] == 8);
  const char* at[] = {"fc"};
  OK(MXPredCreatePartialOut(json, params, size, 1, 0, 1, inputs, index, shape, 1, at, &inner));
  OK(MXPredSetInput(inner, "data", x, 3));
  OK(MXPredForward(inner));
  OK(MXPredGetOutput(inner, 0, y, 2));
  CHECK(y[1] == -2);
  PredictorHandle several[3];
  OK(MXPredCreateMultiThread(json, params, size, 1, 0, 1, inputs, index, shape, 3, several));
  for (int i = 0; i < 3; ++i) OK(MXPredFree(several[i]));

  FAILS(MXPredGetOutput(predictor, 0, y, 3), "3 elements");
  FAILS(MXPredGetOutput(predictor, 5, y, 2), "5");
  FAILS(MXPredSetInput(predictor, "dta", x, 3), "nearest is data");
  FAILS(MXPredSetInput(predictor, "data", x, 2), "2 elements");
  PredictorHandle bad = NULL;
  FAILS(MXPredCreate("{", params, size, 1, 0, 1, inputs, index, shape, &bad), "");
  FAILS(MXPredCreate(json, params, size - 3, 1, 0, 1, inputs, index, shape, &bad), "truncated");
  const char* wrong[] = {"foo"};
  FAILS(MXPredCreate(json, params, size, 1, 0, 1, wrong, index, shape, &bad), "foo");
  const uint32_t clash[] = {1, 4};
  FAILS(MXPredCreate(json, params, size, 1, 0, 1, inputs, index, clash, &bad), "fc");
  at[0] = "fcc";
  FAILS(MXPredCreatePartialOut(json, params, size, 1, 0, 1, inputs, index, shape, 1, at, &bad), "fcc");

  NDListHandle list = NULL;
  uint32_t length = 0;
  const char* key = NULL;
  const float* values = NULL;
  const uint32_t* dims = NULL;
  OK(MXNDListCreate(params, size, &list, &length));
  CHECK(length == 1);
  OK(MXNDListGet(list, 0, &key, &values, &dims, &ndim));
  CHECK(strcmp(key, "arg:fc_weight") == 0 && values[3] == 1 && ndim == 2 && dims[1] == 3);
  FAILS(MXNDListGet(list, 1, &key, &values, &dims, &ndim), "1");
  OK(MXNDListFree(list));
  OK(MXPredFree(inner));
  OK(MXPredFree(larger));
  OK(MXPredFree(predictor));
  free(params);
  free(json);
  return check_report("predict");
}
