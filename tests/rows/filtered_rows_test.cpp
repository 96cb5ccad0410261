// Rows through the torque's filter, compared with dense rows of Newton and Euler filtered one by
// one in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/training/training_data.hpp"
#include "rows/filtered_prediction.hpp"
#include "tests/conditioning/log_test_support.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/rows/direct_lowpass.hpp"

namespace heft {
namespace {

using testing::DirectLowpass;

constexpr double kLogRate = 250;
constexpr int kTrim = 20, kKeepEvery = 3;

/// A log of a random robot, how it is read, and what its rows must be.
class FilteredRows : public LogTest, public ::testing::WithParamInterface<int> {
 protected:
  FilteredRows() : robot_(oracle::random_robot({.min_bodies = 2, .max_bodies = 3}, GetParam())) {
    channels_ = default_channels(robot_);
    columns_ = testing::columns_of_every_kind(robot_, channels_);
    plan_ = *make_regressor_plan(robot_, channels_, columns_);
    options_.lowpass_hz = 30;
    options_.torque_lowpass_hz = 12;
    options_.dead_band = {0.05};
    options_.trim = kTrim;
    options_.keep_every = kKeepEvery;
    options_.filter_rows = true;
    derived_.signals = {"0.3*sin(q1)", "cos(q1)*abs(qd1)"};
    derived_.known_torque = {{0, "2*sin(q1)+0.1*qd1*qd1"}};
  }

  std::string log_of(int num_rows) {
    std::string header = "t";
    std::vector<std::function<double(int)>> columns = {[](int row) { return row / kLogRate; }};
    const int n = robot_.num_coordinates();
    for (int k = 0; k < n; ++k) {
      header += ",q" + std::to_string(k + 1);
      columns.push_back([k](int row) {
        return 0.7 * std::sin(0.013 * (k + 1) * row + k) + 0.2 * std::sin(0.1 * row + 2 * k) +
               1e-3 * ((row * 7919 + k) % 13);
      });
    }
    for (int k = 0; k < n; ++k) {
      header += ",tau" + std::to_string(k + 1);
      columns.push_back([k](int row) {
        return 10 * std::cos(0.02 * (k + 1) * row) + 0.3 * ((row * 104729 + k) % 11);
      });
    }
    return write(table(header, num_rows, columns));
  }

  ConditioningRun run_with(const ConditioningOptions& options) const {
    return {robot_, channels_, {}, options, derived_};
  }

  Moments moments_of(const Conditioned& log, int threads) const {
    auto backend = make_backend({.kind = BackendKind::cpu, .threads = threads});
    MomentAccumulator accumulator(plan_, **backend);
    for (std::size_t i = 0; i < log.blocks.size(); ++i)
      EXPECT_TRUE(accumulator.push(log.segments[i], log.blocks[i]).ok());
    return *accumulator.finish();
  }

  /// Rows of the whole log in parameters, one matrix a channel, filtered entry by entry, and the
  /// known torque.
  std::vector<Eigen::MatrixXd> filtered_rows(const std::string& path,
                                             Eigen::MatrixXd& known_torque) const {
    ConditioningOptions all = options_;
    all.filter_rows = false;
    all.trim = 0;
    all.keep_every = 1;
    const Conditioned log = run_with(all)(path);
    EXPECT_TRUE(log.ok()) << log.error();
    testing::RandomSamples samples;
    Samples& s = samples.samples;
    s.position = log.all(&Samples::position), s.velocity = log.all(&Samples::velocity);
    s.acceleration = log.all(&Samples::acceleration), s.signal = log.all(&Samples::signal);
    const auto num_rows = static_cast<int>(s.position.rows());
    const int num_parameters = plan_->layout.num_parameters();
    std::vector<Eigen::MatrixXd> rows(plan_->num_channels(),
                                      Eigen::MatrixXd(num_rows, num_parameters));
    for (int i = 0; i < num_rows; ++i) {
      samples.motions.push_back(oracle::motion_on_standing_base(
          robot_, s.position.row(i).transpose(), s.velocity.row(i).transpose(),
          s.acceleration.row(i).transpose()));
      const Eigen::MatrixXd Y = testing::oracle_rows(*plan_, samples, i);
      for (int c = 0; c < plan_->num_channels(); ++c) rows[c].row(i) = Y.row(c);
    }
    const DirectLowpass lowpass(options_.butterworth_order, options_.torque_lowpass_hz / kLogRate);
    const auto filter = [&](auto&& column) {
      std::vector<long double> signal(column.begin(), column.end());
      const std::vector<long double> smooth = lowpass(signal);
      for (int i = 0; i < num_rows; ++i) column[i] = static_cast<double>(smooth[i]);
    };
    for (Eigen::MatrixXd& channel : rows)
      for (int k = 0; k < num_parameters; ++k) filter(channel.col(k));
    known_torque = log.all(&Samples::known_torque).matrix();
    filter(known_torque.col(0));
    return rows;
  }

