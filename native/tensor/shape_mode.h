// Whether shapes follow NumPy (a 0 is a size, () a scalar) or MXNet's legacy rules (0 and () mean unknown).
#pragma once

#include "tensor/shape.h"

namespace mxnet {

enum class ShapeMode { kLegacy = 0, kNumpyThread = 1, kNumpyProcess = 2 };

ShapeMode shape_mode();              // of the calling thread
bool is_numpy_shape();
void set_shape_mode(ShapeMode mode);  // kNumpyProcess holds for all threads until it is taken back

// Between the user's spelling under the current mode and the internal one (-1 and unknown rank).
Shape from_user_shape(Shape shape);
Shape to_user_shape(Shape shape);

}  // namespace mxnet
