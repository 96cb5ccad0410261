// Rows of momentum and power, filtered and over intervals, against the rows of Newton and Euler for
// the same smooth motion, with its exact accelerations, and filtered entry by entry in long double:
// column by column F[d/dt Y_p - Y_C'v + Y_g] = F[Y], F[d/dt (Y_K + Y_U)] = F[qd'Y]. What is left is
// the error of a central difference, (2 pi f step)^2 / 6.
#include "rows/row_kind.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/solve/least_squares.hpp"
#include "rows/filtered_prediction.hpp"
#include "rows/row_stage.hpp"
#include "rows/unfiltered_motion.hpp"
#include "rows/whitening.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/rows/direct_lowpass.hpp"

namespace heft {
namespace {

constexpr double kRate = 1000, kCutoff = 25;
constexpr int kOrder = 4, kNumRows = 1600, kFirst = 500, kStep = 7, kKept = 80;
constexpr double kFastest = 4;  ///< [rad/s]
// two differences in velocity and in its rate, of products of a few sines: ten times that of the
// fastest
const double kTolerance = 10 * std::pow(kFastest / kRate, 2) + 1e-9;

class RowKinds : public ::testing::TestWithParam<int> {
 protected:
  RowKinds() : robot_(oracle::random_robot({.min_bodies = 2, .max_bodies = 4}, GetParam())) {
    channels_ = default_channels(robot_);
    plan_ =
        *make_regressor_plan(robot_, channels_, testing::columns_of_every_kind(robot_, channels_));
    make_motion();
  }

  void make_motion() {
    oracle::Random random(static_cast<std::uint64_t>(GetParam()) + 77);
    const int n = robot_.num_coordinates(), m = plan_->num_channels();
    Samples& s = motion_.samples;
    s.time.setLinSpaced(kNumRows, 0, (kNumRows - 1) / kRate);
    for (auto* array : {&s.position, &s.velocity, &s.acceleration}) array->setZero(kNumRows, n);
    s.torque.resize(kNumRows, m), s.signal.resize(kNumRows, plan_->num_signals);
    for (int k = 0; k < n; ++k)
      for (int h = 1; h <= 3; ++h) {
        const double w = kFastest * h / 3 * random.uniform(0.6, 1.0), a = random.normal() / h,
                     p = 6 * random.uniform();
        const Eigen::ArrayXd phase = w * s.time + p;
        s.position.col(k) += a * phase.sin();
        s.velocity.col(k) += a * w * phase.cos();
        s.acceleration.col(k) -= a * w * w * phase.sin();
      }
    for (int t = 0; t < kNumRows; ++t) {
      for (int k = 0; k < plan_->num_signals; ++k) s.signal(t, k) = std::sin(0.01 * t + k);
      for (int c = 0; c < m; ++c) s.torque(t, c) = 3 * std::cos(0.02 * t + c);
      motion_.motions.push_back(oracle::motion_on_standing_base(
          robot_, s.position.row(t).transpose(), s.velocity.row(t).transpose(),
          s.acceleration.row(t).transpose()));
    }
  }

  /// A block of every kStep-th sample; its accelerations, which no momentum needs, are not numbers.
  Samples block_of(const char* kind) const {
    const auto rows = Eigen::seqN(kFirst, kKept, kStep);
    const Samples& s = motion_.samples;
    Samples block{.time = s.time(rows)};
    block.torque.setConstant(kKept, plan_->num_channels(),
                             std::numeric_limits<double>::quiet_NaN());
    block.weight.setOnes(kKept, plan_->num_channels());
    UnfilteredMotion around;
    around.samples = s;
    around.samples.acceleration.setConstant(std::numeric_limits<double>::quiet_NaN());
    around.first = kFirst, around.step = kStep;
    around.lowpass = *Smoother::make({.butterworth_order = kOrder}, kCutoff, kRate, "");
    around.kind = find_row_kind(kind);
    block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(around));
    return block;
  }

