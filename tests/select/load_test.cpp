// Loads: the torque that a reference robot's rigid bodies need, compared with Newton and Euler, and
// as expressions use it.
#include "setup/load.hpp"

#include <gtest/gtest.h>

#include "conditioning/expressions.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

class Load : public ::testing::TestWithParam<int> {
 protected:
  Load() : robot_(oracle::random_robot({}, static_cast<std::uint64_t>(GetParam()))) {
    channels_ = default_channels(robot_);
    const PlanPtr plan = *make_regressor_plan(robot_, channels_, {});
    random_ = testing::random_samples(*plan, 40, static_cast<std::uint64_t>(GetParam()));
  }

  Eigen::ArrayXXd expected() const {
    Eigen::ArrayXXd torque(random_.samples.size(), static_cast<Eigen::Index>(channels_.size()));
    for (Eigen::Index i = 0; i < torque.rows(); ++i)
      torque.row(i) = oracle::newton_euler_torques(robot_, random_.motions[i]).transpose().array();
    return torque;
  }

  Robot robot_;
  std::vector<Channel> channels_;
  testing::RandomSamples random_;
};

TEST_P(Load, MatchesNewtonEuler) {
  const auto load = make_load(robot_, channels_, inertia_of_file(robot_));
  ASSERT_TRUE(load.ok()) << load.error().message();
  const auto torque = (*load)(random_.samples);
  ASSERT_TRUE(torque.ok());
  const Eigen::ArrayXXd reference = expected();
  EXPECT_LE((*torque - reference).abs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * reference.abs().maxCoeff());
}

TEST_P(Load, OfABodyTwiceAsHeavyIsTwiceAsLarge) {
  std::vector<double> doubled = inertia_of_file(robot_);
  for (double& number : doubled) number *= 2;
  const auto torque = (*make_load(robot_, channels_, doubled))(random_.samples);
  ASSERT_TRUE(torque.ok());
  const Eigen::ArrayXXd reference = 2 * expected();
  EXPECT_LE((*torque - reference).abs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * reference.abs().maxCoeff());
}

TEST_P(Load, StandsInExpressionsUnderTheJointsNumber) {
  DerivedSignals derived;
  derived.signals = {"2*abs(load1)", "q1"};
  derived.load = *make_load(robot_, channels_, inertia_of_file(robot_));
  auto expressions = Expressions::compile(derived, robot_, channels_, {"t"});
  ASSERT_TRUE(expressions.ok()) << expressions.error().message();
  Samples block = random_.samples;
  ASSERT_TRUE(expressions->evaluate(Eigen::ArrayXXd(block.size(), 0), block).ok());
  int channel = 0;
  while (channels_[channel].coordinate != 0) ++channel;
  const Eigen::ArrayXd reference = 2 * expected().col(channel).abs();
  EXPECT_LE((block.signal.col(0) - reference).abs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * expected().abs().maxCoeff());
  EXPECT_TRUE((block.signal.col(1) == block.position.col(0)).all());
}

TEST_P(Load, RefusesInertiasOfAnotherRobot) {
  std::vector<double> inertia = inertia_of_file(robot_);
  inertia.resize(inertia.size() + 10, 1.0);
  const auto load = make_load(robot_, channels_, inertia);
  ASSERT_FALSE(load.ok());
  EXPECT_EQ(load.error().where, "load.inertia");
}

INSTANTIATE_TEST_SUITE_P(Robots, Load, ::testing::Range(1, 9));

TEST(HoldsLoad, SeesTheNameAndNotAPartOfAnother) {
  EXPECT_TRUE(holds_load("abs(load)*qd"));
  EXPECT_TRUE(holds_load("2*load_elbow"));
  EXPECT_TRUE(holds_load("load3"));
  EXPECT_FALSE(holds_load("payload*qd"));
  EXPECT_FALSE(holds_load("q1*qd1"));
}

}  // namespace
}  // namespace heft
