// begin_work(): the result does not depend on the thread, and the work ends before its future.
#include "base/begun_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "base/stop_at_exit.hpp"

namespace heft {
namespace {

TEST(BegunWork, RunsInAnotherThreadOrWhenAskedFor) {
  const auto caller = std::this_thread::get_id();
  for (const bool beside : {true, false}) {
    auto worker = begin_work(beside, [] { return std::this_thread::get_id(); });
    EXPECT_EQ(worker.get() != caller, beside);
  }
}

TEST(BegunWork, OfNoUseIsNotBegunInTheCaller) {
  bool has_run = false;
  {
    auto ignored = begin_work(false, [&] { has_run = true; });
  }
  EXPECT_FALSE(has_run);
}

TEST(BegunWork, EndsBeforeItsFuture) {
  std::atomic<bool> is_over{false};
  {
    auto ignored = begin_work(true, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_over = true;
    });
  }
  EXPECT_TRUE(is_over);
}

TEST(BegunWork, ThrowsInTheCaller) {
  for (const bool beside : {true, false}) {
    auto failing = begin_work(beside, []() -> int { throw std::bad_alloc(); });
    EXPECT_THROW(failing.get(), std::bad_alloc);
  }
}

TEST(BegunWork, OwnsWhatItIsGiven) {
  for (const bool beside : {true, false}) {
    auto number = std::make_shared<int>(7);
    auto work = begin_work(beside, [number] { return *number; });
    number.reset();
    EXPECT_EQ(work.get(), 7);
  }
}

TEST(BegunWork, StopsAtTheExitOfItsCaller) {
  std::atomic<int> num_reports{0};
  const auto call = [&](bool leaves_early) -> Result<int> {
    std::future<Result<int>> number;
    const StopAtExit ends;
    number = begin_work(true, [&, told = ends.progress(), leaves_early]() -> Result<int> {
      for (int k = 0; leaves_early || k < 10; ++k, ++num_reports)
        HEFT_CHECK(report_progress(told, "work", 0));
      return 10;
    });
    if (leaves_early) return Error{"", "an error of the caller", "none"};
    return number.get();
  };
  EXPECT_EQ(*call(false), 10);
  EXPECT_EQ(num_reports, 10);
  EXPECT_FALSE(call(true).ok());  // work without end
}

TEST(BegunWork, ThatIsAwaitedCanBeStopped) {
  int num_reports = 0;
  const auto call = [&](bool beside, int stop_at) -> Result<int> {
    std::future<Result<int>> number;
    const StopAtExit ends;
    number = begin_work(beside, [told = ends.progress(), stop_at]() -> Result<int> {
      while (stop_at >= 0) HEFT_CHECK(report_progress(told, "work", 0));
      return 10;
    });
    num_reports = 0;
    const Progress progress = [&](const std::string& stage, double) {
      EXPECT_EQ(stage, "waiting");
      return num_reports++ != stop_at;
    };
    return awaited(number, progress, "waiting");
  };
  const Result<int> stopped_work = call(true, 1);  // work without end
  ASSERT_FALSE(stopped_work.ok());
  EXPECT_TRUE(stopped_work.error().is_stop);
  EXPECT_EQ(num_reports, 2);
  for (const bool beside : {true, false}) EXPECT_EQ(*call(beside, -1), 10);
  EXPECT_EQ(num_reports, 0);
}

}  // namespace
}  // namespace heft