  static Eigen::VectorXd filtered(const Eigen::VectorXd& column) {
    static const testing::DirectLowpass lowpass(kOrder, kCutoff / kRate);
    const auto smooth = lowpass({column.begin(), column.end()});
    Eigen::VectorXd kept(kKept);
    for (int i = 0; i < kKept; ++i) kept[i] = static_cast<double>(smooth[kFirst + kStep * i]);
    return kept;
  }

  /// Rows in all parameters: kKept x parameters of every channel.
  Eigen::MatrixXd oracle_rows(int channel) const {
    Eigen::MatrixXd rows(kNumRows, plan_->layout.num_parameters());
    for (int t = 0; t < kNumRows; ++t)
      rows.row(t) = testing::oracle_rows(*plan_, motion_, t).row(channel);
    return rows;
  }

  static Eigen::MatrixXd filtered_columns(const Eigen::MatrixXd& rows) {
    Eigen::MatrixXd result(kKept, rows.cols());
    for (Eigen::Index k = 0; k < rows.cols(); ++k) result.col(k) = filtered(rows.col(k));
    return result;
  }

  /// Of columns over an interval of one period of the cutoff around every kept sample, by the
  /// trapezoidal rule.
  static Eigen::MatrixXd means(const Eigen::MatrixXd& columns) {
    constexpr int kHalf = static_cast<int>(kRate / kCutoff / 2);
    Eigen::MatrixXd result(kKept, columns.cols());
    for (int i = 0; i < kKept; ++i) {
      const int at = kFirst + kStep * i;
      result.row(i) = 0.5 * (columns.row(at - kHalf) + columns.row(at + kHalf));
      for (int k = at - kHalf + 1; k < at + kHalf; ++k) result.row(i) += columns.row(k);
    }
    return result / (2 * kHalf);
  }

  /// Columns of a channel as parameters.
  static Eigen::MatrixXd in_parameters(const RegressorPlan& plan, int channel,
                                       const RowArray& row) {
    Eigen::MatrixXd structural = Eigen::MatrixXd::Zero(row.rows(), plan.num_structural_columns());
    const std::vector<int>& columns = plan.channel_columns[channel];
    for (std::size_t k = 0; k < columns.size(); ++k)
      structural.col(columns[k]) = row.col(k).matrix();
    return structural * plan.regrouping;
  }

  Robot robot_;
  std::vector<Channel> channels_;
  PlanPtr plan_;
  testing::RandomSamples motion_;
};

void expect_near(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs, double size) {
  ASSERT_TRUE(ours.allFinite());
  ASSERT_GT(size, 0);
  EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), kTolerance * size);
}

TEST_P(RowKinds, MomentumIsTorqueWithoutAcceleration) {
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  MadeRows made;
  const Samples block = block_of("momentum");
  ASSERT_TRUE(RowStage(plan_, {}).run(block, *backend, made).ok());
  ASSERT_EQ(static_cast<int>(made.rows.size()), plan_->num_channels());
  for (int c = 0; c < plan_->num_channels(); ++c) {
    const Eigen::MatrixXd theirs = filtered_columns(oracle_rows(c));
    expect_near(in_parameters(*plan_, c, made.rows[c]), theirs, theirs.cwiseAbs().maxCoeff());
    expect_near(made.rows[c].rightCols(1).matrix(), filtered(motion_.samples.torque.col(c)), 3);
  }
}

TEST_P(RowKinds, ThreadsChangeNoBit) {
  for (const char* kind : {"momentum", "impulse"}) {
    const Samples block = block_of(kind);
    MadeRows of_one, of_three;
    for (auto [threads, made] : {std::pair{1, &of_one}, std::pair{3, &of_three}}) {
      const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = threads});
      EXPECT_EQ(backend->num_threads(), threads);
      ASSERT_TRUE(RowStage(plan_, {}).run(block, *backend, *made).ok());
    }
    ASSERT_EQ(of_one.rows.size(), of_three.rows.size());
    for (std::size_t c = 0; c < of_one.rows.size(); ++c)
      EXPECT_TRUE((of_one.rows[c] == of_three.rows[c]).all()) << kind << ' ' << c;
  }
}

