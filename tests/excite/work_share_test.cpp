// Batches that several threads share: every task runs once, owners wait for helpers, and exceptions
// reach the owner.
#include "host/applications/excite/work_share.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace heft::excite {
namespace {

/// Threads that help until the test ends.
class Helpers {
 public:
  Helpers(WorkShare& share, int count) : share_(share) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([&] { share_.help(); });
  }
  ~Helpers() {
    share_.close();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  WorkShare& share_;
  std::vector<std::thread> threads_;
};

TEST(WorkShare, EveryTaskRunsOnceAndIsDoneWhenRunReturns) {
  WorkShare share;
  const Helpers helpers(share, 3);
  std::vector<std::thread> owners;
  std::atomic<int> wrong{0};
  for (int owner = 0; owner < 4; ++owner)
    owners.emplace_back([&] {
      for (const int count : {0, 1, 2, 50, 500}) {
        std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
        share.run(count, [&](std::int64_t i, int) { ++times[static_cast<std::size_t>(i)]; });
        for (const auto& number : times) wrong += number == 1 ? 0 : 1;
      }
    });
  for (std::thread& owner : owners) owner.join();
  EXPECT_EQ(wrong, 0);
}

TEST(WorkShare, HelpersTakePartAndOwnersAreTold) {
  WorkShare share;
  const Helpers helpers(share, 1);
  std::atomic<int> by_owner{0}, by_helper{0};
  const std::thread::id here = std::this_thread::get_id();
  // the owner's task waits for the helper's
  share.run(2, [&](std::int64_t, int helper) {
    EXPECT_EQ(helper == 0, std::this_thread::get_id() == here);
    ++(helper == 0 ? by_owner : by_helper);
    while (helper == 0 && by_helper == 0) std::this_thread::yield();
  });
  EXPECT_EQ(by_owner, 1);
  EXPECT_EQ(by_helper, 1);
}

TEST(WorkShare, ExceptionsReachTheOwner) {
  WorkShare share;
  const Helpers helpers(share, 1);
  std::atomic<int> num_begun{0};
  std::atomic<bool> has_thrown{false};
  for (const int thrower : {0, 1}) {
    num_begun = 0;
    has_thrown = false;
    EXPECT_THROW(share.run(100000,
                           [&](std::int64_t, int helper) {
                             ++num_begun;
                             while (helper != thrower && !has_thrown) std::this_thread::yield();
                             if (helper != thrower) return;
                             has_thrown = true;
                             throw std::runtime_error("no memory");
                           }),
                 std::runtime_error);
    EXPECT_LT(num_begun, 100000);
  }
  std::atomic<int> num_done{0};
  share.run(3, [&](std::int64_t, int) { ++num_done; });  // still usable
  EXPECT_EQ(num_done, 3);
}

}  // namespace
}  // namespace heft::excite
