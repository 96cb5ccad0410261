// Scores and designs of motions with the device that the host emulates: those of the CPU, in a
// number of launches that does not depend on how many motions or starts there are.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/random_stream.hpp"
#include "heft/excite/design.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/motion_wave.hpp"
#include "host/applications/excite/scorer.hpp"
#include "kernels/motions_cuda.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"
#include "tests/excite/branched.hpp"

namespace heft::device_on_host {
namespace {

using Eigen::MatrixXd;

ExciteOptions short_motion() {
  ExciteOptions options;
  options.shape = {.kind = ExcitationMotion::spline, .duration = 2, .intervals = 6};
  options.clearance.ignore = true;
  options.starts = 3;
  return options;
}

std::vector<ScoredMotion> random_motions(const ScoredRobot& robot, int count) {
  RandomStream random(4);
  std::vector<ScoredMotion> motions;
  for (int i = 0; i < count; ++i)
    motions.push_back(
        {&robot, MatrixXd::NullaryExpr(robot.shape().num_coefficients(), robot.num_coordinates(),
                                       [&] { return 0.4 * random.normal(); })});
  return motions;
}

void expect_equal(const std::vector<MotionScore>& ours, const std::vector<MotionScore>& theirs,
                  double tolerance) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_TRUE(std::isfinite(theirs[i].value));
    EXPECT_LE(std::abs(ours[i].value - theirs[i].value), tolerance * std::abs(theirs[i].value));
    EXPECT_LE((ours[i].gradient - theirs[i].gradient).norm(),
              tolerance * theirs[i].gradient.norm());
    EXPECT_LE((ours[i].extremes - theirs[i].extremes).abs().maxCoeff<Eigen::PropagateNaN>(),
              tolerance * theirs[i].extremes.maxCoeff());
  }
}

class MotionScores : public testing::Test {
 protected:
  void SetUp() override { set({}); }
  void TearDown() override { set({}); }
};

TEST_F(MotionScores, AreThoseOfTheCpu) {
  const auto robot = ScoredRobot::make(excite::branched(), short_motion(), nullptr, 45);
  ASSERT_TRUE(robot) << robot.error().message();
  const std::vector<ScoredMotion> motions = random_motions(*robot, 5);
  const auto host = score(motions, {.with_gradient = true, .threads = 1});
  const auto device =
      score(motions, {.with_gradient = true, .threads = 1, .backend = BackendKind::cuda});
  ASSERT_TRUE(host && device);
  expect_equal(*device, *host, 1e-9);
  // a device with less memory takes several passes, to the same bits
  set({.memory_bytes = 3'000'000});
  const auto by_few = score(motions, {.with_gradient = true, .backend = BackendKind::cuda});
  ASSERT_TRUE(by_few) << by_few.error().message();
  expect_equal(*by_few, *device, 0);
}

TEST_F(MotionScores, WithoutADeviceAreAnErrorOrThoseOfTheCpu) {
  const auto robot = ScoredRobot::make(excite::branched(), short_motion(), nullptr, 45);
  ASSERT_TRUE(robot);
  const std::vector<ScoredMotion> motions = random_motions(*robot, 2);
  const auto host = score(motions);
  set({.is_there = false});
  EXPECT_FALSE(score(motions, {.backend = BackendKind::cuda}));
  const auto automatic = score(motions, {.backend = BackendKind::automatic});
  ASSERT_TRUE(host && automatic);
  for (std::size_t i = 0; i < motions.size(); ++i)
    EXPECT_EQ((*automatic)[i].value, (*host)[i].value);
}

TEST_F(MotionScores, ColumnsByExpressionsAreEvaluatedOnTheHost) {
  ExciteOptions options = short_motion();
  options.beliefs.columns = {
      {.kind = "expression", .name = "drag", .unit = "N m s^2/rad^2", .each_joint = "qd*abs(qd)"}};
  const auto robot = ScoredRobot::make(excite::branched(), options, nullptr, 45);
  ASSERT_TRUE(robot) << robot.error().message();
  const std::vector<ScoredMotion> motions = random_motions(*robot, 2);
  const auto host = score(motions), device = score(motions, {.backend = BackendKind::cuda});
  ASSERT_TRUE(host && device);
  EXPECT_EQ((*device)[0].value, (*host)[0].value);
  options.backend = BackendKind::cuda;
  const auto design = design_excitation(excite::branched(), options);
  ASSERT_FALSE(design);
  EXPECT_NE(design.error().message().find("expressions"), std::string::npos);
}

/// Launches for the value and the gradient of so many motions.
std::int64_t launches_of(const DeviceMotionInput& input, int count) {
  const auto device = make_cuda_motions(input, count);
  if (!device) return -1;
  const Eigen::Index n = input.middle.size(), m = input.precision.rows();
  const MatrixXd C = MatrixXd::Random(input.num_coefficients, n), slope = MatrixXd::Identity(m, m);
  MatrixXd G = slope, gradient = C;
  std::vector<DeviceMotion> motions(static_cast<std::size_t>(count));
  std::vector<DeviceMotion*> pass;
  for (DeviceMotion& motion : motions) {
    motion.slot = static_cast<int>(pass.size());
    motion.coefficients = C.data();
    motion.gradient = gradient.data();
    if (!input.is_log_det) motion.information = G.data(), motion.slope = slope.data();
    pass.push_back(&motion);
  }
  EXPECT_TRUE((*device)->rows(pass) && (*device)->gradient(pass));
  EXPECT_LE((*device)->effort().launches, 8);
  return (*device)->effort().launches;
}

