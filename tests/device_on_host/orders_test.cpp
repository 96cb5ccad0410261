// The same bits for any order in which a device may do the work: of streams, threads and blocks, on
// any number of multiprocessors.
#include <gtest/gtest.h>

#include "tests/device_on_host/device_work.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"

namespace heft::device_on_host {
namespace {

Result<testing::Numbers> run_with(const testing::DeviceTask& task, const Settings& settings) {
  set(settings);
  return task.run(2);
}

TEST(Orders, ChangeNoBit) {
  for (const testing::DeviceTask& task : testing::device_tasks()) {
    SCOPED_TRACE(task.name);
    const Result<testing::Numbers> first =
        run_with(task, {.streams = StreamOrder::eager, .num_multiprocessors = 1});
    ASSERT_TRUE(first.ok()) << first.error().message();
    EXPECT_TRUE(task.is_right(*first));
    std::vector<Settings> all;
    for (const StreamOrder streams : {StreamOrder::eager, StreamOrder::lazy})
      for (const ThreadOrder threads : {ThreadOrder::ascending, ThreadOrder::descending})
        all.push_back({.streams = streams, .threads = threads});
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      all.push_back({.streams = StreamOrder::random,
                     .threads = ThreadOrder::random,
                     .seed = seed,
                     .num_multiprocessors = 3});
    all.push_back({.streams = StreamOrder::lazy, .num_multiprocessors = 132});
    for (const Settings& settings : all) {
      const Result<testing::Numbers> other = run_with(task, settings);
      ASSERT_TRUE(other.ok()) << other.error().message();
      EXPECT_EQ(*other, *first) << static_cast<int>(settings.streams) << ' '
                                << static_cast<int>(settings.threads) << ' ' << settings.seed << ' '
                                << settings.num_multiprocessors;
    }
  }
  set({});
}

}  // namespace
}  // namespace heft::device_on_host
