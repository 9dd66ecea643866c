#include "engine/engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace mxnet {
namespace {

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

TEST(Engine, KeepsTheOrderOfWritesAndReads) {
  const NDArray a(Shape{1}, DType::kInt32);
  int* value = a.data_as<int>();
  *value = 0;
  std::atomic<int> seen{-1};
  push_sync([=] { nap(); *value = 1; }, {}, {a.storage()});
  push_sync([=, &seen] { seen = *value; }, {a.storage()}, {});
  push_sync([=] { *value = 2; }, {}, {a.storage()});
  wait_to_write(a);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(*value, 2);
}

TEST(Engine, ManyOperationsOnFewVariables) {
  std::vector<NDArray> arrays;
  for (int i = 0; i < 4; ++i) {
    arrays.emplace_back(Shape{1}, DType::kInt64);
    *arrays[i].data_as<int64_t>() = 0;
  }
  for (int i = 0; i < 2000; ++i) {
    const NDArray from = arrays[i % 4];
    const NDArray to = arrays[(i + 1) % 4];
    push_sync([=] { *to.data_as<int64_t>() += 1 + 0 * *from.data_as<int64_t>(); }, {from.storage()}, {to.storage()});
  }
  wait_all();
  int64_t sum = 0;
  for (const NDArray& a : arrays) sum += *a.data_as<int64_t>();
  EXPECT_EQ(sum, 2000);
}

TEST(Engine, AnErrorSurfacesOnceAtTheWait) {
  const NDArray a(Shape{1}, DType::kFloat32);
  push_sync([] { fail("the work went wrong"); }, {}, {a.storage()});
  EXPECT_THROW(wait_to_read(a), Error);
  EXPECT_NO_THROW(wait_to_read(a));
  EXPECT_NO_THROW(wait_all());
}

TEST(Engine, AsynchronousCompletionFromAnotherThread) {
  const NDArray a(Shape{1}, DType::kInt32);
  *a.data_as<int>() = 0;
  std::thread finisher;
  push_async(
      [&](OnComplete done) {
        finisher = std::thread([=] {
          nap();
          *a.data_as<int>() = 5;
          done(nullptr);
        });
      },
      {}, {a.storage()});
  wait_to_read(a);
  EXPECT_EQ(*a.data_as<int>(), 5);
  finisher.join();
}

}  // namespace
}  // namespace mxnet
