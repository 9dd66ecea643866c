// Modes of the calling thread. Nothing can be recorded yet, so recording is always off.
#include "generated/impl.h"
#include "plan/imperative.h"
#include "tensor/shape_mode.h"

namespace mxnet::capi::impl {

void MXAutogradIsRecording(bool* curr) { *curr = false; }

void MXAutogradSetIsTraining(int is_training, int* prev) {
  *prev = imperative_training() ? 1 : 0;
  set_imperative_training(is_training != 0);
}

void MXAutogradIsTraining(bool* curr) { *curr = imperative_training(); }

void MXIsNumpyShape(int* curr) { *curr = static_cast<int>(shape_mode()); }

void MXSetIsNumpyShape(int is_np_shape, int* prev) {
  if (is_np_shape < 0 || is_np_shape > 2) {
    fail_as(ErrorKind::kValueError, "NumPy shape mode ", is_np_shape, ": valid are 0 (off), 1 (thread), 2 (process)");
  }
  *prev = is_numpy_shape() ? 1 : 0;
  set_shape_mode(static_cast<ShapeMode>(is_np_shape));
}

}  // namespace mxnet::capi::impl
