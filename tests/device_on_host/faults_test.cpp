// Every call of the CUDA runtime fails once: the result is an Error or correct nevertheless,
// nothing is left behind, and the next call of the same backend or solver works. A lack of memory
// that passes is overcome by smaller transfers, which make more calls.
#include <gtest/gtest.h>

#include "tests/device_on_host/device_work.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"

namespace heft::device_on_host {
namespace {

using testing::DeviceTask;
using testing::Numbers;

/// The calls that `task` makes, when none fails.
std::int64_t calls_of(const DeviceTask& task, int runs) {
  set({});
  EXPECT_TRUE(task.run(runs).ok()) << task.name;
  return num_calls_that_can_fail();
}

void expect_error_or_right(const DeviceTask& task, const Result<Numbers>& result,
                           std::int64_t call) {
  if (result.ok()) {
    EXPECT_TRUE(task.is_right(*result)) << task.name << ", call " << call;
    return;
  }
  EXPECT_FALSE(result.error().where.empty()) << task.name << ", call " << call;
  EXPECT_FALSE(result.error().what.empty()) << task.name << ", call " << call;
}

TEST(Faults, AreErrorsAndLeaveNothingBehind) {
  for (const DeviceTask& task : testing::device_tasks())
    for (const Fault fault : {Fault::once, Fault::sticky}) {
      const std::int64_t calls = calls_of(task, 1);
      int errors = 0, overcome = 0;
      for (std::int64_t call = 1; call <= calls; ++call) {
        set({.fail_at = call, .fault = fault});
        const Result<Numbers> result = task.run(1);
        expect_error_or_right(task, result, call);
        errors += !result.ok();
        overcome += result.ok() && num_calls_that_can_fail() > calls;
        EXPECT_EQ(holdings(), Holdings{}) << task.name << ", call " << call;
      }
      constexpr int kUnheard = 3;  // streams that are waited for at the end, whatever came of them
      EXPECT_GE(errors + overcome, calls - kUnheard) << task.name;
    }
  set({});
}

TEST(Faults, TheNextCallWorks) {
  for (const DeviceTask& task : testing::device_tasks()) {
    const std::int64_t first = calls_of(task, 0) + 1, last = calls_of(task, 1);  // behind what
                                                                                 // makes the
                                                                                 // backend
    EXPECT_LT(first, last) << task.name;
    for (std::int64_t call = first; call <= last; ++call) {
      set({.fail_at = call});
      const Result<Numbers> result = task.run(2);
      ASSERT_TRUE(result.ok()) << task.name << ", call " << call << ": "
                               << result.error().message();
      EXPECT_TRUE(task.is_right(*result)) << task.name << ", call " << call;
    }
  }
  set({});
}

TEST(Faults, MemoryThatDoesNotSufficeIsAnError) {
  for (const DeviceTask& task : testing::device_tasks())
    for (std::size_t memory = 256; memory < 200'000; memory *= 3) {
      set({.memory_bytes = memory});
      expect_error_or_right(task, task.run(1), static_cast<std::int64_t>(memory));
      EXPECT_EQ(holdings(), Holdings{}) << task.name << ", " << memory << " bytes";
    }
  set({.memory_bytes = 0});
  for (const DeviceTask& task : testing::device_tasks())
    EXPECT_FALSE(task.run(1).ok()) << task.name;
  set({});
}

TEST(Faults, NoDeviceIsAnError) {
  set({.is_there = false});
  for (const DeviceTask& task : testing::device_tasks())
    EXPECT_FALSE(task.run(1).ok()) << task.name;
  set({});
}

}  // namespace
}  // namespace heft::device_on_host
