/* Symbol, bind, forward, backward, reshape and monitor, and who owns what. */
#include <mxnet/ext_api.h>
#include <nnvm/c_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

static SymbolHandle square_sum(void) { /* y = a * b + a */
  SymbolHandle a = NULL, b = NULL, product = NULL, sum = NULL;
  OpHandle mul = NULL, add = NULL;
  OK(MXSymbolCreateVariable("a", &a));
  OK(MXSymbolCreateVariable("b", &b));
  OK(NNGetOpHandle("elemwise_mul", &mul));
  OK(NNGetOpHandle("elemwise_add", &add));
  OK(MXSymbolCreateAtomicSymbol(mul, 0, NULL, NULL, &product));
  SymbolHandle args[] = {a, b};
  OK(MXSymbolCompose(product, "product", 2, NULL, args));
  OK(MXSymbolCreateAtomicSymbol(add, 0, NULL, NULL, &sum));
  SymbolHandle more[] = {product, a};
  OK(MXSymbolCompose(sum, "sum", 2, NULL, more));
  OK(MXSymbolFree(a));
  OK(MXSymbolFree(b));
  OK(MXSymbolFree(product));
  return sum;
}

static NDArrayHandle vector(const float* data, uint32_t size) {
  NDArrayHandle array = NULL;
  OK(MXNDArrayCreate(&size, 1, 1, 0, 0, &array));
  OK(MXNDArraySyncCopyFromCPU(array, data, size));
  return array;
}

static void expect(NDArrayHandle array, const float* values, uint32_t size) {
  float out[16] = {0};
  OK(MXNDArraySyncCopyToCPU(array, out, size));
  for (uint32_t i = 0; i < size; ++i) {
    if (out[i] != values[i]) fprintf(stderr, "[%u]: got %g, expected %g\n", i, out[i], values[i]);
    CHECK(out[i] == values[i]);
  }
}

static void test_bind(void) {
  SymbolHandle symbol = square_sum();
  const float a[] = {1, 2, 3}, b[] = {4, 5, 6}, zero[] = {0, 0, 0}, head[] = {1, 10, 100};
  NDArrayHandle args[] = {vector(a, 3), vector(b, 3)};
  NDArrayHandle grads[] = {vector(zero, 3), vector(head, 3)};
  NDArrayHandle ograd = vector(head, 3);
  uint32_t reqs[] = {1, 3}; /* write, add */
  ExecutorHandle executor = NULL;
  OK(MXExecutorBindEX(symbol, 1, 0, 0, NULL, NULL, NULL, 2, args, grads, reqs, 0, NULL, NULL, &executor));
  OK(MXExecutorForward(executor, 1));
  uint32_t count = 0;
  NDArrayHandle* outputs = NULL;
  OK(MXExecutorOutputs(executor, &count, &outputs));
  CHECK(count == 1);
  NDArrayHandle out = outputs[0];
  const float y[] = {5, 12, 21};
  expect(out, y, 3);
  OK(MXExecutorBackward(executor, 1, &ograd));
  const float da[] = {5, 60, 700}, db[] = {2, 30, 400}; /* (b + 1) g and g + a g */
  expect(grads[0], da, 3);
  expect(grads[1], db, 3);
  /* The output array follows later runs, and outlives the executor. */
  const float b2[] = {0, 0, 1};
  OK(MXNDArraySyncCopyFromCPU(args[1], b2, 3));
  OK(MXExecutorForward(executor, 0));
  const float y2[] = {1, 2, 6};
  expect(out, y2, 3);
  FAILS(MXExecutorBackward(executor, 0, NULL), "head_gradient is required");
  NDArrayHandle short_grad = vector(head, 2);
  FAILS(MXExecutorBackward(executor, 1, &short_grad), "[3]");
  FAILS(MXExecutorBackward(executor, 2, grads), "2");
  const char* text = NULL;
  OK(MXExecutorPrint(executor, &text));
  CHECK(strstr(text, "product") != NULL);
  OK(MXExecutorFree(executor));
  FAILS(MXExecutorForward(executor, 0), "not a live Executor");
  expect(out, y2, 3);

  executor = NULL;
  FAILS(MXExecutorBind(symbol, 1, 0, 1, args, NULL, reqs, 0, NULL, &executor), "expected 2, got 1");
  NDArrayHandle wrong[] = {args[0], short_grad};
  FAILS(MXExecutorBind(symbol, 1, 0, 2, wrong, NULL, reqs, 0, NULL, &executor), "[2]");
  uint32_t bad_reqs[] = {7, 0};
  FAILS(MXExecutorBind(symbol, 1, 0, 2, args, NULL, bad_reqs, 0, NULL, &executor), "7");
  FAILS(MXExecutorBind(symbol, 2, 0, 2, args, NULL, reqs, 0, NULL, &executor), "gpu");
  NDArrayHandle holed[] = {args[0], NULL};
  FAILS(MXExecutorBind(symbol, 1, 0, 2, holed, NULL, reqs, 0, NULL, &executor), "NULL");
  CHECK(executor == NULL);

  for (int i = 0; i < 2; ++i) OK(MXNDArrayFree(args[i]));
  for (int i = 0; i < 2; ++i) OK(MXNDArrayFree(grads[i]));
  OK(MXNDArrayFree(ograd));
  OK(MXNDArrayFree(short_grad));
  OK(MXNDArrayFree(out));
  OK(MXSymbolFree(symbol));
}

