// A payload on an arm: torques from Newton's and Euler's laws in long double, solutions from one
// least-squares problem over the rows of both logs, the robot's and the loaded robot's.
#include "payload/by_torques.hpp"

#include <gtest/gtest.h>

#include "heft/executor/executor.hpp"
#include "heft/observe/observe.hpp"
#include "host/applications/payload/torques/tool_on_robot.hpp"
#include "host/applications/payload/torques/torque_gains.hpp"
#include "host/applications/payload/torques/torque_sums.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/minimum_norm.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

constexpr int kSamples = 400;

/// An arm of five bodies, what it carries on its last link, and rows and torques with and without
/// it.
struct LoadedArm {
  Robot robot;
  PlanPtr plan;
  BaseQuantities quantities;
  BodyParameters payload;
  CarryingLink link;
  Eigen::VectorXd truth;

  explicit LoadedArm(std::uint64_t seed) {
    oracle::RandomRobotOptions options;
    options.min_bodies = options.max_bodies = 5;
    options.branching = 0;
    options.joint_types = {JointType::revolute};
    robot = oracle::random_robot(options, seed);
    plan = *make_regressor_plan(robot, default_channels(robot), {});
    quantities = *base_quantities(*observe(robot, {.channels = false}), plan->layout);
    oracle::Random random(seed + 100);
    payload = oracle::random_parameters(random, 1, 3);
    link = {.name = "hand", .body = plan->layout.num_bodies() - 1};
    link.X_body_link = Eigen::Translation3d(0.1 * random.normal3());
    link.X_body_link.rotate(random.rotation());
    truth.resize(plan->layout.num_parameters());
    for (int i = 0; i < plan->layout.num_bodies(); ++i)
      truth.segment<10>(10 * i) = robot.bodies[static_cast<std::size_t>(i)].prior;
  }

  struct Recorded {
    Samples samples;
    Eigen::MatrixXd rows;  ///< of base quantities, channels of a sample after each other
    Eigen::VectorXd torque;
  };

  /// Random states; `noise` [N m] on every torque.
  Recorded record(bool loaded, double noise, std::uint64_t seed) const {
    Robot carrying = robot;
    if (loaded)
      carrying
          .bodies[static_cast<std::size_t>(
              plan->layout.body_index[static_cast<std::size_t>(link.body)])]
          .prior += transformed(link.X_body_link, payload);
    oracle::Random random(seed);
    const int n = robot.num_coordinates();
    Recorded recorded;
    Samples& s = recorded.samples;
    s.time = Eigen::ArrayXd::LinSpaced(kSamples, 0, 0.01 * (kSamples - 1));
    s.position.resize(kSamples, n), s.velocity.resize(kSamples, n),
        s.acceleration.resize(kSamples, n);
    s.torque.resize(kSamples, n);
    s.weight.setOnes(kSamples, n);
    s.signal.resize(kSamples, 0);
    recorded.rows.resize(kSamples * n, quantities.E.cols());
    recorded.torque.resize(kSamples * n);
    for (int i = 0; i < kSamples; ++i) {
      const oracle::Motion motion = oracle::random_motion(robot, random);
      s.position.row(i) = motion.q.transpose(), s.velocity.row(i) = motion.qd.transpose();
      s.acceleration.row(i) = motion.qdd.transpose();
      s.torque.row(i) =
          (oracle::newton_euler_torques(carrying, motion) + noise * random.normal_vector(n))
              .transpose();
      recorded.rows.middleRows(i * n, n) =
          oracle::newton_euler_regressor(robot, motion) * quantities.E;
      recorded.torque.segment(i * n, n) = s.torque.row(i).matrix().transpose();
    }
    return recorded;
  }

  TrainingData data_of(const Samples& samples) const {
    auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
    MomentAccumulator accumulator(plan, **backend);
    EXPECT_TRUE(accumulator.push(0, samples).ok());
    return {.plan = plan, .moments = *accumulator.finish()};
  }

  KnownRobot exactly() const {
    return {.plan = plan, .parameters = truth, .residual_rms = {}, .quantities = quantities};
  }
};

const PayloadShape kBall = *read_payload_shape({});

