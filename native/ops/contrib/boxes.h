// Boxes as four numbers: corners (left, top, right, bottom) or centre (x, y, width, height).
#pragma once

#include <algorithm>

namespace mxnet {

enum BoxFormat { kCorner, kCenter };

template <class C>
struct Box {
  C left, top, right, bottom;
  C area() const { return right < left || bottom < top ? C(0) : (right - left) * (bottom - top); }
};

template <class C, class T>
Box<C> load_box(const T* p, int format) {
  const C a = static_cast<C>(p[0]);
  const C b = static_cast<C>(p[1]);
  const C c = static_cast<C>(p[2]);
  const C d = static_cast<C>(p[3]);
  if (format == kCorner) return {a, b, c, d};
  return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
}

template <class C, class T>
void store_box(const Box<C>& box, int format, T* p) {
  if (format == kCorner) {
    p[0] = static_cast<T>(box.left);
    p[1] = static_cast<T>(box.top);
    p[2] = static_cast<T>(box.right);
    p[3] = static_cast<T>(box.bottom);
  } else {
    p[0] = static_cast<T>((box.left + box.right) / 2);
    p[1] = static_cast<T>((box.top + box.bottom) / 2);
    p[2] = static_cast<T>(box.right - box.left);
    p[3] = static_cast<T>(box.bottom - box.top);
  }
}

template <class C>
C intersection_over_union(const Box<C>& a, const Box<C>& b) {
  const C width = std::max(C(0), std::min(a.right, b.right) - std::max(a.left, b.left));
  const C height = std::max(C(0), std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  const C common = width * height;
  const C all = a.area() + b.area() - common;
  return all <= 0 ? C(0) : common / all;
}

}  // namespace mxnet
