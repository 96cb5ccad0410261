// The watcher against a planar arm by its textbook equations: sums, snapshots, memory, bad input.
#include "watch/watcher.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include "tests/watch/watched_arm.hpp"

namespace {

std::atomic<long> num_allocations{0};

}  // namespace

// memory of Eigen and of the standard library comes from here; sanitizers have their own
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#define HEFT_COUNTS_ALLOCATIONS 1
#endif

namespace heft {
namespace {

Watcher watcher(const WatchOptions& options = watched_arm_options()) {
  auto made = Watcher::make(watched_arm_model(), options);
  EXPECT_TRUE(made) << made.error().message();
  return std::move(*made);
}

std::vector<WatchEvent> pushed(Watcher& watcher, const ArmSample& sample) {
  const auto events = watcher.push(sample.time, sample.q, sample.tau);
  return {events.begin(), events.end()};
}

TEST(Watcher, SumsWithoutForgettingAreThoseOfTheBatch) {
  constexpr int kSamples = 20000;
  WatchOptions options = watched_arm_options();
  options.seeks_changes = false;
  Watcher stream = watcher(options);
  WatchedArm arm;
  Eigen::ArrayXXd q(kSamples, 2), tau(kSamples, 2);
  for (int i = 0; i < kSamples; ++i) {
    const ArmSample sample = arm.next();
    q.row(i) << sample.q[0], sample.q[1];
    tau.row(i) << sample.tau[0], sample.tau[1];
    pushed(stream, sample);
  }
  const auto batch = watched_sums(stream.model(), options, q, tau);
  ASSERT_TRUE(batch) << batch.error().message();
  const Moments sums = stream.moments();
  ASSERT_EQ(sums.num_rows, batch->num_rows);
  EXPECT_GT(sums.num_rows[0], 0.9 * kSamples);
  const RegressorPlan& plan = *sums.plan;
  double largest = 0;
  for (int c = 0; c < 2; ++c) {
    const core::ChannelEntry& entry = plan.channel_entries[static_cast<std::size_t>(c)];
    const auto at = [&](const Moments& moments, int i, int j) {
      return moments.packed[static_cast<std::size_t>(entry.packed_offset +
                                                     core::packed_index(entry.width, i, j))];
    };
    for (int i = 0; i < entry.width; ++i)
      for (int j = i; j < entry.width; ++j) {
        const double difference = std::abs(at(sums, i, j) - at(*batch, i, j));
        const double scale = std::sqrt(at(*batch, i, i) * at(*batch, j, j));
        EXPECT_LE(difference, 1e-12 * scale) << i << ", " << j;
        if (scale > 0) largest = std::max(largest, difference / scale);
      }
  }
  std::printf("largest relative difference %.2e\n", largest);
}

TEST(Watcher, SumsForgetExponentially) {
  WatchOptions options = watched_arm_options();
  options.forget_s = 2, options.seeks_changes = false;
  Watcher stream = watcher(options);
  WatchedArm arm;
  for (int i = 0; i < 10000; ++i) pushed(stream, arm.next());
  // 1 + a + a^2 + .. with a = exp(-1 / (2 s 250 Hz))
  EXPECT_NEAR(stream.moments().num_rows[0], 500.5, 1);
}

TEST(Watcher, SumsOfAWindowForgetWhatIsOlder) {
  WatchOptions options = watched_arm_options();
  options.window_s = 8, options.seeks_changes = false;
  Watcher stream = watcher(options);
  WatchedArm arm;
  for (int i = 0; i < 10000; ++i) pushed(stream, arm.next());
  EXPECT_NEAR(stream.moments().num_rows[0], 8 * kRate, 8 * kRate / 16);
}

TEST(Watcher, PushAllocatesNothing) {
#ifndef HEFT_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "allocations are counted with glibc and g++, without sanitizers";
#endif
  Watcher stream = watcher();
  WatchedArm arm;
  for (int i = 0; i < 250; ++i) pushed(stream, arm.next());
  std::vector<ArmSample> samples;
  ArmChange change;
  for (int i = 0; i < 20000; ++i) {
    change.gain[1] = i > 10000 ? 0.8 : 1;
    samples.push_back(arm.next(change));
  }
  samples[5000].q[0] = std::numeric_limits<double>::quiet_NaN();
  const long before = num_allocations;
  ASSERT_GT(before, 0) << "allocations are not counted";
  std::size_t num_events = 0;
  for (const ArmSample& sample : samples)
    num_events += stream.push(sample.time, sample.q, sample.tau).size();
  EXPECT_EQ(num_allocations - before, 0);
  EXPECT_GE(num_events, 2u);
}

TEST(Watcher, SnapshotsResumeWithTheSameBits) {
  Watcher whole = watcher();
  WatchedArm arm;
  for (int i = 0; i < 6000; ++i) pushed(whole, arm.next());
  auto resumed = Watcher::resume(watched_arm_model(), watched_arm_options(), whole.snapshot());
  ASSERT_TRUE(resumed) << resumed.error().message();
  ArmChange change;
  change.payload = 0.2;
  int num_changes = 0;
  for (int i = 0; i < 6000; ++i) {
    const ArmSample sample = arm.next(change);
    const auto a = pushed(whole, sample), b = pushed(*resumed, sample);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_STREQ(a[k].what, b[k].what);
      EXPECT_EQ(a[k].size, b[k].size);
      ++num_changes;
    }
  }
  EXPECT_GT(num_changes, 0);
  EXPECT_EQ(whole.error_relative(), resumed->error_relative());
  EXPECT_EQ(whole.moments().packed, resumed->moments().packed);
  EXPECT_TRUE(whole.snapshot() == resumed->snapshot());
}

TEST(Watcher, SnapshotsOfOthersAreRefused) {
  Watcher stream = watcher();
  const std::string snapshot = stream.snapshot();
  WatchModel other = watched_arm_model();
  other.parameters[0] += 0.1;
  EXPECT_FALSE(Watcher::resume(std::move(other), watched_arm_options(), snapshot));
  WatchOptions options = watched_arm_options();
  options.forget_s = 60;
  EXPECT_FALSE(Watcher::resume(watched_arm_model(), options, snapshot));
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, snapshot.size() - 1})
    EXPECT_FALSE(
        Watcher::resume(watched_arm_model(), watched_arm_options(), snapshot.substr(0, length)));
  EXPECT_FALSE(Watcher::resume(watched_arm_model(), watched_arm_options(), snapshot + "x"));
  EXPECT_TRUE(Watcher::resume(watched_arm_model(), watched_arm_options(), snapshot));
}