TEST(PayloadByTorques, OfAnExactRobotWithoutNoiseIsExact) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const LoadedArm arm(seed);
    const auto result =
        weigh_by_torques(arm.exactly(), arm.link, arm.data_of(arm.record(true, 0, seed).samples),
                         {}, kBall, {PayloadMethod::wls, PayloadMethod::automatic});
    ASSERT_TRUE(result.ok()) << result.error().message();
    for (const PayloadAnswer& answer : result->answers)
      EXPECT_LE((answer.parameters - arm.payload).norm(), 1e-6 * arm.payload.norm())
          << enum_name(answer.method);
    EXPECT_TRUE(result->answers[1].certificate->certified);
    EXPECT_EQ(result->frame, "hand");
  }
}

// Robot and payload at once from the rows of both logs, by a QR factorisation that knows nothing of
// Schur complements.
TEST(PayloadByTorques, IsLeastSquaresOverBothLogs) {
  for (const std::uint64_t seed : {4, 5}) {
    const LoadedArm arm(seed);
    const auto empty = arm.record(false, 0.1, seed), loaded = arm.record(true, 0.2, seed + 50);
    KnownRobot robot = arm.exactly();
    robot.information = empty.rows.transpose() * empty.rows / 0.01;
    robot.information_times_estimate = empty.rows.transpose() * empty.torque / 0.01;
    const auto fit = payload::fit_torques(robot, arm.link, arm.data_of(loaded.samples).moments, {});
    ASSERT_TRUE(fit.ok()) << fit.error().message();

    const Eigen::Index Q = arm.quantities.E.cols(), rows = loaded.rows.rows(),
                       n = fit->channel_weights.size();
    Eigen::Matrix<double, 10, 10> to_body;
    for (int k = 0; k < 10; ++k)
      to_body.col(k) = transformed(arm.link.X_body_link, BodyParameters::Unit(k));
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(2 * rows, Q + 10);
    Eigen::VectorXd tau(2 * rows);
    Y.topLeftCorner(rows, Q) = empty.rows / 0.1;
    tau.head(rows) = empty.torque / 0.1;
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double w = std::sqrt(fit->channel_weights[i % n]);
      Y.row(rows + i).head(Q) = w * loaded.rows.row(i);
      tau[rows + i] = w * loaded.torque[i];
    }
    Y.bottomRightCorner(rows, 10) =
        Y.bottomLeftCorner(rows, Q) * arm.quantities.R.middleCols(10 * arm.link.body, 10) * to_body;
    const Eigen::VectorXd both = minimum_norm_solution(Y, tau);
    EXPECT_LE((fit->x - both.tail(10)).norm(), 1e-8 * both.tail(10).norm());
    const Eigen::MatrixXd covariance =
        Eigen::MatrixXd(Y.transpose() * Y).inverse().bottomRightCorner(10, 10);
    EXPECT_LE((fit->covariances.front() - covariance).norm(), 1e-6 * covariance.norm());
    EXPECT_LE(
        (fit->loaded(fit->x) -
         arm.quantities.E * (both.head(Q) + arm.quantities.R.middleCols(10 * arm.link.body, 10) *
                                                to_body * both.tail(10)))
            .norm(),
        1e-7 * arm.truth.norm());
  }
}

