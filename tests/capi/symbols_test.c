/* Symbols: making, composing, listing, attributes, JSON, inference. */
#include <nnvm/c_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

static SymbolHandle variable(const char* name) {
  SymbolHandle out = NULL;
  OK(MXSymbolCreateVariable(name, &out));
  return out;
}

static SymbolHandle op(const char* op_name, const char* name, uint32_t num_params, const char** keys, const char** vals,
                       uint32_t num_args, const char** arg_names, SymbolHandle* args) {
  OpHandle creator = NULL;
  SymbolHandle out = NULL;
  OK(NNGetOpHandle(op_name, &creator));
  OK(MXSymbolCreateAtomicSymbol(creator, num_params, keys, vals, &out));
  OK(MXSymbolCompose(out, name, num_args, arg_names, args));
  return out;
}

static SymbolHandle fully_connected(const char* name, const char* hidden, SymbolHandle data) {
  const char* keys[] = {"num_hidden"};
  const char* vals[] = {hidden};
  const char* args[] = {"data"};
  return op("FullyConnected", name, 1, keys, vals, 1, args, &data);
}

static void check_list(int rc, uint32_t count, const char** list, const char* expected) {
  char joined[512] = "";
  CHECK(rc == 0);
  for (uint32_t i = 0; i < count; ++i) {
    if (i) strcat(joined, ",");
    strcat(joined, list[i]);
  }
  if (strcmp(joined, expected) != 0) fprintf(stderr, "got %s\n", joined);
  CHECK(strcmp(joined, expected) == 0);
}

static void test_compose(void) {
  SymbolHandle data = variable("data");
  SymbolHandle fc = fully_connected("fc", "4", data);
  uint32_t count = 0;
  const char** list = NULL;
  int rc = MXSymbolListArguments(fc, &count, &list);
  check_list(rc, count, list, "data,fc_weight,fc_bias");
  rc = MXSymbolListOutputs(fc, &count, &list);
  check_list(rc, count, list, "fc_output");
  rc = MXSymbolListAuxiliaryStates(fc, &count, &list);
  check_list(rc, count, list, "");
  rc = NNSymbolListInputNames(fc, 0, &count, &list);
  check_list(rc, count, list, "data,fc_weight,fc_bias");
  FAILS(NNSymbolListInputNames(fc, 7, &count, &list), "7");

  const char* name = NULL;
  int success = 0;
  OK(MXSymbolGetName(fc, &name, &success));
  CHECK(success == 1 && strcmp(name, "fc") == 0);
  SymbolHandle both[] = {fc, data};
  SymbolHandle group = NULL, second = NULL, internals = NULL, children = NULL;
  OK(MXSymbolCreateGroup(2, both, &group));
  OK(MXSymbolGetNumOutputs(group, &count));
  CHECK(count == 2);
  OK(MXSymbolGetName(group, &name, &success));
  CHECK(success == 0);
  OK(MXSymbolGetOutput(group, 1, &second));
  rc = MXSymbolListOutputs(second, &count, &list);
  check_list(rc, count, list, "data");
  SymbolHandle third = NULL;
  FAILS(MXSymbolGetOutput(group, 2, &third), "2");
  OK(MXSymbolGetInternals(fc, &internals));
  rc = MXSymbolListOutputs(internals, &count, &list);
  check_list(rc, count, list, "data,fc_weight,fc_bias,fc_output");
  OK(MXSymbolGetChildren(fc, &children));
  rc = MXSymbolListOutputs(children, &count, &list);
  check_list(rc, count, list, "data,fc_weight,fc_bias");

  OpHandle creator = NULL;
  SymbolHandle bad = NULL;
  FAILS(NNGetOpHandle("FulyConnected", &creator), "FullyConnected"); /* the nearest name */
  OK(NNGetOpHandle("FullyConnected", &creator));
  const char* keys[] = {"num_hiden"};
  const char* vals[] = {"4"};
  FAILS(MXSymbolCreateAtomicSymbol(creator, 1, keys, vals, &bad), "num_hiden");
  FAILS(MXSymbolCreateAtomicSymbol(creator, 0, NULL, NULL, &bad), "num_hidden");
  keys[0] = "num_hidden";
  vals[0] = "four";
  FAILS(MXSymbolCreateAtomicSymbol(creator, 1, keys, vals, &bad), "four");
  vals[0] = NULL;
  FAILS(MXSymbolCreateAtomicSymbol(creator, 1, keys, vals, &bad), "NULL");
  vals[0] = "4";
  OK(MXSymbolCreateAtomicSymbol(creator, 1, keys, vals, &bad));
  const char* wrong[] = {"dat"};
  FAILS(MXSymbolCompose(bad, "f", 1, wrong, &data), "dat");
  OK(MXSymbolFree(bad));
  OK(MXSymbolFree(children));
  OK(MXSymbolFree(internals));
  OK(MXSymbolFree(second));
  OK(MXSymbolFree(group));
  OK(MXSymbolFree(fc));
  OK(NNSymbolFree(data));
}