TEST(Watcher, AnswersAreCertifiedInAnotherThread) {
  Watcher stream = watcher();
  WatchedArm arm;
  std::atomic<bool> is_over{false};
  long long solved = 0;
  std::thread solver([&] {
    while (!is_over)
      if (stream.solve_if_due())
        ++solved;
      else
        std::this_thread::yield();
  });
  for (int i = 0; i < 15000; ++i) pushed(stream, arm.next());
  is_over = true;
  solver.join();
  while (stream.solve_if_due()) ++solved;
  const WatchAnswer answer = stream.answer();
  EXPECT_EQ(answer.number, solved);
  ASSERT_GT(solved, 1);
  EXPECT_TRUE(answer.certified);
  const WatchModel& model = stream.model();
  const ParameterLayout& layout = model.model.plan->layout;
  // the moment of the outer link about its joint, which the log decides
  EXPECT_NEAR(answer.parameters[layout.index(1, core::kMcx)], kMass2 * kCenter2, 0.01);
}

int errors(const std::vector<WatchEvent>& events, const std::string& part) {
  int count = 0;
  for (const WatchEvent& event : events)
    if (event.type == WatchEvent::Type::error &&
        std::string(event.what).find(part) != std::string::npos)
      ++count;
  return count;
}

TEST(Watcher, SkippedSamplesAreMissing) {
  Watcher stream = watcher();
  WatchedArm arm;
  for (int i = 0; i < 1000; ++i) pushed(stream, arm.next());
  const long long before = stream.num_samples();
  for (int i = 0; i < 10; ++i) {
    ArmSample sample = arm.next();
    sample.tau[0] = std::numeric_limits<double>::quiet_NaN();
    pushed(stream, sample);
  }
  EXPECT_EQ(errors(pushed(stream, arm.next()), "missing"), 1);
  // the filter settles again
  for (int i = 0; i < 20; ++i) pushed(stream, arm.next());
  EXPECT_EQ(stream.num_samples(), before);
}

