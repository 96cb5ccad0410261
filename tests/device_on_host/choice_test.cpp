// What `backend: auto` chooses where a CUDA driver is installed, with the device that the host
// emulates.
#include <gtest/gtest.h>

#include "executor/backend_choice.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"

namespace heft::device_on_host {
namespace {

constexpr int kOfH100 = 132;
constexpr BackendWork kSmall{.samples = 2000, .products = 7e6, .problems = 200, .unknowns = 84};
/// Too large for any processor.
constexpr BackendWork kLarge{.samples = 1e12, .products = 1e17, .bytes_up = 1e15};

class BackendByChoice : public testing::Test {
 protected:
  void TearDown() override { set({}); }

  static ChosenExecutor chosen(const BackendWork& work, BackendKind kind = BackendKind::automatic) {
    auto made = choose_executor({.kind = kind, .threads = 1}, work);
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
};

TEST_F(BackendByChoice, IsTheDeviceForMuchWork) {
  set({.num_multiprocessors = kOfH100});
  const ChosenExecutor found = chosen(kLarge);
  EXPECT_TRUE(found.executor->has_device());
  EXPECT_TRUE(found.because.starts_with("on the device: 1e+12 samples take about "))
      << found.because;
}

TEST_F(BackendByChoice, DoesNotStartADeviceForLittleWork) {
  set({.num_multiprocessors = kOfH100});
  const ChosenExecutor found = chosen(kSmall);
  EXPECT_FALSE(found.executor->has_device());
  EXPECT_TRUE(found.because.starts_with("on the CPU: 2000 samples and 200 problems take about "))
      << found.because;
  EXPECT_NE(found.because.find("a device takes 0.4 s to start"), std::string::npos);
  EXPECT_EQ(num_calls_that_can_fail(), 1);  // for the version of the driver
}

TEST_F(BackendByChoice, IsTheSameOnAnyNumberOfRequestedThreads) {
  set({.num_multiprocessors = kOfH100});
  const auto because = [](int threads) {
    return (*choose_executor({.threads = threads}, kLarge)).because;
  };
  EXPECT_EQ(because(1), because(3));
}

TEST_F(BackendByChoice, IsTheHostIfTheDeviceIsSlow) {
  set({.num_multiprocessors = 1});
  const ChosenExecutor found = chosen(kLarge);
  EXPECT_FALSE(found.executor->has_device());
  EXPECT_NE(found.because.find("a device must take less than half"), std::string::npos)
      << found.because;
}

TEST_F(BackendByChoice, IsTheHostIfNoDeviceResponds) {
  set({.driver_version = 11080});
  const ChosenExecutor found = chosen(kLarge);
  EXPECT_FALSE(found.executor->has_device());
  EXPECT_TRUE(found.because.starts_with("on the CPU: the CUDA driver is too old")) << found.because;
}

TEST_F(BackendByChoice, IsTheHostWithoutAReasonIfThereIsNoDriver) {
  set({.is_there = false});
  const ChosenExecutor found = chosen(kLarge);
  EXPECT_FALSE(found.executor->has_device());
  EXPECT_EQ(found.because, "");
  EXPECT_EQ(compared_times(kLarge), "");
}

TEST_F(BackendByChoice, IsTheHostIfTheDeviceFailsAtItsStart) {
  int num_on_device = 0;
  for (int fail_at = 1; num_on_device == 0; ++fail_at) {
    set({.num_multiprocessors = kOfH100, .fail_at = fail_at, .fault = Fault::sticky});
    const ChosenExecutor found = chosen(kLarge);
    num_on_device += found.executor->has_device();
    EXPECT_EQ(found.because.starts_with("on the device"), found.executor->has_device())
        << fail_at << ": " << found.because;
    ASSERT_LT(fail_at, 200);
  }
}

TEST_F(BackendByChoice, IsNoneForARequest) {
  set({.num_multiprocessors = kOfH100});
  EXPECT_TRUE(chosen(kSmall, BackendKind::cuda).executor->has_device());
  EXPECT_EQ(chosen(kSmall, BackendKind::cuda).because, "");
  EXPECT_FALSE(chosen(kLarge, BackendKind::cpu).executor->has_device());
  EXPECT_EQ(chosen(kLarge, BackendKind::cpu).because, "");
}

TEST_F(BackendByChoice, ComparesTimesWithoutAChoice) {
  const std::string times = compared_times(kSmall);
  EXPECT_NE(times.find("200 problems take about "), std::string::npos) << times;
  EXPECT_TRUE(times.ends_with(" with an H100")) << times;
}

}  // namespace
}  // namespace heft::device_on_host