// a start on another thread waits for a stop that only the calling thread notices
TEST_F(MotionScores, TheCallingThreadListensUntilTheLastStartHasEnded) {
  const auto plan = excite::make_excitation_plan(excite::branched(), {});
  const auto limits = excite::make_limits(excite::branched(), {});
  ASSERT_TRUE(plan && limits);
  std::vector<std::string> notes;
  const auto beliefs = excite::make_beliefs(**plan, *limits, {}, nullptr, notes);
  ASSERT_TRUE(beliefs);
  const auto information = excite::make_information(*plan, *beliefs);
  ASSERT_TRUE(information);
  const excite::Task task{.information = &*information,
                          .limits = &*limits,
                          .shape = short_motion().shape,
                          .num_samples = 40};
  const auto input = excite::device_input(task, ExcitationObjective::d);
  ASSERT_TRUE(input);
  auto device = make_cuda_motions(*input, 2);
  ASSERT_TRUE(device) << device.error().message();
  excite::MotionWave wave(std::move(*device), *input, 2);
  std::atomic<bool> has_helper{false}, is_stopped{false};
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto wait_for = [&](const std::atomic<bool>& flag) {
    while (!flag && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  wave.run(
      2,
      [&](std::int64_t, int thread) {
        if (thread == 0) return wait_for(has_helper);
        has_helper = true;
        wait_for(is_stopped);
      },
      [&] { is_stopped = true; });
  EXPECT_TRUE(is_stopped);
}

/// For each objective with its own code path.
class Waves : public MotionScores, public testing::WithParamInterface<ExcitationObjective> {};

TEST_P(Waves, EvaluateAllStartsAsTheCpuDoes) {
  ExciteOptions options = short_motion();
  options.objective = GetParam();
  options.limits.couplings = {
      {.name = "rod", .of = {{"ja", 0.5}, {"jc", 2}}, .acceleration = 5, .jerk = 60}};
  const auto plan = excite::make_excitation_plan(excite::branched(), {});
  const auto limits = excite::make_limits(excite::branched(), options.limits);
  ASSERT_TRUE(plan && limits);
  std::vector<std::string> notes;
  const auto beliefs = excite::make_beliefs(**plan, *limits, {}, nullptr, notes);
  ASSERT_TRUE(beliefs);
  const auto information = excite::make_information(*plan, *beliefs);
  ASSERT_TRUE(information);
  const auto objective =
      excite::make_objective(GetParam(), *information, information->precision, {});
  excite::Task task{.information = &*information,
                    .limits = &*limits,
                    .objective = objective.get(),
                    .shape = options.shape,
                    .num_samples = 40};
  const auto input = excite::device_input(task, GetParam());
  ASSERT_TRUE(input) << input.error().message();
  std::vector<std::int64_t> launches;
  for (const int starts : {1, 4}) {
    auto device = make_cuda_motions(*input, starts);
    ASSERT_TRUE(device) << device.error().message();
    excite::MotionWave wave(std::move(*device), *input, 2);
    std::vector<double> worst(static_cast<std::size_t>(starts), NAN);
    wave.run(starts, [&](std::int64_t start, int) {
      excite::Task on_device = task;
      on_device.wave = &wave;
      excite::Scorer scorer(task), waving(on_device);
      RandomStream random(static_cast<std::uint64_t>(start) + 5);
      const MatrixXd C = MatrixXd::NullaryExpr(task.shape.num_coefficients(), input->middle.size(),
                                               [&] { return 0.4 * random.normal(); });
      excite::Multipliers multipliers = scorer.no_multipliers();
      multipliers.upper.setConstant(0.3), multipliers.lower.setConstant(0.1);
      MatrixXd gradient, of_wave;
      const double value = scorer.value(C, &multipliers, &gradient),
                   by_wave = waving.value(C, &multipliers, &of_wave);
      worst[static_cast<std::size_t>(start)] = std::abs(by_wave - value) / std::abs(value) +
                                               (of_wave - gradient).norm() / gradient.norm() +
                                               std::abs(waving.worst() / scorer.worst() - 1);
    });
    EXPECT_FALSE(wave.error());
    for (const double error : worst) EXPECT_LE(error, 1e-9);
    launches.push_back(wave.effort().launches);
  }
  EXPECT_EQ(launches[0], launches_of(*input, 1));
  // starts that begin later than others have waves of their own at first
  EXPECT_LE(launches[1], 4 * launches[0]);
  EXPECT_EQ(launches_of(*input, 4), launches[0]);
}

INSTANTIATE_TEST_SUITE_P(All, Waves,
                         testing::Values(ExcitationObjective::d, ExcitationObjective::a),
                         [](const auto& each) {
                           return each.param == ExcitationObjective::d ? "d" : "a";
                         });

}  // namespace
}  // namespace heft::device_on_host
