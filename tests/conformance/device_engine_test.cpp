// The engine around the kernels, on the host and on a device if there is one: sums compared with
// the CPU backend's, and the same bits for any grid, order of threads, transfers and concurrent
// jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <set>

#include "base/out_of_memory.hpp"
#include "heft/executor/executor.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/moments/moments_engine.hpp"
#include "kernels/moments/ordered_sum.hpp"
#include "rows/unfiltered_motion.hpp"
#include "tests/conformance/forwarding_device.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using cuda::EngineOptions;
using cuda::HostDeviceOptions;
using oracle::RandomRobotOptions;
using testing::RandomSamples;

/// Where the kernels run.
enum class Place { host, device };

void PrintTo(Place place, std::ostream* out) {
  *out << (place == Place::host ? "host" : "device");
}

std::unique_ptr<Backend> host_engine(const HostDeviceOptions& device = {},
                                     const EngineOptions& options = {}) {
  return cuda::make_device_backend(cuda::make_host_device(device), options);
}

class DeviceEngine : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (GetParam() == Place::host) return;
    const auto made = make_cuda_backend();
    if (made) return;
    if (std::getenv("HEFT_REQUIRE_GPU")) FAIL() << made.error().message();
    GTEST_SKIP() << made.error().message();
  }

  static std::unique_ptr<Backend> engine(const EngineOptions& options = {}) {
    if (GetParam() == Place::host)
      return cuda::make_device_backend(cuda::make_host_device(), options);
    return std::move(*make_cuda_backend(options));
  }
};

std::unique_ptr<Backend> cpu() {
  return std::move(*make_backend({.kind = BackendKind::cpu, .threads = 2}));
}

PlanPtr random_plan(int num_bodies, bool floating_base, int seed) {
  RandomRobotOptions options = RandomRobotOptions::everything(floating_base);
  options.min_bodies = options.max_bodies = num_bodies;
  const Robot robot = oracle::random_robot(options, seed);
  const std::vector<Channel> channels = default_channels(robot);
  return *make_regressor_plan(robot, channels, testing::columns_of_every_kind(robot, channels));
}

AccumulateOptions summed(const RegressorPlan& plan,
                         core::Precision precision = core::Precision::fp64) {
  AccumulateOptions options{.precision = precision};
  options.channel_weights.setLinSpaced(plan.num_channels(), 0.5, 2);
  return options;
}

using Sums = std::vector<std::vector<double>>;

Sums sums(Backend& backend, std::span<const AccumulateJob> jobs) {
  Sums partials(jobs.size());
  const Result<Done> done = backend.accumulate(jobs, partials);
  EXPECT_TRUE(done.ok()) << done.error().message();
  return partials;
}

void expect_close(const Sums& actual, const Sums& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t j = 0; j < actual.size(); ++j) {
    ASSERT_EQ(actual[j].size(), expected[j].size());
    const auto size = static_cast<Eigen::Index>(actual[j].size());
    const Eigen::Map<const Eigen::VectorXd> a(actual[j].data(), size), e(expected[j].data(), size);
    EXPECT_LE((a - e).norm(), tolerance * e.norm()) << "job " << j;
  }
}

/// Jobs of three robots, some of which share samples, in every form, with chunks of several parts
/// among them.
class Mixture {
 public:
  Mixture() {
    for (int i = 0; i < 3; ++i) {
      plans_.push_back(random_plan(2 + 3 * i, i == 1, 40 + i));
      data_.push_back(testing::random_samples(*plans_.back(), 3 * 1024 + 101, i));
    }
    options_ = {AccumulateOptions{}, summed(*plans_[1]), summed(*plans_[2], core::Precision::fp32),
                AccumulateOptions{.precision = core::Precision::fp32}, summed(*plans_[0])};
    const auto samples = [this](int i) { return &data_[i].samples; };
    jobs_ = {{plans_[0].get(), samples(0), 0, 3 * 1024 + 101, 1024, &options_[0]},
             {plans_[1].get(), samples(1), 0, 3 * 1024 + 101, 1 << 20, &options_[1]},
             {plans_[2].get(), samples(2), 64, 2 * 1024, 512, &options_[2]},
             {plans_[0].get(), samples(0), 1024, 2048, 2048, &options_[3]},
             {plans_[0].get(), samples(0), 0, 3 * 1024 + 101, 1 << 20, &options_[4]}};
  }

  std::span<const AccumulateJob> jobs() const { return jobs_; }

 private:
  std::vector<PlanPtr> plans_;
  std::vector<RandomSamples> data_;
  std::vector<AccumulateOptions> options_;
  std::vector<AccumulateJob> jobs_;
};