TEST_P(RowKinds, PowerIsTorqueTimesVelocity) {
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  const RowKind& kind = *find_row_kind("power");
  const PlanPtr plan = plan_of_rows(kind, plan_);
  Samples block = block_of("power");
  // the acceleration of columns that multiply it is their own joint's: its rate of energy
  MadeRows made;
  block.weight(3, plan_->num_channels() - 1) = 0;  // a balance lacks what one torque lacks
  ASSERT_TRUE(RowStage(plan, {}).run(block, *backend, made).ok());
  Eigen::MatrixXd power = Eigen::MatrixXd::Zero(kNumRows, plan_->layout.num_parameters());
  Eigen::VectorXd measured = Eigen::VectorXd::Zero(kNumRows);
  for (int c = 0; c < plan_->num_channels(); ++c) {
    const Eigen::VectorXd v = motion_.samples.velocity.col(plan_->channels[c].coordinate).matrix();
    power += v.asDiagonal() * oracle_rows(c);
    measured += v.cwiseProduct(motion_.samples.torque.col(c).matrix());
  }
  Eigen::MatrixXd theirs = filtered_columns(power);
  const double size = theirs.cwiseAbs().maxCoeff();
  theirs.row(3).setZero();
  Eigen::VectorXd filtered_power = filtered(measured);
  filtered_power[3] = 0;
  expect_near(in_parameters(*plan, 0, made.rows[0]), theirs, size);
  expect_near(made.rows[0].rightCols(1).matrix(), filtered_power,
              filtered_power.cwiseAbs().maxCoeff());
  EXPECT_EQ(made.weight(3, 0), 0);
  EXPECT_EQ(made.weight(4, 0), 1);
  for (int c = 1; c < plan_->num_channels(); ++c) {
    EXPECT_TRUE((made.rows[c] == 0).all());
    EXPECT_TRUE((made.weight.col(c) == 0).all());
  }
}

TEST_P(RowKinds, ImpulseIsTheIntegralOfTorque) {
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  MadeRows made;
  const Samples block = block_of("impulse");
  ASSERT_TRUE(RowStage(plan_, {}).run(block, *backend, made).ok());
  for (int c = 0; c < plan_->num_channels(); ++c) {
    const Eigen::MatrixXd theirs = means(oracle_rows(c));
    expect_near(in_parameters(*plan_, c, made.rows[c]), theirs, theirs.cwiseAbs().maxCoeff());
    expect_near(made.rows[c].rightCols(1).matrix(), means(motion_.samples.torque.col(c).matrix()),
                3);
  }
}

TEST_P(RowKinds, WorkIsTheIntegralOfPower) {
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  const PlanPtr plan = plan_of_rows(*find_row_kind("work"), plan_);
  MadeRows made;
  ASSERT_TRUE(RowStage(plan, {}).run(block_of("work"), *backend, made).ok());
  Eigen::MatrixXd power = Eigen::MatrixXd::Zero(kNumRows, plan_->layout.num_parameters());
  Eigen::VectorXd measured = Eigen::VectorXd::Zero(kNumRows);
  for (int c = 0; c < plan_->num_channels(); ++c) {
    const Eigen::VectorXd v = motion_.samples.velocity.col(plan_->channels[c].coordinate).matrix();
    power += v.asDiagonal() * oracle_rows(c);
    measured += v.cwiseProduct(motion_.samples.torque.col(c).matrix());
  }
  expect_near(in_parameters(*plan, 0, made.rows[0]), means(power), power.cwiseAbs().maxCoeff());
  expect_near(made.rows[0].rightCols(1).matrix(), means(measured), measured.cwiseAbs().maxCoeff());
  for (int c = 1; c < plan_->num_channels(); ++c) EXPECT_TRUE((made.rows[c] == 0).all());
}