// A tool whose m and h are known with a covariance: four more unknowns with rows of their own.
TEST(PayloadByTorques, AKnownToolIsFourMoreUnknowns) {
  const LoadedArm arm(11);
  const auto empty = arm.record(false, 0.1, 12), loaded = arm.record(true, 0.2, 13);
  KnownRobot robot = arm.exactly();
  robot.information = empty.rows.transpose() * empty.rows / 0.01;
  robot.information_times_estimate = empty.rows.transpose() * empty.torque / 0.01;
  oracle::Random random(14);
  KnownTool tool{.parameters = 0.3 * oracle::random_parameters(random, 1, 3)};
  const Eigen::Matrix4d half =
      0.01 * (Eigen::Matrix4d::Identity() + 0.3 * random.normal_vector(16).reshaped(4, 4));
  tool.covariance.topLeftCorner<4, 4>() = half * half.transpose();
  const auto carrying = payload::with_tool(robot, arm.link, tool);
  ASSERT_TRUE(carrying.ok()) << carrying.error().message();
  const auto fit =
      payload::fit_torques(*carrying, arm.link, arm.data_of(loaded.samples).moments, {});
  ASSERT_TRUE(fit.ok()) << fit.error().message();

  const Eigen::Index Q = arm.quantities.E.cols(), rows = loaded.rows.rows(),
                     n = fit->channel_weights.size();
  const Eigen::MatrixXd R = payload::quantities_of_payload(robot, arm.link);
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(2 * rows + 4, Q + 4 + 10);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(2 * rows + 4);
  Y.topLeftCorner(rows, Q) = empty.rows / 0.1;
  tau.head(rows) = empty.torque / 0.1;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double w = std::sqrt(fit->channel_weights[i % n]);
    const Eigen::RowVectorXd of_payload = w * loaded.rows.row(i) * R;
    Y.row(rows + i) << w * loaded.rows.row(i), of_payload.head(4), of_payload;
    tau[rows + i] = w * loaded.torque[i] - of_payload.dot(tool.parameters);
  }
  Y.block(2 * rows, Q, 4, 4) = half.inverse();
  const Eigen::VectorXd all = minimum_norm_solution(Y, tau);
  EXPECT_LE((fit->x - all.tail(10)).norm(), 1e-7 * all.tail(10).norm());
  const Eigen::MatrixXd covariance =
      Eigen::MatrixXd(Y.transpose() * Y).inverse().bottomRightCorner(10, 10);
  EXPECT_LE((fit->covariances.front() - covariance).norm(), 1e-6 * covariance.norm());
}

TEST(PayloadByTorques, AnExactToolIsTakenOff) {
  const LoadedArm arm(15);
  const TrainingData data = arm.data_of(arm.record(true, 0, 16).samples);
  PayloadOptions options;
  options.sensor.tool = KnownTool{.parameters = 0.25 * arm.payload, .link = "hand"};
  const auto rest =
      weigh_by_torques(arm.exactly(), arm.link, data, options, kBall, {PayloadMethod::wls});
  ASSERT_TRUE(rest.ok()) << rest.error().message();
  EXPECT_LE((rest->answer().parameters - 0.75 * arm.payload).norm(), 1e-6 * arm.payload.norm());
  // for a later run both are on the link
  ASSERT_TRUE(rest->as_tool);
  EXPECT_LE((rest->as_tool->parameters - arm.payload).norm(), 1e-6 * arm.payload.norm());
  EXPECT_EQ(rest->as_tool->link, "hand");
  for (const KnownTool& of_another_frame :
       {KnownTool{.link = "flange"}, KnownTool{.has_bias = true}}) {
    options.sensor.tool = of_another_frame;
    const auto refused = weigh_by_torques(arm.exactly(), arm.link, data, options, kBall);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().where, "payload.known_tool");
  }
}

TEST(PayloadByTorques, OneBodyAStretch) {
  const LoadedArm arm(17);
  const std::vector<LoadedStretch> stretches = {
      {{.from = 0, .to = 4}, arm.data_of(arm.record(false, 0.01, 18).samples)},
      {{.from = 4, .to = 8}, arm.data_of(arm.record(true, 0.01, 19).samples)}};
  KnownRobot lighter = arm.exactly();  // identified before its tool, half a payload, was put on
  lighter.parameters.segment<10>(10 * arm.link.body) -=
      0.5 * transformed(arm.link.X_body_link, arm.payload);
  const auto empty = arm.record(false, 0, 20);
  lighter.information = empty.rows.transpose() * empty.rows / 1e-4;
  lighter.information_times_estimate =
      lighter.information * (arm.quantities.R * lighter.parameters);
  const auto result = weigh_stretches_by_torques(lighter, arm.link, stretches, {}, kBall);
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->stretches.size(), 2u);
  const auto &first = result->stretches[0], &second = result->stretches[1];
  EXPECT_NEAR(first.answer.parameters[0], 0.5 * arm.payload[0], 0.01 * arm.payload[0]);
  EXPECT_NEAR(second.answer.parameters[0], 1.5 * arm.payload[0], 0.01 * arm.payload[0]);
  EXPECT_FALSE(first.added);
  ASSERT_TRUE(second.added);
  EXPECT_NEAR(second.added->answer.parameters[0], arm.payload[0], 0.01 * arm.payload[0]);
  EXPECT_LE(second.added->mass.low, arm.payload[0]);
  EXPECT_GE(second.added->mass.high, arm.payload[0]);
  EXPECT_EQ(result->answer().parameters, second.answer.parameters);
}

