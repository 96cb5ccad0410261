// Tasks that fail, and cancellation: the result does not depend on the number of threads.
#include "base/parallel_tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace heft {
namespace {

Result<Done> fine(std::int64_t, int) {
  return Done{};
}

TEST(ParallelTasks, CallsEveryIndexOnce) {
  for (const int threads : {1, 3}) {
    std::vector<std::atomic<int>> calls(50);
    ASSERT_TRUE(parallel_tasks(50, threads, {}, "work",
                               [&](std::int64_t index, int thread) -> Result<Done> {
                                 EXPECT_LT(thread, threads);
                                 ++calls[static_cast<std::size_t>(index)];
                                 return Done{};
                               }));
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
  EXPECT_TRUE(parallel_tasks(0, 3, {}, "work", fine));
}

TEST(ParallelTasks, TheErrorIsThatOfTheLowestIndex) {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> num_begun{0};
    const auto done =
        parallel_tasks(200, threads, {}, "work", [&](std::int64_t index, int) -> Result<Done> {
          ++num_begun;
          // the later one is ready first
          if (index == 7) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (index == 7 || index == 8) return Error{std::to_string(index), "broke", "fix it"};
          return Done{};
        });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().where, "7");
    EXPECT_LT(num_begun, 200);
  }
}

TEST(ParallelTasks, ReportsProgressOnTheCallingThreadAndCanBeStopped) {
  const auto caller = std::this_thread::get_id();
  const auto stopping = [&](const std::string& stage, double fraction) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(stage, "work");
    return fraction < 0.5;
  };
  const auto stopped_early = parallel_tasks(100, 1, stopping, "work", fine);
  ASSERT_FALSE(stopped_early);
  EXPECT_TRUE(stopped_early.error().is_stop);
  EXPECT_TRUE(
      parallel_tasks(100, 3, [&](const std::string&, double) { return true; }, "work", fine));
}

}  // namespace
}  // namespace heft