static void test_attributes(void) {
  SymbolHandle x = variable("x");
  const char* value = NULL;
  int success = 1;
  OK(MXSymbolGetAttr(x, "colour", &value, &success));
  CHECK(success == 0);
  OK(MXSymbolSetAttr(x, "colour", "blue"));
  OK(MXSymbolSetAttr(x, "lr_mult", "2"));
  OK(MXSymbolGetAttr(x, "colour", &value, &success));
  CHECK(success == 1 && strcmp(value, "blue") == 0);
  OK(MXSymbolGetAttr(x, "__lr_mult__", &value, &success));
  CHECK(success == 1 && strcmp(value, "2") == 0);
  OK(MXSymbolGetAttr(x, "lr_mult", &value, &success));
  CHECK(success == 1 && strcmp(value, "2") == 0);
  uint32_t pairs = 0;
  const char** list = NULL;
  OK(MXSymbolListAttr(x, &pairs, &list));
  int found = 0;
  for (uint32_t i = 0; i < pairs; ++i) found += strcmp(list[2 * i], "x$colour") == 0;
  CHECK(found == 1);
  FAILS(MXSymbolSetAttr(x, "weight_lr_mult", "2"), "lr_mult");
  OK(MXSymbolFree(x));
}

static void test_json(void) {
  SymbolHandle data = variable("data");
  SymbolHandle fc = fully_connected("fc", "4", data), again = NULL;
  const char* json = NULL;
  OK(MXSymbolSaveToJSON(fc, &json));
  char* first = malloc(strlen(json) + 1);
  strcpy(first, json);
  OK(MXSymbolCreateFromJSON(first, &again));
  OK(MXSymbolSaveToJSON(again, &json));
  CHECK(strcmp(first, json) == 0);
  SymbolHandle bad = NULL;
  for (size_t cut = 0; cut + 1 < strlen(first); cut += 7) {
    char kept = first[cut];
    first[cut] = '\0';
    CHECK(MXSymbolCreateFromJSON(first, &bad) == -1);
    first[cut] = kept;
  }
  FAILS(MXSymbolCreateFromFile("/no/such/file.json", &bad), "/no/such/file.json");
  FAILS(MXSymbolSaveToFile(fc, "/no/such/folder/f.json"), "/no/such/folder");
  free(first);
  OK(MXSymbolFree(again));
  OK(MXSymbolFree(fc));
  OK(MXSymbolFree(data));
}

