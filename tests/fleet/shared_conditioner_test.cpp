// Workers that meet at a device of which the test decides what it does.
#include "shared_conditioner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace heft {
namespace {

/// Makes samples that are the stamps of a segment, negated.
class NegatingDevice final : public DeviceConditioner {
 public:
  std::string description() const override { return "negating"; }
  bool takes(const RawSegment&) const override { return true; }
  DeviceWork work() const override { return work_; }

  Result<std::vector<ConditionedSegment>> condition(std::span<const RawSegment> segments) override {
    EXPECT_FALSE(is_busy.exchange(true)) << "two waves at a time";
    sizes.push_back(segments.size());
    const bool fails = std::ssize(sizes) == fails_at;
    std::vector<ConditionedSegment> conditioned;
    for (const RawSegment& segment : segments) {
      const Eigen::Map<const Eigen::ArrayXd> time(segment.time.data(), segment.num_rows());
      conditioned.push_back({.samples = {.time = -time}, .num_uniform = segment.num_uniform});
      work_.bytes_up += 8 * segment.num_rows();
    }
    work_.launches += 3;
    is_busy = false;
    if (fails) return Error{"the device", "is lost", ""};
    return conditioned;
  }

  std::vector<std::size_t> sizes;  ///< of the waves
  int fails_at = 0;                ///< number of the wave that fails
  std::atomic<bool> is_busy = false;

 private:
  DeviceWork work_;
};

RawSegment segment_of(std::size_t task) {
  RawSegment segment{.plan = std::make_shared<const SegmentPlan>()};
  for (std::size_t row = 0; row <= task % 5; ++row)
    segment.time.push_back(static_cast<double>(100 * task + row));
  segment.num_uniform = segment.num_rows();
  return segment;
}

class SharedDevice : public testing::Test {
 protected:
  void share(int num_cores, std::int64_t max_bytes = SharedConditioner::kMaxBytes) {
    shared_ = std::make_shared<SharedConditioner>(device_, num_cores, max_bytes);
    pool_ = std::make_unique<WorkPool>(num_cores, 0, Progress());
  }

  /// Conditions a segment for every task in a run of the pool; returns the tasks that failed.
  int run(std::size_t num_tasks, int workers_per_core) {
    pool_->use_gate(shared_, workers_per_core * pool_->num_threads());
    std::atomic<int> num_failed = 0, num_working = 0;
    const int num_cores = pool_->num_threads();
    pool_->run("map", "logs", num_tasks, [&](std::size_t task, const Progress&) {
      EXPECT_LE(++num_working, num_cores);
      const RawSegment segment = segment_of(task);
      --num_working;  // waits
      const auto wave = shared_->condition({&segment, 1}, task / 2);
      EXPECT_LE(++num_working, num_cores);
      --num_working;
      if (!wave) {
        ++num_failed;
        return;
      }
      ASSERT_EQ(wave->segments.size(), 1U);
      const Eigen::Map<const Eigen::ArrayXd> time(segment.time.data(), segment.num_rows());
      ASSERT_EQ(wave->segments[0].samples.time.size(), time.size());
      EXPECT_TRUE((wave->segments[0].samples.time == -time).all());
    });
    return num_failed;
  }

