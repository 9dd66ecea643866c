/* Expectations of the generated negative tests. */
#ifndef TESTS_CAPI_NEGATIVE_H_
#define TESTS_CAPI_NEGATIVE_H_

#include <mxnet/c_api.h>
#include <mxnet/c_api_test.h>
#include <mxnet/c_predict_api.h>
#include <mxnet/runtime/c_runtime_api.h>
#include <nnvm/c_api.h>

#include "generated/fixture.h"

void expect_error(int rc, const char* call, const char* text, const char* argument);
#define EXPECT_ERROR(call, text, argument) expect_error((call), #call, text, argument)

extern struct Fixture fx;
void run_negative_tests(void);

#endif /* TESTS_CAPI_NEGATIVE_H_ */