TEST(PayloadByTorques, ARobotThatIsLessSureMakesWiderIntervals) {
  const LoadedArm arm(6);
  const auto empty = arm.record(false, 0.1, 7);
  const TrainingData data = arm.data_of(arm.record(true, 0.1, 8).samples);
  double last = 0;
  for (const double sd : {1e-3, 0.1, 1.0}) {
    KnownRobot robot = arm.exactly();
    robot.information = empty.rows.transpose() * empty.rows / (sd * sd);
    robot.information_times_estimate = robot.information * arm.quantities.R * arm.truth;
    const auto result = weigh_by_torques(robot, arm.link, data, {}, kBall);
    ASSERT_TRUE(result.ok()) << result.error().message();
    const double width = result->mass.high - result->mass.low;
    EXPECT_GT(width, 1.2 * last);
    EXPECT_LE(result->mass.low, arm.payload[0]);
    EXPECT_GE(result->mass.high, arm.payload[0]);
    last = width;
  }
}

/// A robot that was identified from torques with a scale error of each joint, noise sd [N m]; what
/// each channel brought to it.
KnownRobot identified_with(const LoadedArm& arm, const Eigen::VectorXd& scales, double noise,
                           std::uint64_t seed) {
  const auto empty = arm.record(false, noise, seed);
  const Eigen::Index n = scales.size(), rows = empty.rows.rows();
  const double weight = 1 / (noise * noise);
  Eigen::VectorXd torque = empty.torque;
  for (Eigen::Index i = 0; i < rows; ++i) torque[i] *= scales[i % n];
  KnownRobot robot = arm.exactly();
  robot.information = weight * empty.rows.transpose() * empty.rows;
  robot.information_times_estimate = weight * empty.rows.transpose() * torque;
  const Eigen::VectorXd theta = minimum_norm_solution(empty.rows, torque),
                        predicted = empty.rows * theta;
  robot.parameters = arm.quantities.E * theta;
  robot.channel_parts = {.times_estimate = Eigen::MatrixXd::Zero(theta.size(), n),
                         .score = Eigen::VectorXd::Zero(n)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    robot.channel_parts.times_estimate.col(i % n) +=
        weight * predicted[i] * empty.rows.row(i).transpose();
    robot.channel_parts.score[i % n] += weight * predicted[i] * (torque[i] - predicted[i]);
  }
  return robot;
}

TrainingData loaded_with(const LoadedArm& arm, const Eigen::VectorXd& scales, double noise,
                         std::uint64_t seed) {
  auto loaded = arm.record(true, noise, seed);
  loaded.samples.torque.rowwise() *= scales.transpose().array();
  return arm.data_of(loaded.samples);
}

// Against differences of the estimate, both logs scaled.
TEST(PayloadByTorques, ContributionsAreDerivativesByTorqueScales) {
  const LoadedArm arm(31);
  const double noise = 1e-3;
  const auto fit_with = [&](const Eigen::VectorXd& scales) {
    return *payload::fit_torques(identified_with(arm, scales, noise, 32), arm.link,
                                 loaded_with(arm, scales, noise, 33).moments, {});
  };
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(5);
  const KnownRobot robot = identified_with(arm, ones, noise, 32);
  const Moments moments = loaded_with(arm, ones, noise, 33).moments;
  const payload::TorqueFit fit = *payload::fit_torques(robot, arm.link, moments, {});
  const auto contributions = payload::TorqueGains(robot, arm.link, moments, fit).contributions();
  EXPECT_LE((contributions.rowwise().sum() - fit.x).norm(), 1e-3 * fit.x.norm());
  // weights of channels follow residuals, which differ; so what remains is compared in kilograms
  for (Eigen::Index j = 0; j < 5; ++j) {
    const double step = 1e-6;
    const double moved =
        (fit_with(ones + step * Eigen::VectorXd::Unit(5, j)).x[0] - fit.x[0]) / step;
    EXPECT_NEAR(contributions(0, j), moved, 0.02 * fit.x[0]) << j;
  }
}