  Robot robot_;
  std::vector<Channel> channels_;
  std::vector<Column> columns_;
  PlanPtr plan_;
  ConditioningOptions options_;
  DerivedSignals derived_;
};

TEST_P(FilteredRows, AreThoseOfNewtonAndEulerFilteredOneByOne) {
  const std::string path = log_of(1500);
  const Conditioned log = run_with(options_)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  const NormalEquations equations =
      normal_equations(moments_of(log, 1), Eigen::VectorXd::Ones(plan_->num_channels()));

  Eigen::MatrixXd known;
  const std::vector<Eigen::MatrixXd> rows = filtered_rows(path, known);
  const Eigen::ArrayXXd torque = log.all(&Samples::torque), weight = log.all(&Samples::weight);
  ASSERT_GT((weight == 0).count(), 0);
  const int num_parameters = plan_->layout.num_parameters();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(num_parameters, num_parameters);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(num_parameters);
  for (int c = 0; c < plan_->num_channels(); ++c)
    for (Eigen::Index i = 0; i < torque.rows(); ++i) {
      if (weight(i, c) == 0) continue;
      const Eigen::VectorXd y = rows[c].row(kTrim + i * kKeepEvery).transpose();
      G += y * y.transpose();
      b += torque(i, c) * y;
    }
  // the ends of windows die to 3e-16 of the largest row, a long sum of which rounds as often as it
  // is long
  const double tolerance = 1e-11;
  EXPECT_LE((equations.G - G).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            tolerance * G.cwiseAbs().maxCoeff());
  EXPECT_LE((equations.b - b).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            tolerance * b.cwiseAbs().maxCoeff());

  // the known torque goes the same way, before it is subtracted
  const Eigen::ArrayXXd subtracted = log.all(&Samples::known_torque);
  for (Eigen::Index i = 0; i < subtracted.rows(); ++i)
    EXPECT_NEAR(subtracted(i, 0), known(kTrim + i * kKeepEvery, 0),
                1e-12 * known.cwiseAbs().maxCoeff());
}

TEST_P(FilteredRows, DoNotFeelTheWindows) {
  const std::string path = log_of(4000);
  const Conditioned whole = run_with(options_)(path);
  ConditioningOptions options = options_;
  options.window = 700;
  const Conditioned windows = run_with(options)(path);
  ASSERT_TRUE(whole.ok() && windows.ok());
  ASSERT_GT(windows.blocks.size(), whole.blocks.size());
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(plan_->num_channels());
  const NormalEquations a = normal_equations(moments_of(whole, 1), ones);
  const NormalEquations b = normal_equations(moments_of(windows, 1), ones);
  EXPECT_LE((a.G - b.G).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * a.G.cwiseAbs().maxCoeff());
  EXPECT_LE((a.b - b.b).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * a.b.cwiseAbs().maxCoeff());
}

TEST_P(FilteredRows, AreTheSameBitsForAnyThreadsAndReads) {
  const std::string path = log_of(4000);
  ConditioningRun run = run_with(options_);
  run.options.window = 700;
  const Moments reference = moments_of(run(path), 1);
  for (const double sum : reference.packed) ASSERT_TRUE(std::isfinite(sum));
  for (const int threads : {2, 3})
    EXPECT_EQ(moments_of(run(path), threads).packed, reference.packed);
  run.read_size = 1000;
  EXPECT_EQ(moments_of(run(path), 2).packed, reference.packed);
}

TEST_P(FilteredRows, GoOnToTheSameBitsAfterEveryWindow) {
  ConditioningRun run = run_with(options_);
  run.options.window = 700;
  const Conditioned log = run(log_of(4000));
  ASSERT_TRUE(log.ok());
  ASSERT_GT(log.blocks.size(), 3u);
  const Moments whole = moments_of(log, 1);
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
  for (std::size_t stop = 0; stop <= log.blocks.size(); ++stop) {
    MomentAccumulator first(plan_, **backend);
    for (std::size_t i = 0; i < stop; ++i)
      ASSERT_TRUE(first.push(log.segments[i], log.blocks[i]).ok());
    const TrainingData context{.plan = plan_};
    const std::string file = write("", "unfinished.heft");
    ASSERT_TRUE(write_unfinished_moments_file(context, *first.snapshot(), file).ok());
    auto read = read_unfinished_moments_file(file);
    ASSERT_TRUE(read.ok()) << read.error().message();
    auto second = MomentAccumulator::resume(std::move(read->sums), **backend);
    ASSERT_TRUE(second.ok()) << second.error().message();
    for (std::size_t i = stop; i < log.blocks.size(); ++i)
      ASSERT_TRUE(second->push(log.segments[i], log.blocks[i]).ok());
    const Moments sum = *second->finish();
    EXPECT_EQ(sum.packed, whole.packed) << "stopped after " << stop << " windows";
    EXPECT_EQ(sum.num_rows, whole.num_rows);
  }
}

TEST_P(FilteredRows, PredictTheTorqueOfTheirParameters) {
  // tau = (F Y) x, by the filtered rows and by filtering what the unfiltered ones predict
  const std::string path = log_of(1500);
  const Conditioned log = run_with(options_)(path);
  ASSERT_TRUE(log.ok());
  ASSERT_EQ(log.blocks.size(), 1u);
  Eigen::MatrixXd known;
  const std::vector<Eigen::MatrixXd> rows = filtered_rows(path, known);
  oracle::Random random(7);
  const Eigen::VectorXd x = random.normal_vector(plan_->layout.num_parameters());
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  const PredictJob job{plan_.get(), &log.blocks.front(), &x};
  Eigen::ArrayXXd predicted;
  ASSERT_TRUE(predict_as_measured(**backend, {&job, 1}, {&predicted, 1}).ok());
  for (int c = 0; c < plan_->num_channels(); ++c) {
    const Eigen::VectorXd expected = rows[c] * x;
    for (Eigen::Index i = 0; i < predicted.rows(); ++i)
      ASSERT_NEAR(predicted(i, c), expected[kTrim + i * kKeepEvery],
                  1e-11 * expected.cwiseAbs().maxCoeff());
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, FilteredRows, ::testing::Range(1, 6));

}  // namespace
}  // namespace heft
