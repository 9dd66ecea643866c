/* Handles: live, freed, doubled, foreign and made up. */
#include <mxnet/ext_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

static NDArrayHandle new_array(uint32_t size) {
  NDArrayHandle array = NULL;
  OK(MXNDArrayCreate(&size, 1, 1, 0, 0, &array));
  return array;
}

static void test_lifecycle(void) {
  const MXExtApi* ext = MXGetExtApi(1);
  const int64_t before = ext->live_handles("NDArray");
  NDArrayHandle array = new_array(3);
  CHECK(ext->live_handles("NDArray") == before + 1);
  CHECK((intptr_t)array > 0);
  int dtype = -1;
  OK(MXNDArrayGetDType(array, &dtype));
  OK(MXNDArrayFree(array));
  CHECK(ext->live_handles("NDArray") == before);
  FAILS(MXNDArrayGetDType(array, &dtype), "not a live NDArray handle");
  FAILS(MXNDArrayFree(array), "not a live NDArray handle");
  OK(MXNDArrayFree(NULL));
  CHECK(ext->live_handles("no such kind") == -1);
  CHECK(ext->live_handles(NULL) >= before);
}

static void test_reused_slot(void) {
  NDArrayHandle old = new_array(1);
  OK(MXNDArrayFree(old));
  for (int i = 0; i < 1000; ++i) {
    NDArrayHandle fresh = new_array(1);
    CHECK(fresh != old);
    int dtype = 0;
    if (i % 100 == 0) FAILS(MXNDArrayGetDType(old, &dtype), "not a live");
    OK(MXNDArrayFree(fresh));
  }
}

static void test_many(void) {
  enum { kCount = 50000 };
  NDArrayHandle* arrays = malloc(kCount * sizeof *arrays);
  for (uint32_t i = 0; i < kCount; ++i) MXNDArrayCreateNone(&arrays[i]);
  int wrong = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    int dtype = 0;
    wrong += MXNDArrayGetDType(arrays[i], &dtype) != 0 || dtype != -1;
  }
  CHECK(wrong == 0);
  for (uint32_t i = 0; i < kCount; ++i) wrong += MXNDArrayFree(arrays[i]) != 0;
  CHECK(wrong == 0);
  for (uint32_t i = 0; i < kCount; ++i) wrong += MXNDArrayFree(arrays[i]) == 0;
  CHECK(wrong == 0);
  free(arrays);
}

static void test_garbage(void) {
  uint64_t state = 88172645463325252u;
  int accepted = 0;
  for (int i = 0; i < 100000; ++i) { /* xorshift64 of Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    int dtype = 0;
    accepted += MXNDArrayGetDType((NDArrayHandle)(uintptr_t)state, &dtype) == 0;
    accepted += MXNDArrayFree((NDArrayHandle)(uintptr_t)(state & 0xffff)) == 0 && (state & 0xffff) != 0;
  }
  CHECK(accepted == 0);
  int local = 0, dtype = 0;
  FAILS(MXNDArrayGetDType((NDArrayHandle)&local, &dtype), "not a live");
}

static void test_wrong_kind(void) {
  NDArrayHandle array = new_array(1);
  SymbolHandle symbol = NULL;
  OK(MXSymbolCreateVariable("x", &symbol));
  FAILS(MXSymbolFree((SymbolHandle)array), "is a NDArray handle, a Symbol handle is needed");
  FAILS(MXNDArrayFree((NDArrayHandle)symbol), "is a Symbol handle");
  FAILS(MXExecutorForward((ExecutorHandle)symbol, 0), "a Executor handle is needed");
  OK(MXSymbolFree(symbol));
  OK(MXNDArrayFree(array));
}

static void test_errors(void) {
  int out = 0;
  FAILS(MXGetVersion(NULL), "ValueError: MXGetVersion: argument 'out' is NULL");
  CHECK(MXGetExtApi(1)->last_error_code() == 2);
  OK(MXGetVersion(&out)); /* success keeps the text of the last failure */
  CHECK(strstr(MXGetLastError(), "MXGetVersion") != NULL);
  CHECK(MXGetExtApi(2) == NULL);
  CHECK(MXGetExtApi(0) == NULL);
  CHECK(MXGetExtApi(1)->size == sizeof(MXExtApi));
}

int main(void) {
  test_lifecycle();
  test_reused_slot();
  test_many();
  test_garbage();
  test_wrong_kind();
  test_errors();
  return check_report("handles");
}
