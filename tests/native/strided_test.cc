// The strided copy and sum against plain loops over every index.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "kernels/gather.h"
#include "kernels/strided.h"

namespace mxnet {
namespace {

template <class T>
void check_transpose(const Shape& shape, const std::vector<int>& axes) {
  const auto n = static_cast<size_t>(shape.size());
  std::vector<T> src(n);
  std::iota(src.begin(), src.end(), T(1));
  std::vector<T> dst(n, T(0));
  transpose_copy(shape, axes, sizeof(T)).run(src.data(), dst.data());
  Shape out = shape;
  for (int i = 0; i < shape.ndim(); ++i) out[i] = shape[axes[static_cast<size_t>(i)]];
  const auto out_strides = row_major_strides(out);
  const auto in_strides = row_major_strides(shape);
  for (int64_t linear = 0; linear < shape.size(); ++linear) {
    int64_t from = 0;
    for (int i = 0; i < out.ndim(); ++i)
      from += linear / out_strides[i] % out[i] * in_strides[axes[static_cast<size_t>(i)]];
    ASSERT_EQ(dst[static_cast<size_t>(linear)], src[static_cast<size_t>(from)]) << "element " << linear;
  }
}

TEST(StridedCopy, TransposesEveryWidthAndOrder) {
  std::vector<int> axes{0, 1, 2, 3};
  do {
    check_transpose<uint8_t>({3, 4, 2, 5}, axes);
    check_transpose<uint16_t>({3, 4, 2, 5}, axes);
    check_transpose<uint32_t>({2, 7, 3, 37}, axes);
    check_transpose<uint64_t>({3, 1, 2, 5}, axes);
  } while (std::next_permutation(axes.begin(), axes.end()));
  for (const Shape& shape : {Shape{67, 129}, Shape{300, 200}, Shape{1, 5}, Shape{4, 4}, Shape{0, 3}})
    check_transpose<uint32_t>(shape, {1, 0});
  check_transpose<uint64_t>({65, 70}, {1, 0});
}

TEST(StridedCopy, WalksBackwardsAndRepeats) {
  const std::vector<int32_t> src{1, 2, 3, 4, 5, 6};
  std::vector<int32_t> dst(6);
  StridedCopy({{2, 3, 3}, {3, -1, 1}}, 2, 0, 4).run(src.data(), dst.data());
  EXPECT_EQ(dst, (std::vector<int32_t>{3, 2, 1, 6, 5, 4}));
  std::vector<int32_t> tiled(12);
  StridedCopy({{2, 0, 6}, {6, 1, 1}}, 0, 0, 4).run(src.data(), tiled.data());
  EXPECT_EQ(tiled, (std::vector<int32_t>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  std::vector<int32_t> repeated(12);
  StridedCopy({{6, 1, 2}, {2, 0, 1}}, 0, 0, 4).run(src.data(), repeated.data());
  EXPECT_EQ(repeated, (std::vector<int32_t>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
}

TEST(StridedSum, AddsTheLoopsThatStay) {
  std::vector<float> src(2 * 3 * 4);
  std::iota(src.begin(), src.end(), 0.0f);
  std::vector<float> dst(2 * 4, -1.0f);
  StridedSum({{2, 12, 4}, {3, 4, 0}, {4, 1, 1}}, DType::kFloat32).run(src.data(), dst.data());
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < 3; ++k) sum += src[static_cast<size_t>(i * 12 + k * 4 + j)];
      EXPECT_EQ(dst[static_cast<size_t>(i * 4 + j)], sum);
    }
  }
  std::vector<float> none(4, -1.0f);
  StridedSum({{0, 4, 0}, {4, 1, 1}}, DType::kFloat32).run(src.data(), none.data());
  EXPECT_EQ(none, (std::vector<float>(4, 0.0f)));
}

TEST(Gather, ScatterAddDoesNotDependOnThreads) {
  constexpr int64_t kRows = 50, kCount = 4000, kRow = 33;
  std::vector<float> grad(kCount * kRow);
  std::vector<int64_t> indices(kCount);
  for (size_t i = 0; i < grad.size(); ++i) grad[i] = 1.0f / static_cast<float>(i + 1);
  for (int64_t i = 0; i < kCount; ++i) indices[static_cast<size_t>(i)] = i * 7919 % kRows;
  std::vector<float> one(kRows * kRow);
  std::vector<float> many(kRows * kRow);
  const int before = max_threads();
  set_max_threads(1);
  scatter_add_rows(grad.data(), indices.data(), one.data(), 1, kRows, kCount, kRow);
  set_max_threads(4);
  scatter_add_rows(grad.data(), indices.data(), many.data(), 1, kRows, kCount, kRow);
  set_max_threads(before);
  EXPECT_EQ(one, many);
}

TEST(Gather, ReadsIndicesByMode) {
  const std::vector<float> raw{-1.0f, 0.0f, 2.9f, 3.0f, 100.0f};
  std::vector<int64_t> indices(raw.size());
  read_indices(raw.data(), DType::kFloat32, 5, 3, kClipIndex, "take", indices.data());
  EXPECT_EQ(indices, (std::vector<int64_t>{0, 0, 2, 2, 2}));
  read_indices(raw.data(), DType::kFloat32, 5, 3, kWrapIndex, "take", indices.data());
  EXPECT_EQ(indices, (std::vector<int64_t>{2, 0, 2, 0, 1}));
  EXPECT_THROW(read_indices(raw.data(), DType::kFloat32, 5, 3, kRaiseIndex, "take", indices.data()), Error);
}

}  // namespace
}  // namespace mxnet