static void test_inference(void) {
  SymbolHandle data = variable("data");
  SymbolHandle fc = fully_connected("fc", "4", data);
  const char* keys[] = {"data"};
  const uint32_t index[] = {0, 2};
  const int dims[] = {5, 3};
  uint32_t in_size, out_size, aux_size;
  const int *in_ndim, *out_ndim, *aux_ndim, **in_data, **out_data, **aux_data;
  int complete = 0;
  OK(MXSymbolInferShapeEx(fc, 1, keys, index, dims, &in_size, &in_ndim, &in_data, &out_size, &out_ndim, &out_data,
                          &aux_size, &aux_ndim, &aux_data, &complete));
  CHECK(complete == 1 && in_size == 3 && out_size == 1 && aux_size == 0);
  CHECK(in_ndim[1] == 2 && in_data[1][0] == 4 && in_data[1][1] == 3);
  CHECK(in_data[1] == in_data[0] + 2 && in_data[2] == in_data[1] + 2); /* one buffer, in order */
  CHECK(out_ndim[0] == 2 && out_data[0][0] == 5 && out_data[0][1] == 4);
  /* Positional, and 64 bits. */
  const int64_t index64[] = {0, 2}, dims64[] = {5, 3};
  size_t in_size64, out_size64, aux_size64;
  const int64_t **in64, **out64, **aux64;
  OK(MXSymbolInferShapeEx64(fc, 1, NULL, index64, dims64, &in_size64, &in_ndim, &in64, &out_size64, &out_ndim, &out64,
                            &aux_size64, &aux_ndim, &aux64, &complete));
  CHECK(complete == 1 && out64[0][1] == 4);
  /* Nothing known. */
  const uint32_t none[] = {0};
  OK(MXSymbolInferShapeEx(fc, 0, NULL, none, NULL, &in_size, &in_ndim, &in_data, &out_size, &out_ndim, &out_data,
                          &aux_size, &aux_ndim, &aux_data, &complete));
  CHECK(complete == 0);
  OK(MXSymbolInferShapePartialEx(fc, 0, NULL, none, NULL, &in_size, &in_ndim, &in_data, &out_size, &out_ndim,
                                 &out_data, &aux_size, &aux_ndim, &aux_data, &complete));
  CHECK(complete == 1 && in_ndim[0] == 0);
  const char* wrong[] = {"foo"};
  FAILS(MXSymbolInferShapeEx(fc, 1, wrong, index, dims, &in_size, &in_ndim, &in_data, &out_size, &out_ndim, &out_data,
                             &aux_size, &aux_ndim, &aux_data, &complete),
        "InferShapeKeyword argument name foo not found.");
  CHECK(strstr(MXGetLastError(), "\t[0]data") != NULL);
  const uint32_t backwards[] = {2, 0};
  FAILS(MXSymbolInferShapeEx(fc, 1, keys, backwards, dims, &in_size, &in_ndim, &in_data, &out_size, &out_ndim,
                             &out_data, &aux_size, &aux_ndim, &aux_data, &complete),
        "index pointer");
  const int negative[] = {-7, 3};
  FAILS(MXSymbolInferShapeEx(fc, 1, keys, index, negative, &in_size, &in_ndim, &in_data, &out_size, &out_ndim,
                             &out_data, &aux_size, &aux_ndim, &aux_data, &complete),
        "-7");
  const char* clash_keys[] = {"data", "fc_weight"};
  const uint32_t clash_index[] = {0, 2, 4};
  const int clash[] = {5, 3, 4, 9};
  FAILS(MXSymbolInferShapeEx(fc, 2, clash_keys, clash_index, clash, &in_size, &in_ndim, &in_data, &out_size, &out_ndim,
                             &out_data, &aux_size, &aux_ndim, &aux_data, &complete),
        "Error in operator fc");

  const int types[] = {1};
  const int *in_types, *out_types, *aux_types;
  OK(MXSymbolInferType(fc, 1, keys, types, &in_size, &in_types, &out_size, &out_types, &aux_size, &aux_types,
                       &complete));
  CHECK(complete == 1 && in_types[1] == 1 && out_types[0] == 1);
  OK(MXSymbolFree(fc));
  OK(MXSymbolFree(data));
}

int main(void) {
  test_compose();
  test_attributes();
  test_json();
  test_inference();
  return check_report("symbols");
}