TEST_P(DeviceEngine, SumsEqualThoseOfTheCpu) {
  const Mixture mixture;
  const Sums actual = sums(*engine(), mixture.jobs()), expected = sums(*cpu(), mixture.jobs());
  for (std::size_t j = 0; j < actual.size(); ++j)
    expect_close({actual[j]}, {expected[j]},
                 mixture.jobs()[j].options->precision == core::Precision::fp64 ? 1e-13 : 1e-5);
}

TEST(HostedEngine, BitsDependOnNeitherGridNorOrderOfThreads) {
  const Mixture mixture;
  const Sums expected = sums(*host_engine(), mixture.jobs()), by_cpu = sums(*cpu(), mixture.jobs());
  // what does not depend on the order must be the sums, all of them numbers
  for (std::size_t j = 0; j < expected.size(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> all(expected[j].data(),
                                                static_cast<Eigen::Index>(expected[j].size()));
    EXPECT_TRUE(all.allFinite());
    EXPECT_GT(all.norm(), 0);
    expect_close({expected[j]}, {by_cpu[j]},
                 mixture.jobs()[j].options->precision == core::Precision::fp64 ? 1e-13 : 1e-5);
  }
  EXPECT_EQ(sums(*host_engine({.num_blocks = 1}), mixture.jobs()), expected);
  EXPECT_EQ(sums(*host_engine({.num_blocks = 7, .last_thread_first = true}), mixture.jobs()),
            expected);
  // a thread that reads between two barriers what another writes there finds it done in one order
  // and not in the next
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_EQ(sums(*host_engine({.num_blocks = 5, .order_seed = seed}), mixture.jobs()), expected)
        << seed;
}

TEST(HostedEngine, LogsLargerThanTheMemoryFlowThroughIt) {
  const PlanPtr plan = random_plan(2, false, 17);
  const RandomSamples data = testing::random_samples(*plan, 1024, 17);
  Samples log;
  for (const auto member :
       {&Samples::position, &Samples::velocity, &Samples::acceleration, &Samples::base_motion,
        &Samples::torque, &Samples::weight, &Samples::signal})
    log.*member = (data.samples.*member).replicate(120, 1);
  log.time.setZero(120 * 1024);
  const AccumulateOptions options = summed(*plan);
  const Eigen::VectorXd x = Eigen::VectorXd::Ones(plan->layout.num_parameters());
  const AccumulateJob job{plan.get(), &log, 0, log.size(), 1 << 20, &options};
  constexpr std::int64_t kMemory = 4'000'000;
  ASSERT_GT(8 * log.size() * (3 * log.position.cols() + 2 * log.torque.cols()), 2 * kMemory);
  const auto backend =
      host_engine({.num_blocks = 1, .memory_bytes = kMemory}, {.transfer_bytes = 500'000});
  EXPECT_EQ(sums(*backend, {&job, 1}), sums(*host_engine(), {&job, 1}));
  std::vector<RowArray> rows;
  EXPECT_TRUE(backend->evaluate_rows(*plan, log, rows).ok());
  Eigen::ArrayXXd torque;
  const PredictJob predict{plan.get(), &log, &x};
  EXPECT_TRUE(backend->predict({&predict, 1}, {&torque, 1}).ok());
}

/// Whatever step the memory ends at. With less than a transfer needs, transfers are smaller and
/// sums have the same bits.
TEST(HostedEngine, MemoryThatDoesNotSufficeForAPieceIsAnError) {
  const Mixture mixture;
  const Sums expected = sums(*host_engine(), mixture.jobs());
  int errors = 0, in_small_transfers = 0;
  for (std::int64_t memory = 1000; memory < 64'000'000; memory *= 2) {
    const auto backend = host_engine({.memory_bytes = memory});
    for (int run = 0; run < 2; ++run) {
      Sums partials(mixture.jobs().size());
      const Result<Done> done = backend->accumulate(mixture.jobs(), partials);
      if (done) {
        EXPECT_EQ(partials, expected) << memory;
      } else {
        EXPECT_TRUE(is_out_of_memory(done.error())) << done.error().message();
      }
      errors += !done.ok();
      in_small_transfers += done.ok();
    }
  }
  EXPECT_GT(errors, 2);
  EXPECT_GT(in_small_transfers, 8);
}

/// What a call that failed had taken must not be missing to the smaller one that its message
/// advises.
TEST(HostedEngine, AfterAnErrorTheMemoryIsThereForASmallerJob) {
  const PlanPtr large = random_plan(9, false, 3), small = random_plan(4, false, 4);
  const RandomSamples of_large = testing::random_samples(*large, 100, 3),
                      of_small = testing::random_samples(*small, 100, 4);
  const AccumulateJob too_much{large.get(), &of_large.samples, 0, 100, 1024},
      little{small.get(), &of_small.samples, 0, 100, 1024};
  const auto engine_with = [](std::int64_t memory) {
    return host_engine({.num_blocks = 1, .memory_bytes = memory}, {.transfer_bytes = memory / 2});
  };
  // the least that suffices for the smaller job
  std::int64_t memory = 100'000;
  Sums partials(1);
  while (!engine_with(memory)->accumulate({&little, 1}, partials)) memory += memory / 8;
  const auto backend = engine_with(memory);
  ASSERT_FALSE(backend->accumulate({&too_much, 1}, partials));
  EXPECT_EQ(sums(*backend, {&little, 1}), sums(*host_engine(), {&little, 1}));
}

/// A device with a grid of its own for every kernel, which remembers the grids of launches.
class DeviceOfManyGrids : public testing::ForwardingDevice {
 public:
  explicit DeviceOfManyGrids(std::vector<cuda::Launch>* launches)
      : ForwardingDevice({.num_blocks = 1}), launches_(launches) {}

  static int blocks_of(cuda::Kernel kernel) { return 2 + static_cast<int>(kernel); }

  int num_blocks(cuda::Kernel kernel) const override { return blocks_of(kernel); }
  Result<Done> launch(const cuda::Launch& launch) override {
    launches_->push_back(launch);
    return ForwardingDevice::launch(launch);
  }

 private:
  std::vector<cuda::Launch>* launches_;
};

TEST(HostedEngine, EveryKernelHasAGridOfItsOwn) {
  const Mixture mixture;
  std::vector<cuda::Launch> launches;
  const auto backend = cuda::make_device_backend(std::make_unique<DeviceOfManyGrids>(&launches));
  EXPECT_EQ(sums(*backend, mixture.jobs()), sums(*host_engine(), mixture.jobs()));
  std::set<cuda::Kernel> kernels;
  for (const cuda::Launch& launch : launches) {
    EXPECT_EQ(launch.num_blocks,
              std::min(DeviceOfManyGrids::blocks_of(launch.kernel), launch.num_tasks));
    kernels.insert(launch.kernel);
  }
  EXPECT_EQ(kernels, (std::set{cuda::Kernel::moments_fp64, cuda::Kernel::moments_fp32,
                               cuda::Kernel::large_moments_fp64}));
}

TEST_P(DeviceEngine, BitsDependNeitherOnTransfersNorOnOtherJobs) {
  const Mixture mixture;
  const Sums expected = sums(*engine(), mixture.jobs());
  for (const std::int64_t bytes : {1, 300'000, 2'000'000})
    EXPECT_EQ(sums(*engine({.transfer_bytes = bytes}), mixture.jobs()), expected) << bytes;
  for (std::size_t j = 0; j < expected.size(); ++j)
    EXPECT_EQ(sums(*engine(), mixture.jobs().subspan(j, 1)).front(), expected[j]) << j;
}

TEST_P(DeviceEngine, PartsOfAChunkDependOnItsOwnLengthAlone) {
  const PlanPtr plan = random_plan(3, false, 19);
  const RandomSamples data = testing::random_samples(*plan, 3000, 19);
  const auto backend = engine();
  const AccumulateJob whole{plan.get(), &data.samples, 0, 3000, 3000},
      longer{plan.get(), &data.samples, 0, 3000, 1 << 30};
  EXPECT_EQ(sums(*backend, {&longer, 1}), sums(*backend, {&whole, 1}));
  const AccumulateJob chunks{plan.get(), &data.samples, 0, 3000, 2000},
      last{plan.get(), &data.samples, 2000, 1000, 1000};
  const std::vector<double> both = sums(*backend, {&chunks, 1}).front();
  EXPECT_EQ(std::vector<double>(both.begin() + plan->packed_size, both.end()),
            sums(*backend, {&last, 1}).front());
}

TEST_P(DeviceEngine, IsUsedAgainForOtherJobs) {
  const Mixture mixture;
  const auto backend = engine({.transfer_bytes = 300'000});
  const Sums expected = sums(*backend, mixture.jobs());
  sums(*backend, mixture.jobs().first(1));
  EXPECT_EQ(sums(*backend, mixture.jobs()), expected);
}

/// More than a thread is asked to bring back.
TEST(HostedEngine, LargeResultsAreWholeFromAllThreads) {
  const PlanPtr plan = random_plan(3, false, 21);
  const RandomSamples data = testing::random_samples(*plan, 60'000, 21);
  const AccumulateJob job{plan.get(), &data.samples, 0, data.samples.size(), 16};
  const Sums whole = sums(*host_engine(), {&job, 1});
  ASSERT_GT(whole.front().size(), std::size_t{4} << 17);
  EXPECT_EQ(sums(*host_engine({}, {.transfer_bytes = 100'000}), {&job, 1}), whole);
  Sums used{std::vector<double>(whole.front().size(), std::numeric_limits<double>::quiet_NaN())};
  ASSERT_TRUE(host_engine()->accumulate({&job, 1}, used).ok());
  EXPECT_EQ(used, whole);
}

TEST_P(DeviceEngine, RowsAndTorquesDoNotDependOnTransfers) {
  const PlanPtr plan = random_plan(6, true, 9);
  const RandomSamples data = testing::random_samples(*plan, 2500, 9);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(plan->layout.num_parameters(), -1, 2);
  std::vector<std::vector<RowArray>> rows(2);
  std::vector<Eigen::ArrayXXd> torques(2);
  for (int i = 0; i < 2; ++i) {
    const auto backend = i == 0 ? engine() : engine({.transfer_bytes = 1});
    ASSERT_TRUE(backend->evaluate_rows(*plan, data.samples, rows[i]).ok());
    const PredictJob job{plan.get(), &data.samples, &x};
    torques[i].setConstant(data.samples.size(), plan->num_channels(), NAN);
    ASSERT_TRUE(backend->predict({&job, 1}, {&torques[i], 1}).ok());
  }
  for (int c = 0; c < plan->num_channels(); ++c) EXPECT_TRUE((rows[0][c] == rows[1][c]).all());
  EXPECT_TRUE((torques[0] == torques[1]).all());
}

TEST_P(DeviceEngine, FilteredRowsEqualThoseOfTheCpu) {
  const PlanPtr plan = random_plan(4, false, 23);
  const RandomSamples data = testing::random_samples(*plan, 1500, 23);
  auto motion = std::make_shared<UnfilteredMotion>();
  motion->samples = data.samples;
  motion->first = 100;
  motion->step = 3;
  motion->lowpass = *Smoother::make({}, 12, 250, "lowpass");
  Samples block;
  block.time.setZero(400);
  block.unfiltered = motion;
  std::vector<RowArray> actual, expected;
  ASSERT_TRUE(engine({.transfer_bytes = 200'000})->evaluate_rows(*plan, block, actual).ok());
  ASSERT_TRUE(cpu()->evaluate_rows(*plan, block, expected).ok());
  for (int c = 0; c < plan->num_channels(); ++c) {
    ASSERT_EQ(actual[c].rows(), 400);
    ASSERT_EQ(actual[c].cols(), expected[c].cols());
    EXPECT_LE((actual[c] - expected[c]).matrix().norm(), 1e-12 * expected[c].matrix().norm()) << c;
  }
}

TEST(OrderedSum, PartsAreWholeSlabsAndBoundedInNumber) {
  const auto num_parts = [](std::int64_t chunk) {
    return cuda::num_parts(chunk, cuda::part_samples(chunk));
  };
  EXPECT_EQ(num_parts(1), 1);
  EXPECT_EQ(num_parts(cuda::kPartSamples), 1);
  EXPECT_EQ(num_parts(cuda::kPartSamples + 1), 2);
  for (const std::int64_t chunk :
       {cuda::kMaxParts * cuda::kPartSamples, cuda::kMaxParts * cuda::kPartSamples + 1,
        std::int64_t{1'000'000'007}}) {
    EXPECT_LE(num_parts(chunk), cuda::kMaxParts);
    EXPECT_EQ(cuda::part_samples(chunk) % cuda::kThreads, 0);
    EXPECT_GE(num_parts(chunk) * cuda::part_samples(chunk), chunk);
  }
}

TEST(OrderedSum, GoesOnFromTheCarry) {
  const double parts[] = {1, 10, 2, 20, 4, 40};
  double carry[] = {100, 1000}, result[] = {NAN, NAN};
  for (int entry = 0; entry < 2; ++entry)
    cuda::add_parts({parts, 3, false, 2, result, carry}, entry);
  EXPECT_EQ(result[0], 107);
  EXPECT_EQ(result[1], 1070);
  for (int entry = 0; entry < 2; ++entry) cuda::add_parts({parts, 2, true, 2, carry, carry}, entry);
  EXPECT_EQ(carry[0], 3);
  EXPECT_EQ(carry[1], 30);
}

INSTANTIATE_TEST_SUITE_P(Places, DeviceEngine, ::testing::Values(Place::host, Place::device),
                         [](const auto& test_case) {
                           return test_case.param == Place::host ? "on_the_host" : "cuda";
                         });

}  // namespace
}  // namespace heft
