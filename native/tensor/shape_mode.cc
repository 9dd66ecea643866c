#include "tensor/shape_mode.h"

#include <atomic>

namespace mxnet {
namespace {

std::atomic<bool> g_process_numpy{false};
thread_local bool t_numpy = false;

}  // namespace

ShapeMode shape_mode() {
  if (g_process_numpy.load(std::memory_order_relaxed)) return ShapeMode::kNumpyProcess;
  return t_numpy ? ShapeMode::kNumpyThread : ShapeMode::kLegacy;
}

bool is_numpy_shape() { return shape_mode() != ShapeMode::kLegacy; }

void set_shape_mode(ShapeMode mode) {
  g_process_numpy.store(mode == ShapeMode::kNumpyProcess, std::memory_order_relaxed);
  t_numpy = mode == ShapeMode::kNumpyThread;
}

Shape from_user_shape(Shape shape) {
  if (is_numpy_shape()) return shape;
  if (shape.ndim() == 0) return Shape();
  for (int i = 0; i < shape.ndim(); ++i) {
    if (shape[i] == 0) shape[i] = -1;
  }
  return shape;
}

Shape to_user_shape(Shape shape) {
  if (is_numpy_shape()) return shape;
  if (!shape.ndim_known()) return Shape::scalar();
  for (int i = 0; i < shape.ndim(); ++i) {
    if (shape[i] < 0) shape[i] = 0;
  }
  return shape;
}

}  // namespace mxnet
