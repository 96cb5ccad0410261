// Rows without unknown wrenches compared with least squares on parameters and wrenches together, on
// dense rows of Newton and Euler.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "linalg/factorizations.hpp"
#include "rows/filtered_prediction.hpp"
#include "rows/projected_rows.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

constexpr int kSamples = 60;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Samples of a random robot on which two wrenches of three and five components act in turn.
class Projection : public ::testing::TestWithParam<int> {
 protected:
  Projection()
      : random_(static_cast<std::uint64_t>(GetParam())),
        robot_(oracle::random_robot(oracle::RandomRobotOptions::everything(true), GetParam())) {
    const std::vector<Channel> channels = default_channels(robot_);
    plan_ =
        *make_regressor_plan(robot_, channels, testing::columns_of_every_kind(robot_, channels));
    data_ = testing::random_samples(*plan_, kSamples, GetParam());
    auto wrenches = std::make_shared<UnknownWrenches>();
    wrenches->noise = Eigen::VectorXd(plan_->num_channels());
    for (double& s : wrenches->noise) s = std::exp(random_.normal());
    int signal = plan_->num_signals;
    for (const int num_components : {3, 5}) {
      std::vector<int> affected = {0, 1, 2, 3, 4, 5};
      for (int c = 6; c < plan_->num_channels(); ++c)
        if (random_.uniform() < 0.7) affected.push_back(c);
      for (int k = 0; k < num_components; ++k) {
        wrenches->directions.push_back({signal, affected});
        signal += static_cast<int>(affected.size());
      }
    }
    act(*wrenches, signal);
    wrenches_ = wrenches;
  }

  /// Writes directions, which are zero while the wrench does not act.
  void act(const UnknownWrenches& wrenches, int num_signals) {
    data_.samples.signal.conservativeResize(Eigen::NoChange, num_signals);
    for (int k = 0; k < std::ssize(wrenches.directions); ++k)
      for (int t = 0; t < kSamples; ++t)
        for (std::size_t c = 0; c < wrenches.directions[k].channels.size(); ++c)
          data_.samples.signal(t, wrenches.directions[k].first_signal + static_cast<int>(c)) =
              acts(t, k) ? random_.normal() : 0;
  }
  static bool acts(int t, int direction) { return direction < 3 ? t % 3 != 0 : t % 4 == 1; }

  /// The block as conditioning delivers it, with an identity for its filter.
  Samples block() const {
    Samples block = data_.samples;
    UnfilteredMotion motion{
        .samples = data_.samples, .unknown_wrenches = wrenches_, .measured = measured_};
    motion.samples.weight.resize(0, 0);
    motion.lowpass = *Smoother::make({.kind = FilterKind::none}, 10, 1000, "");
    block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
    return block;
  }

  /// Channels of a sample that enter the sums.
  std::vector<int> used(int t) const {
    bool mixed = true;  // all affected channels that are measured
    std::vector<bool> is_affected(plan_->num_channels(), false);
    for (const UnknownDirection& direction : wrenches_->directions)
      for (const int c : direction.channels) is_affected[c] = true;
    for (int c = 0; c < plan_->num_channels(); ++c)
      if (is_affected[c] && measured_[c]) mixed = mixed && data_.samples.weight(t, c) != 0;
    std::vector<int> channels;
    for (int c = 0; c < plan_->num_channels(); ++c)
      if (is_affected[c] ? mixed && measured_[c] : data_.samples.weight(t, c) != 0)
        channels.push_back(c);
    return channels;
  }

  /// J'/s of a sample.
  Eigen::MatrixXd directions(int t) const {
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(plan_->num_channels(), 8);
    for (int k = 0; k < 8; ++k) {
      const UnknownDirection& direction = wrenches_->directions[k];
      for (std::size_t c = 0; c < direction.channels.size(); ++c)
        D(direction.channels[c], k) =
            data_.samples.signal(t, direction.first_signal + static_cast<int>(c)) /
            wrenches_->noise[direction.channels[c]];
    }
    return D;
  }

  oracle::Random random_;
  Robot robot_;
  PlanPtr plan_;
  testing::RandomSamples data_;
  std::shared_ptr<const UnknownWrenches> wrenches_;
  std::vector<bool> measured_ = std::vector<bool>(64, true);
};

