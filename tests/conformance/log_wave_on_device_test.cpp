// Logs conditioned together by a device, against condition_log().
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/condition_cuda.hpp"
#include "tests/device_on_host/conditioning_work.hpp"

namespace heft {
namespace {

class LogsOnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto made = make_cuda_conditioner();
    if (made) return;
    if (std::getenv("HEFT_REQUIRE_GPU")) FAIL() << made.error().message();
    GTEST_SKIP() << made.error().message();
  }
};

void expect_right(const testing::DeviceTask& task) {
  const Result<testing::Numbers> found = task.run(2);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_TRUE(task.is_right(*found));
}

TEST_P(LogsOnDevice, HaveTheSamplesOfTheHost) {
  expect_right(testing::conditioned_logs("one wave", 1 << 30));
}

TEST_P(LogsOnDevice, HaveThemInSeveralWaves) {
  expect_right(testing::conditioned_logs("several waves", 100'000));
}

INSTANTIATE_TEST_SUITE_P(, LogsOnDevice, ::testing::Values("cuda"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace heft
