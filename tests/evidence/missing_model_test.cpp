// Torques from which a controller subtracted a model: gravity, gravity and Coriolis torques, or all
// of the dynamics.
#include <cmath>

#include "planar_arm.hpp"

namespace heft {
namespace {

/// Of the arm's true bodies, by its textbook equations.
void subtract_gravity(Eigen::ArrayXXd& log, double share) {
  const Eigen::ArrayXd weight2 = kMass2 * kCenter2 * kGravity * (log.col(1) + log.col(2)).cos();
  log.col(3) -=
      share * ((kMass1 * kCenter1 + kMass2 * kLength1) * kGravity * log.col(1).cos() + weight2);
  log.col(4) -= share * weight2;
}

Eigen::ArrayXd slope(const Eigen::ArrayXd& values) {
  constexpr double kPeriod = 0.004;
  Eigen::ArrayXd slopes = Eigen::ArrayXd::Zero(values.size());
  slopes.segment(1, values.size() - 2) =
      (values.tail(values.size() - 2) - values.head(values.size() - 2)) / (2 * kPeriod);
  return slopes;
}

void subtract_coriolis(Eigen::ArrayXXd& log) {
  const Eigen::ArrayXd one = slope(log.col(1)), two = slope(log.col(2)),
                       h = -kMass2 * kLength1 * kCenter2 * log.col(2).sin();
  log.col(3) -= h * (2 * one * two + two.square());
  log.col(4) -= -h * one.square();
}

void leave_friction_and_noise(Eigen::ArrayXXd& log) {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  for (const Eigen::Index joint : {1, 2})
    log.col(joint + 2) =
        0.4 * slope(log.col(joint)) + 0.3 * (slope(log.col(joint)) / 0.05).tanh() +
        Eigen::ArrayXd::NullaryExpr(log.rows(), [&] { return 0.05 * normal(generator); });
}

class MissingModel : public PlanarArm {
 protected:
  void stand(const Eigen::Vector3d& gravity) {
    request_.setup = *make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = gravity}));
  }
};

TEST_F(MissingModel, CleanLogsHaveNone) {
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

TEST_F(MissingModel, GravityIsNamedByOneLineAndTheOptionFitsTheLog) {
  put([](Eigen::ArrayXXd& log) { subtract_gravity(log, 1); });
  const Identification faulty = identified();
  EXPECT_EQ(serious(faulty), std::vector<std::string>{"torque-without-gravity "});
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "torque-without-gravity");
  EXPECT_EQ(best.yaml, "robot: {gravity: [0, 0, 0]}\n");
  stand(Eigen::Vector3d::Zero());
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

TEST_F(MissingModel, MostOfGravityIsNamedToo) {
  put([](Eigen::ArrayXXd& log) { subtract_gravity(log, 0.85); });
  EXPECT_EQ(first_serious(identified()), "torque-without-gravity ");
}

TEST_F(MissingModel, CoriolisTorquesAreNamedBesideGravity) {
  put([](Eigen::ArrayXXd& log) {
    subtract_gravity(log, 1);
    subtract_coriolis(log);
  });
  const auto doubts = doubts_about(identified());
  const Doubt* doubt = find(doubts, "torque-without-gravity");
  ASSERT_NE(doubt, nullptr);
  EXPECT_NE(doubt->words.find("Coriolis"), std::string::npos) << doubt->words;
}

TEST_F(MissingModel, DetectsAnEstimateOfTheExternalTorque) {
  put(leave_friction_and_noise);
  EXPECT_EQ(first_serious(identified()), "torque-external ");
}

TEST_F(MissingModel, AHorizontalArmIsNotDoubtedForIt) {
  put([](Eigen::ArrayXXd& log) { subtract_gravity(log, 1); });
  stand({0, 0, -kGravity});  // along the axes of both joints
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

TEST_F(MissingModel, IsNotConfusedWithOtherFaults) {
  put([](Eigen::ArrayXXd& log) { log.col(1).swap(log.col(2)); });
  EXPECT_EQ(first_serious(identified()), "positions-swapped ");
}

}  // namespace
}  // namespace heft
