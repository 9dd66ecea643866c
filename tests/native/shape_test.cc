#include <gtest/gtest.h>

#include "tensor/ndarray.h"
#include "tensor/shape.h"

namespace mxnet {
namespace {

TEST(Shape, ReadsEverySpelling) {
  EXPECT_EQ(*parse_shape("(2, 3)"), (Shape{2, 3}));
  EXPECT_EQ(*parse_shape("[2,3]"), (Shape{2, 3}));
  EXPECT_EQ(*parse_shape("(2,)"), (Shape{2}));
  EXPECT_EQ(*parse_shape("()"), Shape::scalar());
  EXPECT_EQ(*parse_shape("7"), (Shape{7}));
  EXPECT_EQ(*parse_shape("(3L, 4L)"), (Shape{3, 4}));
  EXPECT_EQ(*parse_shape("(None, 4)"), (Shape{-1, 4}));
  for (const char* bad : {"", "(", "(1", "(1;2)", "(1,2", "x", "(1,,2)", "(1)2"}) EXPECT_FALSE(parse_shape(bad)) << bad;
}

TEST(Shape, SizeIsCheckedAgainstOverflow) {
  EXPECT_EQ((Shape{2, 3, 4}).size(), 24);
  EXPECT_THROW((Shape{int64_t{1} << 40, int64_t{1} << 40}).size(), Error);
  EXPECT_THROW((Shape{2, -1}).size(), Error);
}

TEST(Shape, Broadcasts) {
  EXPECT_EQ(broadcast_shape({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
  EXPECT_THROW(broadcast_shape({2, 3}, {4, 5}), Error);
}

TEST(Shape, ReshapeCodes) {
  const Shape in{2, 3, 4};
  EXPECT_EQ(resolve_reshape(in, {4, 0, 2}, false), (Shape{4, 3, 2}));
  EXPECT_EQ(resolve_reshape(in, {6, 1, -1}, false), (Shape{6, 1, 4}));
  EXPECT_EQ(resolve_reshape(in, {-2, 1, 1}, false), (Shape{2, 3, 4, 1, 1}));
  EXPECT_EQ(resolve_reshape(in, {-3, 4}, false), (Shape{6, 4}));
  EXPECT_EQ(resolve_reshape(in, {-4, 1, 2, -2}, false), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(resolve_reshape(in, {2, -4, -1, 3, -2}, false), (Shape{2, 1, 3, 4}));
  EXPECT_EQ(resolve_reshape({10, 5, 4}, {-1, 0}, true), (Shape{50, 4}));
  EXPECT_THROW(resolve_reshape(in, {5, -1}, false), Error);
  EXPECT_THROW(resolve_reshape(in, {-1, -1}, false), Error);
  EXPECT_THROW(resolve_reshape(in, {-5}, false), Error);
}

TEST(Half, RoundTripsEveryFiniteValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_bits_to_float(static_cast<uint16_t>(bits));
    if (value != value) continue;
    EXPECT_EQ(float_to_half_bits(value), bits);
  }
  EXPECT_EQ(float_to_half_bits(65520.0f), 0x7c00);  // rounds to infinity
  EXPECT_EQ(float_to_half_bits(1e-8f), 0);
}

TEST(NDArray, ViewsShareMemory) {
  const NDArray a(Shape{3, 4}, DType::kFloat32);
  for (int i = 0; i < 12; ++i) a.data_as<float>()[i] = static_cast<float>(i);
  EXPECT_EQ(a.at(1).data_as<float>()[0], 4.0f);
  EXPECT_EQ(a.slice(1, 3).shape(), (Shape{2, 4}));
  EXPECT_EQ(a.reshape({12}).data(), a.data());
  EXPECT_THROW(a.reshape({5}), Error);
  EXPECT_THROW(a.at(3), Error);
  EXPECT_THROW(a.slice(2, 1), Error);
}

TEST(NDArray, RefusesWhatCannotBe) {
  EXPECT_THROW(NDArray(Shape{int64_t{1} << 62}, DType::kFloat64), Error);
  EXPECT_THROW(NDArray(Shape{-1}, DType::kFloat32), Error);
  EXPECT_THROW(NDArray(Shape{2}, DType::kFloat32, Context{DeviceType::kGPU, 0}), Error);
}

}  // namespace
}  // namespace mxnet
