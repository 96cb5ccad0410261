// Joints whose torques the robot's file hardly predicts, because they are mostly rotors and
// friction: signs, order and gears that only free bodies reveal; and friction that reverses more
// sharply than its column, which is not a fault of the clock.
#include <cmath>

#include "planar_arm.hpp"

namespace heft {
namespace {

class LightWrists : public PlanarArm {
 protected:
  LightWrists() {
    SetupOptions options;
    options.model.columns = {{.kind = "viscous"},
                             {.kind = "coulomb", .tanh_width = 0.05},
                             {.kind = "offset"},
                             {.kind = "reflected_inertia"}};
    request_.setup = *make_setup(
        *read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}), options);
    put([](Eigen::ArrayXXd& log) { add_drives(log, 0.05); });
  }

  /// Rotors of 4 and 9 kg m^2, friction of 20 and 35 N m that turns round within `width` rad/s, or
  /// `share` of them: far beyond what the bodies weigh.
  static void add_drives(Eigen::ArrayXXd& log, double width, double share = 1) {
    constexpr double kPeriod = 0.004;
    for (const Eigen::Index joint : {1, 2}) {
      const Eigen::ArrayXd q = log.col(joint);
      const auto at = [&](Eigen::Index i) {
        return q[std::clamp<Eigen::Index>(i, 0, q.size() - 1)];
      };
      for (Eigen::Index i = 0; i < q.size(); ++i) {
        const double qd = (at(i + 1) - at(i - 1)) / (2 * kPeriod),
                     qdd = (at(i + 1) - 2 * at(i) + at(i - 1)) / (kPeriod * kPeriod);
        log(i, joint + 2) +=
            share * ((joint == 1 ? 4 : 9) * qdd + (joint == 1 ? 20 : 35) * std::tanh(qd / width));
      }
    }
  }
};

TEST_F(LightWrists, CleanLogsHaveNone) {
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

TEST_F(LightWrists, ExchangedTorquesAreNamedAndCorrected) {
  put([](Eigen::ArrayXXd& log) { log.col(3).swap(log.col(4)); });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torques-swapped ");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "torques-swapped");
  EXPECT_EQ(best.yaml, "log: {torque: [\"tau2\", \"tau1\"]}\n");
  request_.gathering.log.torque = {"tau2", "tau1"};
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

TEST_F(LightWrists, AReversedTorqueIsNamedAndCorrected) {
  put([](Eigen::ArrayXXd& log) { log.col(4) *= -1; });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-reversed elbow");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_EQ(faulty.second_pass.evidence.hypotheses.front().yaml,
            "log: {torque_scale: {\"elbow\": -1}}\n");
}

TEST_F(LightWrists, OfTheTrainingLogAloneItIsSaidSo) {
  train_.col(4) *= -1;
  const Identification faulty = identified();
  for (const LogFindings& log : faulty.second_pass.evidence.logs)
    EXPECT_EQ(std::any_of(log.findings.begin(), log.findings.end(),
                          [](const Finding& finding) { return finding.name == "torque-reversed"; }),
              !log.held_out)
        << log.log;
}

// 40 turns are nearer to degrees than to what the limits allow
TEST_F(LightWrists, AMotorIsNotTakenForDegrees) {
  constexpr double kTurns = 40;
  train_ = recorded(0.3), held_out_ = recorded(1.4);
  put([&](Eigen::ArrayXXd& log) {
    add_drives(log, 0.05, 0.1);
    log.col(2) *= kTurns;
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "position-motor-side elbow");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, 1 / kTurns, 0.05 / kTurns);
}

TEST_F(LightWrists, DegreesAreNotMistakenForAMotor) {
  put([](Eigen::ArrayXXd& log) { log.col(2) *= 180 / 3.14159265358979; });
  EXPECT_EQ(first_serious(identified()), "position-in-degrees elbow");
}

class SharpFriction : public LightWrists {};

// faster stamps would sharpen the column's tanh
TEST_F(SharpFriction, IsNoClock) {
  train_ = recorded(0.3), held_out_ = recorded(1.4);
  put([](Eigen::ArrayXXd& log) { add_drives(log, 0.02); });
  const Identification result = identified();
  for (const Hypothesis& hypothesis : result.second_pass.evidence.hypotheses)
    EXPECT_FALSE(hypothesis.id == "clock-ratio" && hypothesis.least_gain() > 3)
        << hypothesis.least_gain();
  EXPECT_EQ(find(doubts_about(result), "clock-ratio"), nullptr);
}

}  // namespace
}  // namespace heft