TEST(Watcher, StepsOfACoarseEncoderAreNoJumps) {
  // 1024 counts per turn, most of them several samples apart
  constexpr double kCount = 2 * 3.14159265358979 / 1024;
  Watcher stream = watcher();
  WatchedArm arm;
  arm.amplitude = 0.05;
  for (int i = 0; i < 5000; ++i) {
    ArmSample sample = arm.next();
    for (double& q : sample.q) q = kCount * std::round(q / kCount);
    pushed(stream, sample);
  }
  EXPECT_GT(stream.num_samples(), 3500);
}

TEST(Watcher, ARateThatFallsIsAnEvent) {
  for (const int every : {2, 4, 50}) {
    Watcher stream = watcher();
    WatchedArm arm;
    for (int i = 0; i < 1000; ++i) pushed(stream, arm.next());
    const long long before = stream.num_samples();
    int changed = 0;
    for (int i = 0; i < 1000 * every; ++i) {
      const ArmSample sample = arm.next();
      if (i % every == 0) changed += errors(pushed(stream, sample), "rate of the samples");
    }
    EXPECT_GE(changed, 1) << every;
    EXPECT_LT(stream.num_samples() - before, 100) << every;
  }
}

TEST(Watcher, OptionsThatDoNotFitTheRateAreRefused) {
  for (const auto& [options, where] :
       {std::pair(WatchOptions{.rate_hz = 0}, "rate"),
        std::pair(WatchOptions{.rate_hz = kRate, .forget_s = -1}, "forget"),
        std::pair(WatchOptions{.rate_hz = kRate, .forget_s = 1e-9}, "forget"),
        std::pair(WatchOptions{.rate_hz = kRate, .window_s = -1}, "window_s"),
        std::pair(WatchOptions{.rate_hz = kRate / 1000}, "conditioning.lowpass_hz"),
        std::pair(WatchOptions{.rate_hz = kRate * 1e6}, "conditioning.lowpass_hz")}) {
    const auto made = Watcher::make(watched_arm_model(), options);
    ASSERT_FALSE(made) << where;
    EXPECT_EQ(made.error().where, where);
  }
}

TEST(Watcher, BadSamplesAreEventsAndNoMore) {
  Watcher stream = watcher();
  WatchedArm arm;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(pushed(stream, arm.next()).empty());
  ArmSample sample = arm.next();
  sample.tau[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(errors(pushed(stream, sample), "torque of elbow"), 1);
  sample = arm.next();
  EXPECT_TRUE(pushed(stream, sample).empty());
  EXPECT_EQ(errors(pushed(stream, sample), "row before"), 1);
  const double few[] = {0.0};
  const auto events = stream.push(sample.time + 0.004, few, sample.tau);
  EXPECT_EQ(errors({events.begin(), events.end()}, "different number of joints"), 1);
  ArmSample early = arm.next();
  early.time = 1;
  EXPECT_EQ(errors(pushed(stream, early), "jumps back"), 1);
  EXPECT_EQ(errors(pushed(stream, arm.next()), "missing"), 1);
  const long long before = stream.num_samples();
  int changed = 0;
  for (int i = 0; i < 2000; ++i) {
    sample = arm.next();
    sample.time = sample.time / 2 + 100;  // twice the rate
    changed += errors(pushed(stream, sample), "rate of the samples");
  }
  EXPECT_GE(changed, 1);
  EXPECT_LT(stream.num_samples() - before, 100);
  EXPECT_TRUE(std::isfinite(stream.error_relative()));
}

}  // namespace
}  // namespace heft
