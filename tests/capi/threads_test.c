/* Threads: results and errors belong to the thread, handles to the process. */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { kThreads = 4, kRounds = 3000 };

struct Job {
  int number;
  int failures;
};

static void* churn(void* argument) {
  struct Job* job = argument;
  for (int i = 0; i < kRounds; ++i) {
    const uint32_t shape[] = {(uint32_t)job->number + 1, 2};
    NDArrayHandle array = NULL;
    SymbolHandle symbol = NULL;
    char name[32];
    snprintf(name, sizeof name, "t%d", job->number);
    job->failures += MXNDArrayCreate(shape, 2, 1, 0, 0, &array) != 0;
    job->failures += MXSymbolCreateVariable(name, &symbol) != 0;
    int ndim = 0;
    const int* dims = NULL;
    job->failures += MXNDArrayGetShapeEx(array, &ndim, &dims) != 0;
    uint32_t count = 0;
    const char** names = NULL;
    job->failures += MXSymbolListOutputs(symbol, &count, &names) != 0;
    job->failures += ndim != 2 || dims[0] != job->number + 1 || count != 1 || strcmp(names[0], name) != 0;
    char unknown[64];
    SymbolHandle missing = NULL;
    snprintf(unknown, sizeof unknown, "/no/such/file%d", job->number);
    job->failures += MXSymbolCreateFromFile(unknown, &missing) != -1;
    job->failures += strstr(MXGetLastError(), unknown) == NULL;
    job->failures += MXSymbolFree(symbol) != 0;
    job->failures += MXNDArrayFree(array) != 0;
  }
  return NULL;
}

static void* free_all(void* argument) {
  NDArrayHandle* arrays = argument;
  uintptr_t freed = 0;
  for (int i = 0; i < kRounds; ++i) freed += MXNDArrayFree(arrays[i]) == 0;
  return (void*)freed;
}

/* Each handle is freed by exactly one of the threads that try. */
static void test_racing_frees(void) {
  static NDArrayHandle arrays[kRounds];
  for (int i = 0; i < kRounds; ++i) OK(MXNDArrayCreateNone(&arrays[i]));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, free_all, arrays) == 0);
  uintptr_t total = 0;
  for (int i = 0; i < kThreads; ++i) {
    void* freed = NULL;
    CHECK(pthread_join(threads[i], &freed) == 0);
    total += (uintptr_t)freed;
  }
  CHECK(total == kRounds);
}

int main(void) {
  pthread_t threads[kThreads];
  struct Job jobs[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    jobs[i] = (struct Job){i, 0};
    CHECK(pthread_create(&threads[i], NULL, churn, &jobs[i]) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(jobs[i].failures == 0);
  }
  CHECK(strcmp(MXGetLastError(), "") == 0); /* this thread had none */
  test_racing_frees();
  return check_report("threads");
}