TEST_P(Projection, IsLeastSquaresOnParametersAndWrenches) {
  measured_.assign(plan_->num_channels(), true);
  measured_[1] = false;  // as if a motor drove the base along y
  data_.samples.weight.col(1).setZero();
  data_.samples.torque.col(1).setZero();
  const int P = plan_->layout.num_parameters();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(P, P);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(P);
  int num_samples = 0;
  for (int t = 0; t < kSamples; ++t) {
    const std::vector<int> channels = used(t);
    if (channels.empty()) continue;
    num_samples += channels.size() > 6;
    const Eigen::VectorXd inverse = wrenches_->noise.cwiseInverse()(channels);
    const Eigen::MatrixXd Y =
        inverse.asDiagonal() * testing::oracle_rows(*plan_, data_, t)(channels, Eigen::all);
    const Eigen::VectorXd tau =
        inverse.cwiseProduct(data_.samples.torque.row(t).transpose().matrix()(channels));
    const Eigen::MatrixXd D = directions(t)(channels, Eigen::all);
    // the wrenches are eliminated from the normal equations of both
    const Eigen::MatrixXd DtD = D.transpose() * D;
    const Eigen::MatrixXd inside =
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(DtD).pseudoInverse();
    G += Y.transpose() * Y - Y.transpose() * D * inside * D.transpose() * Y;
    b += Y.transpose() * tau - Y.transpose() * D * inside * (D.transpose() * tau);
  }
  ASSERT_GT(num_samples, 5);
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
  MomentAccumulator accumulator(projected_plan(plan_, *wrenches_), **backend);
  ASSERT_TRUE(accumulator.push(0, block()).ok());
  const Moments moments = *accumulator.finish();
  const NormalEquations equations =
      normal_equations(moments, wrenches_->noise.array().square().inverse().matrix());
  EXPECT_LE((equations.G - G).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-9 * G.cwiseAbs().maxCoeff());
  EXPECT_LE((equations.b - b).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-9 * b.cwiseAbs().maxCoeff());
}

TEST_P(Projection, PredictsTheWrenchesThatExplainTheTorquesBest) {
  measured_.assign(plan_->num_channels(), true);
  data_.samples.weight.setOnes();
  Eigen::VectorXd x(plan_->layout.num_parameters());
  for (double& value : x) value = random_.normal();
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  const Samples samples = block();
  const PredictJob job{plan_.get(), &samples, &x};
  Eigen::ArrayXXd predicted = Eigen::ArrayXXd::Constant(kSamples, plan_->num_channels(), kNaN);
  ASSERT_TRUE(predict_as_measured(**backend, {&job, 1}, {&predicted, 1}).ok());
  const Eigen::VectorXd inverse = wrenches_->noise.cwiseInverse();
  for (int t = 0; t < kSamples; ++t) {
    const Eigen::VectorXd tau = data_.samples.torque.row(t).transpose();
    const Eigen::VectorXd left =
        inverse.cwiseProduct(tau - Eigen::VectorXd(predicted.row(t).transpose().matrix()));
    const Eigen::VectorXd whole =
        inverse.cwiseProduct(tau - testing::oracle_rows(*plan_, data_, t) * x);
    const Eigen::MatrixXd D = directions(t);
    const double size = std::max(1.0, whole.norm());
    EXPECT_LE((D.transpose() * left).norm(), 1e-10 * size * std::max(1.0, D.norm()));
    const Eigen::VectorXd moved = whole - left;
    const Eigen::VectorXd f = D.completeOrthogonalDecomposition().solve(moved);
    EXPECT_LE((D * f - moved).norm(), 1e-10 * size);
    if (!acts(t, 0) && !acts(t, 3)) {
      EXPECT_LE(moved.norm(), 1e-10 * size);
    }
  }
}

// Without a filter, the rows of a sample do not depend on others, nor on how many columns are in
// memory at a time: a block so long that it is only one tile of them.
TEST_P(Projection, OfLongBlocksIsThatOfShortOnes) {
  const auto rows_of = [&](int copies) {
    const Samples given = data_.samples;
    for_each_array(given, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
      if (numbers.size() > 0) data_.samples.*array.member = numbers.replicate(copies, 1);
    });
    data_.samples.time = Eigen::ArrayXd::LinSpaced(copies * kSamples, 0, 0.001 * copies * kSamples);
    Samples samples = block();
    data_.samples = given;
    UnfilteredMotion motion = *samples.unfiltered;
    motion.measured.assign(static_cast<std::size_t>(plan_->num_channels()), true);
    samples.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
    auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
    MadeRows made;
    EXPECT_TRUE(make_projected_rows(*plan_, samples, **backend, made).ok());
    return made.rows;
  };
  const int copies = 20'000'000 / (8 * 16 * kSamples * plan_->num_channels()) + 1;
  const std::vector<RowArray> some = rows_of(1), many = rows_of(copies);
  ASSERT_EQ(some.size(), many.size());
  for (std::size_t c = 0; c < some.size(); ++c) {
    ASSERT_EQ(many[c].rows(), copies * kSamples);
    ASSERT_GT(some[c].abs().maxCoeff(), 0) << c;
    // the order of a sum over channels may differ between positions in a register
    const double bound = 1e-13 * some[c].abs().maxCoeff();
    for (int copy = 0; copy < copies; copy += 7)
      EXPECT_LE((many[c].middleRows(copy * kSamples, kSamples) - some[c])
                    .abs()
                    .maxCoeff<Eigen::PropagateNaN>(),
                bound)
          << c;
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Projection, ::testing::Range(1, 9));

}  // namespace
}  // namespace heft
