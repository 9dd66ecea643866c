// Special functions of one number that the C library lacks.
#pragma once

namespace mxnet {

double digamma_number(double x);   // (log gamma)'
double trigamma_number(double x);  // (log gamma)''
double erfinv_number(double x);    // NaN outside [-1, 1]

}  // namespace mxnet
