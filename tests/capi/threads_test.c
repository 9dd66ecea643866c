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

/* Called when the thread's own objects are gone already. */
static void call_late(void* payload) {
  struct Job* job = payload;
  NDArrayHandle array = NULL;
  const uint32_t shape[] = {2};
  job->failures += MXNDArrayCreate(shape, 1, 1, 0, 0, &array) != 0;
  job->failures += MXNDArrayFree(array) != 0;
  job->failures += MXNDArrayFree(array) != -1 || strstr(MXGetLastError(), "not a live") == NULL;
  uint32_t count = 0;
  const char** names = NULL;
  job->failures += MXListAllOpNames(&count, &names) != 0 || count == 0;
  job->number = -1;
}

static pthread_key_t late_key;

static void* use_and_end(void* payload) {
  struct Job* job = payload;
  job->failures += pthread_setspecific(late_key, job) != 0;
  NDArrayHandle array = NULL;
  const uint32_t shape[] = {2};
  job->failures += MXNDArrayCreate(shape, 1, 1, 0, 0, &array) != 0;
  job->failures += MXNDArrayFree(array) != 0;
  job->failures += MXNDArrayFree(array) != -1;
  uint32_t count = 0;
  const char** names = NULL;
  job->failures += MXListAllOpNames(&count, &names) != 0;
  return NULL;
}

static void test_ending_thread(void) {
  CHECK(pthread_key_create(&late_key, call_late) == 0);
  pthread_t thread;
  struct Job job = {0, 0};
  CHECK(pthread_create(&thread, NULL, use_and_end, &job) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(job.number == -1 && job.failures == 0);
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
  test_ending_thread();
  return check_report("threads");
}
