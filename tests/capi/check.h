/* A small harness: checks count and report, and a failed call prints the library's error. */
#ifndef TESTS_CAPI_CHECK_H_
#define TESTS_CAPI_CHECK_H_

#include <mxnet/c_api.h>
#include <stdio.h>
#include <string.h>

static int check_count;
static int check_failures;

static inline void check_at(int ok, const char* file, int line, const char* what) {
  ++check_count;
  if (ok) return;
  ++check_failures;
  fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", file, line, what, MXGetLastError());
}

#define CHECK(condition) check_at((condition) != 0, __FILE__, __LINE__, #condition)
#define OK(call) check_at((call) == 0, __FILE__, __LINE__, #call)
/* The call fails and its text holds `part`. */
#define FAILS(call, part) \
  check_at((call) == -1 && strstr(MXGetLastError(), part) != NULL, __FILE__, __LINE__, #call " fails with " part)

static inline int check_report(const char* name) {
  printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
  return check_failures != 0;
}

#endif /* TESTS_CAPI_CHECK_H_ */