TEST(PayloadByTorques, IntervalsKnowTorqueScales) {
  int held = 0, held_by_option = 0;
  const int count = 40;
  for (int k = 0; k < count; ++k) {
    const LoadedArm arm(static_cast<std::uint64_t>(40 + k));
    oracle::Random random(static_cast<std::uint64_t>(140 + k));
    const Eigen::VectorXd scales = Eigen::VectorXd::Ones(5) + 0.05 * random.normal_vector(5);
    const KnownRobot robot = identified_with(arm, scales, 0.1, 32);
    const TrainingData data = loaded_with(arm, scales, 0.1, 33);
    const auto holds = [&](const PayloadOptions& options) {
      const auto result = weigh_by_torques(robot, arm.link, data, options, kBall);
      return result && result->mass.low <= arm.payload[0] && arm.payload[0] <= result->mass.high;
    };
    held += holds({});
    PayloadOptions options;
    options.torque_scale_sd = 0.05;
    held_by_option += holds(options);
  }
  EXPECT_GE(held, 0.85 * count);
  EXPECT_GE(held_by_option, 0.85 * count);
  const LoadedArm arm(40);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(5);
  const auto exact = weigh_by_torques(identified_with(arm, ones, 0.1, 32), arm.link,
                                      loaded_with(arm, ones, 0.1, 33), {}, kBall);
  ASSERT_TRUE(exact.ok());
  EXPECT_EQ(exact->torque_scales.source, TorqueScaleSpread::Source::residuals);
  EXPECT_LT(exact->torque_scales.sd, 0.02);
  int num_told = 0;
  for (const PayloadChannel& channel : exact->channels)
    if (std::isfinite(channel.mass)) {
      ++num_told;
      EXPECT_LE(channel.mass_interval.low, 1.1 * arm.payload[0]) << channel.name;
      EXPECT_GE(channel.mass_interval.high, 0.9 * arm.payload[0]) << channel.name;
    }
  EXPECT_GE(num_told, 2);
}

TEST(PayloadByTorques, AKnownMassCalibratesTorqueScales) {
  int held = 0, num_identifiable = 0;
  for (const std::uint64_t seed : {51, 52, 53, 54}) {
    const LoadedArm arm(seed);
    const Eigen::VectorXd scales = (Eigen::VectorXd(5) << 1.05, 0.93, 1.02, 1.08, 0.97).finished();
    PayloadOptions options;
    options.limits.known_mass = arm.payload[0];
    const auto result = weigh_by_torques(identified_with(arm, scales, 0.02, 32), arm.link,
                                         loaded_with(arm, scales, 0.02, 33), options, kBall);
    ASSERT_TRUE(result.ok()) << result.error().message();
    ASSERT_TRUE(result->calibration);
    ASSERT_EQ(result->calibration->gains.size(), 5U);
    for (const TorqueGain& gain : result->calibration->gains) {
      const double truth = scales[gain.coordinate];
      held += gain.interval.low <= truth && truth <= gain.interval.high;
      if (gain.is_identifiable) {
        ++num_identifiable;
        EXPECT_NEAR(gain.value / truth, 1, 0.02) << seed << " " << gain.joint;
      }
    }
  }
  EXPECT_GE(held, 16);
  EXPECT_GE(num_identifiable, 8);
}

TEST(PayloadByTorques, RefusesInvalidInput) {
  const LoadedArm arm(9);
  KnownRobot heavier = arm.exactly();
  heavier.parameters.segment<10>(10 * arm.link.body) +=
      2 * transformed(arm.link.X_body_link, arm.payload);
  const TrainingData data = arm.data_of(arm.record(true, 0, 10).samples);
  const auto negative = weigh_by_torques(heavier, arm.link, data, {}, kBall);
  ASSERT_FALSE(negative.ok());
  EXPECT_NE(negative.error().what.find("carries less"), std::string::npos);
  const auto other =
      weigh_by_torques(arm.exactly(), arm.link, data, {}, kBall, {PayloadMethod::geo});
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().remedy.find("cone"), std::string::npos);
}

}  // namespace
}  // namespace heft