struct Simple {
  uint32_t num_args, num_aux;
  NDArrayHandle args[4], grads[4];
  ExecutorHandle executor;
};

static int simple_bind(SymbolHandle symbol, const char* req, const int* shape, uint32_t ndim, struct Simple* out) {
  const char* names[] = {"a"};
  const uint32_t index[] = {0, ndim};
  NDArrayHandle *args = NULL, *grads = NULL, *aux = NULL;
  int buffer_len = -1;
  const char** buffer_names = NULL;
  NDArrayHandle* buffer_arrays = NULL;
  memset(out, 0, sizeof *out);
  const int rc = MXExecutorSimpleBindEx(
      symbol, 1, 0, 0, NULL, NULL, NULL, 0, NULL, &req, 1, names, shape, index, 0, NULL, NULL, 0, NULL, NULL, 0, NULL,
      &buffer_len, NULL, NULL, &buffer_names, &buffer_arrays, &out->num_args, &args, &grads, &out->num_aux, &aux, NULL,
      &out->executor);
  if (rc != 0) return rc;
  memcpy(out->args, args, out->num_args * sizeof *args);
  memcpy(out->grads, grads, out->num_args * sizeof *grads);
  return 0;
}

static void free_simple(struct Simple* s) {
  for (uint32_t i = 0; i < s->num_args; ++i) OK(MXNDArrayFree(s->args[i]));
  for (uint32_t i = 0; i < s->num_args; ++i) OK(MXNDArrayFree(s->grads[i]));
  OK(MXExecutorFree(s->executor));
}

static int monitored;
static void monitor(const char* name, NDArrayHandle array, void* payload) {
  monitored += strcmp(name, "product_output") == 0 || strcmp(name, "sum_output") == 0;
  *(int*)payload += 1;
  MXNDArrayFree(array);
}

static void test_simple_bind(void) {
  SymbolHandle symbol = square_sum();
  struct Simple s;
  const int shape[] = {4};
  OK(simple_bind(symbol, "write", shape, 1, &s));
  CHECK(s.num_args == 2 && s.num_aux == 0 && s.grads[0] != NULL);
  const float a[] = {1, 2, 3, 4};
  OK(MXNDArraySyncCopyFromCPU(s.args[0], a, 4));
  int calls = 0;
  OK(MXExecutorSetMonitorCallback(s.executor, monitor, &calls));
  OK(MXExecutorForward(s.executor, 0));
  CHECK(calls == 2 && monitored == 2);
  OK(MXExecutorSetMonitorCallback(s.executor, NULL, NULL));
  OK(MXExecutorForward(s.executor, 0));
  CHECK(calls == 2);

  /* Smaller shapes use the same memory. */
  const char* names[] = {"a"};
  const int smaller[] = {2}, larger[] = {8};
  const uint32_t index[] = {0, 1};
  uint32_t num_args = 0, num_aux = 0;
  NDArrayHandle *args = NULL, *grads = NULL, *aux = NULL;
  ExecutorHandle reshaped = NULL;
  FAILS(MXExecutorReshapeEx(0, 0, 1, 0, 0, NULL, NULL, NULL, 1, names, larger, index, &num_args, &args, &grads,
                            &num_aux, &aux, s.executor, &reshaped),
        "");
  OK(MXExecutorReshapeEx(1, 0, 1, 0, 0, NULL, NULL, NULL, 1, names, smaller, index, &num_args, &args, &grads, &num_aux,
                         &aux, s.executor, &reshaped));
  CHECK(num_args == 2);
  expect(args[0], a, 2);
  for (uint32_t i = 0; i < num_args; ++i) {
    NDArrayHandle handles[] = {args[i], grads[i]};
    OK(MXNDArrayFree(handles[0]));
    OK(MXNDArrayFree(handles[1]));
  }
  OK(MXExecutorFree(reshaped));
  free_simple(&s);

  OK(simple_bind(symbol, "null", shape, 1, &s));
  CHECK(s.grads[0] == NULL && s.grads[1] == NULL);
  free_simple(&s);
  CHECK(simple_bind(symbol, "sometimes", shape, 1, &s) == -1);
  CHECK(strstr(MXGetLastError(), "grad_req=sometimes is not a valid input") != NULL);
  CHECK(simple_bind(symbol, "write", shape, 0, &s) == -1);
  CHECK(strstr(MXGetLastError(), "cannot decide shapes") != NULL);
  OK(MXSymbolFree(symbol));
}

static void test_no_leaks(void) {
  const MXExtApi* ext = MXGetExtApi(1);
  SymbolHandle symbol = square_sum();
  const int64_t before = ext->live_handles(NULL);
  const int shape[] = {4};
  for (int i = 0; i < 200; ++i) {
    struct Simple s;
    OK(simple_bind(symbol, "write", shape, 1, &s));
    OK(MXExecutorForward(s.executor, 1));
    free_simple(&s);
  }
  CHECK(ext->live_handles(NULL) == before);
  OK(MXSymbolFree(symbol));
}

int main(void) {
  test_bind();
  test_simple_bind();
  test_no_leaks();
  return check_report("executors");
}
