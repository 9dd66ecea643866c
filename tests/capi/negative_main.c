/* Makes live, freed and foreign handles for the generated negative tests and runs them. */
#include "negative.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;
static int failures;

void expect_error(int rc, const char* call, const char* text, const char* argument) {
  const char* message = MXGetLastError();
  char quoted[256];
  snprintf(quoted, sizeof quoted, *argument ? "'%s'" : "%s", argument);
  ++checks;
  if (rc == -1 && *message != '\0' && strstr(message, text) != NULL && strstr(message, quoted) != NULL) return;
  ++failures;
  fprintf(stderr, "%s\n  gave %d, message: %s\n", call, rc, message);
}

static void must(int rc) {
  if (rc == 0) return;
  fprintf(stderr, "set-up failed: %s\n", MXGetLastError());
  exit(1);
}

static void ignore(void) {}

static void* new_array(void) {
  const uint32_t shape[] = {1};
  NDArrayHandle array = NULL;
  must(MXNDArrayCreate(shape, 1, 1, 0, 0, &array));
  return array;
}

static void* new_symbol(void) {
  SymbolHandle symbol = NULL;
  must(MXSymbolCreateVariable("x", &symbol));
  return symbol;
}

static void* new_executor(void* symbol, void* array) {
  uint32_t req = 0;
  ExecutorHandle executor = NULL;
  must(MXExecutorBind(symbol, 1, 0, 1, &array, NULL, &req, 0, NULL, &executor));
  return executor;
}

int main(void) {
  fixture_defaults(&fx);
  void (*callback)(void) = &ignore;
  memcpy(&fx.callback, &callback, sizeof callback);

  fx.NDArray = new_array();
  fx.freed_NDArray = new_array();
  must(MXNDArrayFree(fx.freed_NDArray));
  fx.Symbol = new_symbol();
  fx.freed_Symbol = new_symbol();
  must(MXSymbolFree(fx.freed_Symbol));
  fx.Executor = new_executor(fx.Symbol, fx.NDArray);
  fx.freed_Executor = new_executor(fx.Symbol, fx.NDArray);
  must(MXExecutorFree(fx.freed_Executor));
  uint32_t count = 0;
  AtomicSymbolCreator* ops = NULL;
  must(MXSymbolListAtomicSymbolCreators(&count, &ops));
  if (count > 0) fx.Op = ops[0];
  FunctionHandle* functions = NULL;
  must(MXListFunctions(&count, &functions));
  fx.Function = functions[0];
  must(MXNetFuncGetGlobal("_nop", &fx.PackedFunction));
  fx.other_than_NDArray = fx.Symbol;
  fx.other_than_Symbol = fx.NDArray;
  fx.other_than_Executor = fx.NDArray;
  fx.other_than_Op = fx.NDArray;
  fx.other_than_Function = fx.Symbol;
  fx.other_than_PackedFunction = fx.Function;
  fx.other_than_Predictor = fx.Executor;
  fx.other_than_NDList = fx.NDArray;

  run_negative_tests();

  /* The live ones still work. */
  int ndim = 0;
  const int* shape = NULL;
  must(MXNDArrayGetShapeEx(fx.NDArray, &ndim, &shape));
  must(MXExecutorForward(fx.Executor, 0));
  must(MXExecutorFree(fx.Executor));
  must(MXSymbolFree(fx.Symbol));
  must(MXNDArrayFree(fx.NDArray));
  must(MXNetFuncFree(fx.PackedFunction));
  printf("negative tests: %d checks, %d failed\n", checks, failures);
  return failures != 0;
}
