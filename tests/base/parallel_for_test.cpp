// Every task runs once, for any caller in any thread; helpers are kept.
#include "base/parallel_for.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace heft {
namespace {

int num_threads_now() {
  int count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

void expect_every_task_once(int num_tasks, int num_threads) {
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(num_tasks));
  parallel_for(num_tasks, num_threads, [&](std::int64_t k, int thread) {
    EXPECT_GE(thread, 0);
    EXPECT_LT(thread, num_threads);
    ++calls[static_cast<std::size_t>(k)];
  });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, CallsEveryTaskOnceWithFewThreadsAndMany) {
  for (const int num_threads : {1, 2, 5})
    for (const int num_tasks : {0, 1, 3, 1000}) expect_every_task_once(num_tasks, num_threads);
}

TEST(ParallelFor, MakesNoThreadWhileHelpersAreIdle) {
  const int before = num_threads_now();  // another test may have left more helpers
  for (int call = 0; call < 500; ++call) expect_every_task_once(100, 4);
  const int now = num_threads_now();  // on a busy machine some helpers are made late
  EXPECT_GT(now, 1);
  EXPECT_LE(now, std::max(4, before));
}

TEST(ParallelFor, TasksMayCallItThemselves) {
  std::atomic<int> count{0};
  parallel_for(6, 3, [&](std::int64_t, int) {
    parallel_for(
        7, 3, [&](std::int64_t, int) { parallel_for(2, 2, [&](std::int64_t, int) { ++count; }); });
  });
  EXPECT_EQ(count, 6 * 7 * 2);
}

TEST(ParallelFor, WaitsForItsHelpersWhenATaskThrows) {
  std::atomic<bool> has_thrown{false};
  std::atomic<int> begun{0}, ended{0};
  EXPECT_THROW(parallel_for(100, 3,
                            [&](std::int64_t, int thread) {
                              if (thread == 0) {
                                has_thrown = true;
                                throw std::runtime_error("stop");
                              }
                              ++begun;
                              // or helpers might take all tasks before the caller takes one
                              while (!has_thrown) std::this_thread::yield();
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                              ++ended;
                            }),
               std::runtime_error);
  EXPECT_EQ(begun, ended);
  EXPECT_EQ(begun, 99);
  expect_every_task_once(100, 3);
}

TEST(ParallelFor, WorksInAForkedProcess) {
  expect_every_task_once(100, 3);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> count{0};
    parallel_for(100, 3, [&](std::int64_t, int) { ++count; });
    _exit(count == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// where memory ends, it ends for helpers as for everybody
TEST(ParallelFor, RethrowsExceptionsOfHelpersInTheCaller) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> num_done{0};
    const auto task = [&](std::int64_t, int thread) {
      ++num_done;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // so that every thread has one
      if (thread > 0) throw std::bad_alloc();
    };
    EXPECT_THROW(parallel_for(8, 4, task), std::bad_alloc);
    EXPECT_GT(num_done, 1);
  }
  // and the helpers go on
  std::atomic<int> num_done{0};
  parallel_for(100, 4, [&](std::int64_t, int) { ++num_done; });
  EXPECT_EQ(num_done, 100);
}

}  // namespace
}  // namespace heft