  std::shared_ptr<NegatingDevice> device_ = std::make_shared<NegatingDevice>();
  std::shared_ptr<SharedConditioner> shared_;
  std::unique_ptr<WorkPool> pool_;
};

TEST_F(SharedDevice, ConditionsTheLogsOfAllWorkersInOneWave) {
  share(2);
  EXPECT_EQ(run(8, 4), 0);
  EXPECT_EQ(device_->sizes, std::vector<std::size_t>{8});
  EXPECT_EQ(run(24, 4), 0);  // a worker has several, one after the other
  EXPECT_EQ(device_->sizes, (std::vector<std::size_t>{8, 8, 8, 8}));
}

TEST_F(SharedDevice, NeedsSeveralWavesIfTheMemoryIsSmall) {
  share(3, 3 * 2 * 8 * 5);  // of the three longest segments, whose samples are their stamps
  EXPECT_EQ(run(12, 4), 0);
  EXPECT_GE(device_->sizes.size(), 3U);
  EXPECT_EQ(std::accumulate(device_->sizes.begin(), device_->sizes.end(), std::size_t{0}), 12U);
  share(1, 0);  // a wave for every log
  device_->sizes.clear();
  EXPECT_EQ(run(4, 4), 0);
  EXPECT_EQ(device_->sizes, (std::vector<std::size_t>{1, 1, 1, 1}));
}

TEST_F(SharedDevice, LeavesCoresToWorkersThatHoldMuchMemory) {
  share(2);
  pool_->use_gate(shared_, 8);
  std::atomic<int> num_holding = 0;
  pool_->run("solve", "robots", 12, [&](std::size_t robot, const Progress&) {
    RobotConditioner own(*shared_, robot);
    const RawSegment segment = segment_of(robot);
    own.lend_core_once();
    EXPECT_TRUE(own.condition({&segment, 1}));
    EXPECT_LE(++num_holding, 2);
    EXPECT_TRUE(own.condition({&segment, 1}));
    --num_holding;
  });
  EXPECT_EQ(std::accumulate(device_->sizes.begin(), device_->sizes.end(), std::size_t{0}), 24U);
  EXPECT_EQ(device_->sizes.front(), 8U);
  EXPECT_EQ(device_->sizes[1], 2U);
}

TEST_F(SharedDevice, DoesNotWaitForWorkersThatEnd) {
  share(2);
  pool_->use_gate(shared_, 8);
  const RawSegment segment = segment_of(4);
  pool_->run("map", "logs", 8, [&](std::size_t task, const Progress&) {
    if (task % 2 == 1) return;
    EXPECT_TRUE(shared_->condition({&segment, 1}, task));
  });
  EXPECT_EQ(std::accumulate(device_->sizes.begin(), device_->sizes.end(), std::size_t{0}), 4U);
}

TEST_F(SharedDevice, ServesWorkersThatWaitWhenTheRunIsStopped) {
  std::atomic<bool> goes_on = true;
  std::atomic<std::size_t> num_begun = 0, num_served = 0;
  shared_ = std::make_shared<SharedConditioner>(device_, 2);
  pool_ =
      std::make_unique<WorkPool>(2, 0, [&](const std::string&, double) { return goes_on.load(); });
  pool_->use_gate(shared_, 16);
  constexpr std::size_t kTasks = 10000;
  EXPECT_FALSE(pool_->run("map", "logs", kTasks, [&](std::size_t task, const Progress&) {
    ++num_begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const RawSegment segment = segment_of(task);
    num_served += shared_->condition({&segment, 1}, task).ok();
    if (task >= 20) goes_on = false;
  }));
  EXPECT_TRUE(pool_->is_stopped());
  EXPECT_EQ(num_served, num_begun);
  EXPECT_LT(num_begun, kTasks);
}

TEST_F(SharedDevice, ConditionsOneLogAtATimeWithASingleWorker) {
  share(1);
  EXPECT_EQ(run(3, 1), 0);
  EXPECT_EQ(device_->sizes, (std::vector<std::size_t>{1, 1, 1}));
}

TEST_F(SharedDevice, ServesAThreadThatIsNoWorkerAtOnce) {
  share(1);
  shared_->expect(2);  // who never come
  const RawSegment segment = segment_of(3);
  EXPECT_TRUE(shared_->condition({&segment, 1}, 0));
  EXPECT_EQ(device_->sizes, std::vector<std::size_t>{1});
}

TEST_F(SharedDevice, IsLostForAllOnceItFails) {
  share(2);
  device_->fails_at = 2;
  EXPECT_EQ(run(4, 2), 0);
  EXPECT_FALSE(shared_->failure());
  EXPECT_EQ(run(9, 2), 9);
  ASSERT_TRUE(shared_->failure());
  EXPECT_EQ(shared_->failure()->what, "is lost");
  EXPECT_EQ(device_->sizes, (std::vector<std::size_t>{4, 4}));  // nothing is sent afterwards
}

TEST_F(SharedDevice, CountsWhatRobotsShare) {
  share(1);
  pool_->use_gate(shared_, 2);
  std::vector<WaveReport> reports(2);
  pool_->run("solve", "robots", 2, [&](std::size_t robot, const Progress&) {
    RobotConditioner own(*shared_, robot);
    own.lend_core_once();
    const RawSegment segment = segment_of(robot);
    EXPECT_TRUE(own.condition({&segment, 1}));
    own.count({.num_logs = 1, .on_host = {{"a.csv", "why"}}, .host_cpu_s = 0.5});
    reports[robot] = {.num_logs = 2,
                      .launches = own.work().launches,
                      .on_host = {{"a.csv", "why"}, {"b.csv", "why"}}};
    own.complete(reports[robot]);
  });
  for (const WaveReport& report : reports) {
    EXPECT_EQ(report.num_robots, 2);
    EXPECT_EQ(report.num_logs, 3);
    EXPECT_EQ(report.launches, 3);  // of the wave that both share
    EXPECT_EQ(report.host_cpu_s, 0.5);
    EXPECT_EQ(report.on_host.size(), 2U);  // each log once
  }
  const FleetWaves all = shared_->report();
  EXPECT_EQ(all.num_robots, 2);
  EXPECT_EQ(all.num_logs, 6);
  EXPECT_EQ(all.launches, 3);
  EXPECT_EQ(all.bytes_up, 8 * 3);
  EXPECT_EQ(all.host_cpu_s, 1);
  EXPECT_EQ(all.on_host.at("why"), 6);
}

}  // namespace
}  // namespace heft
