// The cost model of `backend: auto`: it predicts who wins in every row of the first table of
// docs/gpu.md, measured on an H100 whose host has 16 threads, and all counts are exact.
#include "executor/backend_choice.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>

#include "executor/gram_program.hpp"
#include "executor/instruction_sets.hpp"
#include "host/estimation/moments/chunks.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

constexpr BackendMachine kH100{.threads = 16, .device_speed = 1};
constexpr BackendMachine kFewCores{.threads = 1, .device_speed = 1};

// multiply-adds and bytes of a sample, doubles of a sum: bench/moments/robots.py
struct BenchRobot {
  double products, bytes, packed;
};
constexpr BenchRobot kArm{3537, 280, 8022}, kHumanoid{92714, 1440, 400'000};

/// Sums without the chunks, which are few in a long stream.
BackendWork sums_of(const BenchRobot& robot, double samples) {
  return {.samples = samples,
          .products = samples * robot.products,
          .bytes_up = samples * robot.bytes,
          .bytes_down = 8 * robot.packed * samples / 4096};
}

BackendWork problems_of(int unknowns, double problems) {
  return {.problems = problems, .unknowns = unknowns};
}

void expect_near(double found, double measured) {
  EXPECT_GT(found, measured / 1.5);
  EXPECT_LT(found, measured * 1.5);
}

bool device_wins(const BackendWork& work, const BackendMachine& machine) {
  const BackendSeconds seconds = seconds_of(work, machine);
  return is_device_worth(seconds.host, seconds.device);
}

TEST(BackendChoice, PredictsTheMeasuredSums) {
  for (const auto& [robot, host, device] :
       {std::tuple(kArm, 1 / 45.2e6, 1 / 129.7e6), std::tuple(kHumanoid, 1 / 2.02e6, 1 / 13.2e6)}) {
    const BackendSeconds seconds = seconds_of(sums_of(robot, 1e9), kH100);
    expect_near(1e-9 * seconds.host, host);
    expect_near(1e-9 * seconds.device, device);
    EXPECT_TRUE(device_wins(sums_of(robot, 1e9), kH100));
  }
}

TEST(BackendChoice, PredictsTheMeasuredMotions) {
  BackendWork motions = sums_of(kArm, 1e9);
  motions.bytes_up = motions.bytes_down = 0;  // coefficients instead of samples
  const BackendSeconds seconds = seconds_of(motions, kH100);
  expect_near(1e-9 * seconds.host, 1 / 41e6);
  expect_near(1e-9 * seconds.device, 1 / 291e6);
  EXPECT_TRUE(device_wins(motions, kH100));
}

TEST(BackendChoice, PredictsTheMeasuredProblems) {
  for (const auto& [unknowns, host, fed_by_one, fed_by_all] :
       {std::tuple(84, 53e-6, 23e-6, 5.8e-6), std::tuple(372, 1.73e-3, 0.36e-3, 0.10e-3)}) {
    const BackendWork one = problems_of(unknowns, 1);
    expect_near(seconds_of(one, kFewCores).host, host);
    expect_near(seconds_of(one, kFewCores).device, fed_by_one);
    expect_near(seconds_of(one, kH100).device, fed_by_all);
    EXPECT_TRUE(device_wins(one, kFewCores));
    EXPECT_FALSE(device_wins(one, kH100));
  }
}

TEST(BackendChoice, PredictsThatAnArmsLogOfAMillionRowsStaysOnTheHost) {
  BackendWork work = sums_of(kArm, 1e6);
  work.problems = 200, work.unknowns = 84;
  const BackendChoice choice = choose_backend(work, kH100);
  EXPECT_FALSE(choice.is_device);
  EXPECT_EQ(choice.because,
            "on the CPU: 1e+06 samples and 200 problems take about 0.021 s on 16 threads, and a "
            "device takes 0.4 s to start");
}

TEST(BackendChoice, PredictsThatFleetsOfArmsStayOnTheHost) {
  // of each robot: three logs of 2000 rows in 104 chunks, 200 resamples
  BackendWork robot = problems_of(84, 200);
  robot.samples = 6000, robot.products = 6000 * kArm.products;
  robot.bytes_up = 6000 * kArm.bytes, robot.bytes_down = 3 * 104 * 8 * kArm.packed;
  EXPECT_FALSE(device_wins(robot, kH100));
  const BackendSeconds seconds = seconds_of(robot, kH100);
  EXPECT_LT(seconds.host, seconds.device);
}

TEST(BackendChoice, PaysForTheStart) {
  const BackendWork small = problems_of(84, 800);
  EXPECT_TRUE(device_wins(small, kFewCores));
  EXPECT_FALSE(choose_backend(small, kFewCores).is_device);
  EXPECT_TRUE(choose_backend(problems_of(372, 2000), kFewCores).is_device);
  EXPECT_FALSE(choose_backend(sums_of(kHumanoid, 1e5), kH100).is_device);
  const BackendChoice choice = choose_backend(sums_of(kHumanoid, 1e7), kH100);
  EXPECT_TRUE(choice.is_device);
  EXPECT_EQ(choice.because,
            "on the device: 1e+07 samples take about 5.3 s on 16 threads, and 1.2 s with the "
            "device, 0.4 s of them to start it");
}

TEST(BackendChoice, TakesADeviceOnlyIfItIsTwiceAsFast) {
  const BackendWork work = sums_of(kHumanoid, 2e6);
  const BackendSeconds seconds = seconds_of(work, kH100);
  ASSERT_LT(kDeviceStart + seconds.device, seconds.host);
  const BackendChoice choice = choose_backend(work, kH100);
  EXPECT_FALSE(choice.is_device);
  EXPECT_NE(choice.because.find("less than half"), std::string::npos) << choice.because;
}

TEST(BackendChoice, AvoidsASlowDevice) {
  const BackendWork work = sums_of(kHumanoid, 1e8);
  EXPECT_TRUE(choose_backend(work, kH100).is_device);
  EXPECT_FALSE(choose_backend(work, {.threads = 16, .device_speed = 0.1}).is_device);
  const BackendWork solves = problems_of(372, 1e5);
  EXPECT_TRUE(choose_backend(solves, kFewCores).is_device);
  EXPECT_FALSE(choose_backend(solves, {.threads = 1, .device_speed = 0.05}).is_device);
}

TEST(BackendChoice, IsTheHostWithoutWork) {
  EXPECT_FALSE(choose_backend(BackendWork{}, kH100).is_device);
}

TEST(BackendChoice, LeavesARequestedBackend) {
  const auto chosen = choose_executor({.kind = BackendKind::cpu}, sums_of(kHumanoid, 1e9));
  ASSERT_TRUE(chosen);
  EXPECT_FALSE((*chosen).executor->has_device());
  EXPECT_EQ((*chosen).because, "");
}

TEST(BackendWorkOfLogs, CountsProductsBytesAndChunks) {
  oracle::RandomRobotOptions options;
  for (const int bodies : {1, 4, 9}) {
    options.min_bodies = options.max_bodies = bodies;
    const Robot robot = oracle::random_robot(options, static_cast<unsigned>(bodies));
    const auto plan = *make_regressor_plan(robot, default_channels(robot), {});
    const auto* kernels = *cpu::lane_kernels(InstructionSet::baseline);
    const auto products =
        cpu::make_gram_program(plan->view(), true, kernels->tiles[0]).num_products;
    for (const std::int64_t samples : {1, 2000, 100'000, 3'000'000}) {
      std::int64_t chunks = 0;
      for (std::int64_t at = 0; at < samples; at += chunk_samples(at, 256)) ++chunks;
      BackendWork work;
      add_log(*plan, static_cast<double>(samples), 3, work);
      EXPECT_EQ(work.samples, 3.0 * static_cast<double>(samples));
      EXPECT_EQ(work.products, 3.0 * static_cast<double>(samples * products));
      EXPECT_EQ(work.bytes_down, 24.0 * static_cast<double>(chunks * plan->packed_size));
      EXPECT_EQ(work.bytes_up, 24.0 * static_cast<double>(samples) *
                                   (3 * plan->robot.num_coordinates() + 2 * plan->num_channels()));
    }
  }
}

}  // namespace
}  // namespace heft