TEST_P(RowKinds, EndsOfTheMotionCountForNothing) {
  // beyond them intervals and filters would have to guess
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  for (const char* name : {"momentum", "impulse", "power", "work"}) {
    Samples block = block_of(name);
    UnfilteredMotion around = *block.unfiltered;
    around.first = 0, around.step = kNumRows / (kKept - 1);
    block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(around));
    MadeRows made;
    ASSERT_TRUE(
        RowStage(plan_of_rows(*find_row_kind(name), plan_), {}).run(block, *backend, made).ok());
    for (const int i : {0, kKept - 1}) {
      EXPECT_EQ(made.weight(i, 0), 0) << name;
      EXPECT_TRUE((made.rows[0].row(i) == 0).all()) << name;
    }
    EXPECT_EQ(made.weight(kKept / 2, 0), 1) << name;
  }
}

TEST_P(RowKinds, EveryKindCanPredictTorque) {
  Samples block = block_of("impulse");
  EXPECT_EQ(&row_kind_of(with_torque_rows(block)), find_row_kind("torque"));
  EXPECT_NE(with_torque_rows(block).unfiltered, nullptr);  // rows of torque through the filter
  UnfilteredMotion around = *block.unfiltered;
  around.filters_predictions = false;
  block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(around));
  EXPECT_EQ(with_torque_rows(block).unfiltered, nullptr);
  EXPECT_NE(block.unfiltered, nullptr);
}

TEST_P(RowKinds, SumsCountTheRowsThatAreThere) {
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  const PlanPtr plan = plan_of_rows(*find_row_kind("power"), plan_);
  MomentAccumulator accumulator(plan, *backend);
  ASSERT_TRUE(accumulator.push(0, block_of("power")).ok());
  const Moments moments = *accumulator.finish();
  EXPECT_EQ(moments.num_rows.front(), kKept);
  for (int c = 1; c < plan->num_channels(); ++c) EXPECT_EQ(moments.num_rows[c], 0);
  const auto fit = fit_weighted(moments, 2, 1e-7);
  ASSERT_TRUE(fit.ok());
  EXPECT_TRUE(fit->weighted.x.allFinite());
}

TEST_P(RowKinds, TorquesArePredictedFromTheBlocksOwnMotion) {
  // whatever is summed, predictions are judged without the filter of rows: of the block itself
  Samples block = block_of("momentum");
  const auto rows = Eigen::seqN(kFirst, kKept, kStep);
  for (auto array :
       {&Samples::position, &Samples::velocity, &Samples::acceleration, &Samples::signal})
    block.*array = (motion_.samples.*array)(rows, Eigen::all);
  UnfilteredMotion around = *block.unfiltered;
  around.filters_predictions = false;
  block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(around));
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  const Eigen::VectorXd x = Eigen::VectorXd::Ones(plan_->layout.num_parameters());
  const PredictJob job{plan_.get(), &block, &x};
  Eigen::ArrayXXd ours, alone;
  ASSERT_TRUE(predict_as_measured(*backend, {&job, 1}, {&ours, 1}).ok());
  block.unfiltered = nullptr;
  ASSERT_TRUE(backend->predict({&job, 1}, {&alone, 1}).ok());
  EXPECT_TRUE(ours.isFinite().all());
  EXPECT_TRUE((ours == alone).all());
}

INSTANTIATE_TEST_SUITE_P(Robots, RowKinds, ::testing::Range(0, 12));

TEST(RowKindTable, NamesAreOneEach) {
  std::set<std::string> names;
  for (const RowKind* kind : row_kinds()) {
    EXPECT_TRUE(names.insert(kind->name).second);
    EXPECT_EQ(find_row_kind(kind->name), kind);
  }
  for (const char* name : {"torque", "momentum", "impulse", "power", "work"})
    EXPECT_TRUE(names.contains(name));
  EXPECT_EQ(find_row_kind("energy"), nullptr);
}

TEST(RowKindTable, ABaseThatMovesHasNoMomentum) {
  Robot robot = oracle::random_robot({.min_bodies = 2, .max_bodies = 2, .floating_base = true}, 3);
  const PlanPtr plan = *make_regressor_plan(robot, default_channels(robot), {});
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  for (const char* name : {"momentum", "impulse", "power", "work"}) {
    MadeRows made;
    const auto done = find_row_kind(name)->make(*plan, Samples(), *backend, made);
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().what.find("velocity of the base"), std::string::npos);
  }
}

}  // namespace
}  // namespace heft
