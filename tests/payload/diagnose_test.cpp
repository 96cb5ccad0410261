// Logs with one fault each: rejected or doubted, with the option that corrects the fault.
#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "heft/payload/payload.hpp"
#include "host/applications/payload/checks/motion_checks.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

Result<PayloadResult> weigh(const Record& record, PayloadOptions options = {}) {
  return weigh_payload(samples_of(record), options, *read_payload_shape({}));
}

bool holds(const std::vector<PayloadDoubt>& doubts, const std::string& words) {
  for (const PayloadDoubt& doubt : doubts)
    if ((doubt.what + " " + doubt.remedy).find(words) != std::string::npos) return true;
  return false;
}

std::string all(const std::vector<PayloadDoubt>& doubts) {
  std::string text;
  for (const PayloadDoubt& doubt : doubts) text += doubt.what + ": " + doubt.remedy + "\n";
  return text;
}

void expect_refused(const Record& record, const std::string& remedy) {
  const auto result = weigh(record);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().remedy.find(remedy), std::string::npos) << result.error().message();
}

TEST(PayloadDiagnosis, AGoodLogIsNotDoubted) {
  const Record record = shaken(10);
  const auto result = weigh(record);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(result->doubts.empty()) << all(result->doubts);
  EXPECT_TRUE(
      payload::doubts_about_motion(samples_of(record), {record.w, record.wd, record.g, record.a})
          .empty());
}

TEST(PayloadDiagnosis, ReversedSign) {
  Record record = shaken(10);
  record.wrench = -record.wrench;
  expect_refused(record, "payload.sign: -1");
}

TEST(PayloadDiagnosis, ForceAndTorqueSwapped) {
  Record record = shaken(10);
  const Eigen::ArrayXXd force = record.wrench.leftCols(3);
  record.wrench.leftCols(3) = record.wrench.rightCols(3).eval();
  record.wrench.rightCols(3) = force;
  expect_refused(record, "swap");
}

TEST(PayloadDiagnosis, NothingMoves) {
  Record record = shaken(1);
  for (Eigen::ArrayXXd* columns : {&record.w, &record.wd, &record.a}) columns->setZero();
  record.g.rowwise() = record.g.row(0).eval();
  expect_refused(record, "turn the sensor");
}

TEST(PayloadDiagnosis, TurnedSensorIsGivenItsMounting) {
  // the log has the motion of a flange; the sensor sits at 45 degrees on it
  Record record = shaken(10);
  const Eigen::Isometry3d mounting = *pose_of({0, 0, 0, 0, 0, M_PI / 4}, "");
  const Eigen::Matrix3d R = mounting.linear();
  for (int k = 0; k < 2; ++k)
    record.wrench.middleCols(3 * k, 3) =
        (record.wrench.middleCols(3 * k, 3).matrix() * R).array().eval();
  const auto result = weigh(record);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(holds(result->doubts, "45 degrees")) << all(result->doubts);
  EXPECT_TRUE(holds(result->doubts, "0.7854]")) << all(result->doubts);
}

TEST(PayloadDiagnosis, ClippedChannel) {
  Record record = shaken(10);
  record.wrench.col(2) = record.wrench.col(2).min(0.6 * record.wrench.col(2).maxCoeff());
  const auto result = weigh(record);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(holds(result->doubts, "fz stays at")) << all(result->doubts);
}

TEST(PayloadDiagnosis, DeadChannel) {
  Record record = shaken(10);
  record.wrench.col(4) = 0.25;
  const auto result = weigh(record);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(holds(result->doubts, "ny never changes")) << all(result->doubts);
}

TEST(PayloadDiagnosis, AWrenchOfAnotherLog) {
  Record record = shaken(10);
  record.wrench = record.wrench.colwise().reverse().eval();
  const auto result = weigh(record);
  ASSERT_TRUE(!result.ok() || holds(result->doubts, "explains only")) << all(result->doubts);
}

TEST(PayloadDiagnosis, NumbersThatNoSensorShows) {
  Record record = shaken(1);
  record.wrench(3, 3) = 1e300;
  const auto samples =
      make_wrench_samples(record.time, record.w, record.wd, record.a - record.g, record.wrench);
  ASSERT_FALSE(samples.ok());
  EXPECT_NE(samples.error().message().find("1e+300"), std::string::npos)
      << samples.error().message();
}

TEST(PayloadDiagnosis, TorqueInNewtonMillimeters) {
  Record record = shaken(10);
  record.wrench.rightCols(3) *= 1000;
  const auto result = weigh(record);
  if (result.ok()) {
    EXPECT_TRUE(holds(result->doubts, "N mm")) << all(result->doubts);
  } else {
    EXPECT_NE(result.error().remedy.find("N mm"), std::string::npos) << result.error().message();
  }
}

TEST(PayloadDiagnosis, KilogramsForce) {
  Record record = shaken(10);
  record.wrench /= 9.80665;
  const auto result = weigh(record, {.limits = {.known_mass = truth_of()[0]}});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(holds(result->doubts, "kilograms-force")) << all(result->doubts);
}

TEST(PayloadDiagnosis, AKnownMassInGrams) {
  const auto result = weigh(shaken(10), {.limits = {.known_mass = 1000 * truth_of()[0]}});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(holds(result->doubts, "grams")) << all(result->doubts);
  EXPECT_TRUE(has_open_doubt(result->doubts));
}

TEST(PayloadDiagnosis, AKnownMassThatNothingHas) {
  for (const double mass : {1e300, -1.0, 1e-12, std::nan("")}) {
    const auto result = weigh(shaken(2), {.limits = {.known_mass = mass}});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().where, "payload.known_mass");
    EXPECT_NE(result.error().remedy.find("kilograms"), std::string::npos);
  }
}

TEST(PayloadDiagnosis, ReportsResidualsThatAreNotNoise) {
  // a push by hand for a second
  Record record = shaken(10);
  for (Eigen::Index i = 400; i < 500; ++i)
    record.wrench(i, 0) += 30 * std::sin(M_PI * 0.01 * static_cast<double>(i - 400));
  const auto result = weigh(record);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(holds(result->doubts, " % is not noise")) << all(result->doubts);
  EXPECT_TRUE(has_open_doubt(result->doubts));
}

TEST(PayloadDiagnosis, NoiseIsNotASeriousDoubt) {
  // a load of 20 g on a sensor with noise of 0.1 N
  Record record = shaken(10, {{0.01, {0.1, 0, 0}}, {0.01, {0, 0.1, 0.05}}});
  RandomStream random(3);
  for (Eigen::Index i = 0; i < record.wrench.size(); ++i)
    record.wrench.data()[i] += (i < 3 * record.wrench.rows() ? 0.3 : 0.03) * random.normal();
  const auto result = weigh(record);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(holds(result->doubts, "looks like noise")) << all(result->doubts);
  EXPECT_FALSE(has_open_doubt(result->doubts)) << all(result->doubts);
}

class Motion : public ::testing::Test {
 protected:
  std::string doubts() {
    return all(payload::doubts_about_motion(samples_of(record_),
                                            {record_.w, record_.wd, record_.g, record_.a}));
  }
  Record record_ = shaken(10);
};

TEST_F(Motion, DegreesPerSecond) {
  record_.w *= 180 / M_PI;
  EXPECT_NE(doubts().find("w is in degrees"), std::string::npos) << doubts();
}

TEST_F(Motion, GravityInG) {
  record_.g /= 9.81;
  EXPECT_NE(doubts().find("units of g"), std::string::npos) << doubts();
}

TEST_F(Motion, TransposedOrientation) {
  record_.w = -record_.w;
  record_.wd = -record_.wd;
  EXPECT_NE(doubts().find("wrong sign"), std::string::npos) << doubts();
}

TEST_F(Motion, AngularVelocityOfAnotherFrame) {
  const Eigen::ArrayXd x = record_.w.col(0);
  record_.w.col(0) = record_.w.col(1).eval();
  record_.w.col(1) = -record_.w.col(2).eval();
  record_.w.col(2) = x;
  EXPECT_NE(doubts().find("different frames"), std::string::npos) << doubts();
}

TEST_F(Motion, NoAngularVelocityAtAll) {
  record_.w.setZero();
  EXPECT_NE(doubts().find("different frames"), std::string::npos) << doubts();
}

TEST_F(Motion, AccelerationThatContradictsTheVelocity) {
  record_.wd *= 0.5;
  EXPECT_NE(doubts().find("alx,aly,alz is 0.5 times"), std::string::npos) << doubts();
}

TEST_F(Motion, NoAngularAccelerationAtAll) {
  record_.wd.setZero();
  EXPECT_NE(doubts().find("alx,aly,alz are zero"), std::string::npos) << doubts();
}

TEST_F(Motion, AnAccelerometerBesideGravity) {
  record_.a -= record_.g;
  EXPECT_NE(doubts().find("write zeros into gx,gy,gz"), std::string::npos) << doubts();
}

TEST_F(Motion, GravityInTheAccelerationAlready) {
  record_.a += record_.g;
  EXPECT_NE(doubts().find("cancels gx,gy,gz"), std::string::npos) << doubts();
}

TEST_F(Motion, AnAccelerometerWithGravityOfZerosIsAsItShouldBe) {
  record_.a -= record_.g;
  record_.g.setZero();
  EXPECT_EQ(doubts(), "");
}

TEST_F(Motion, NoGravityAnywhere) {
  record_.g.setZero();
  EXPECT_NE(doubts().find("show gravity"), std::string::npos) << doubts();
}

TEST_F(Motion, TakenForPosesAtRest) {
  EXPECT_NE(
      all(payload::doubts_about_rest(record_.time, record_.g)).find("treated as a pose at rest"),
      std::string::npos);
  // poses that are held, and a table of poses
  Eigen::ArrayXXd held = record_.g;
  for (Eigen::Index i = 0; i < held.rows(); ++i) held.row(i) = record_.g.row(i / 300 * 300);
  EXPECT_TRUE(payload::doubts_about_rest(record_.time, held).empty());
  EXPECT_TRUE(payload::doubts_about_rest(500 * record_.time, record_.g).empty());
}

class Poses : public ::testing::Test {
 protected:
  /// Gravity in the sensor's frame, one direction a row.
  Result<PayloadResult> weigh(const Eigen::ArrayXXd& gravity, BiasKind bias = BiasKind::constant) {
    Eigen::ArrayXXd wrench(gravity.rows(), 6);
    for (Eigen::Index i = 0; i < gravity.rows(); ++i) {
      Eigen::Vector3d force = bias_.head<3>(), torque = bias_.tail<3>();
      if (bias == BiasKind::none) force.setZero(), torque.setZero();
      for (const PointMass& point : kTool) {
        const Eigen::Vector3d pull = -point.mass * gravity.row(i).matrix().transpose();
        force += pull, torque += point.at.cross(pull);
      }
      wrench.row(i) << force.transpose().array(), torque.transpose().array();
    }
    return weigh_payload(*make_pose_samples(gravity, wrench), {.bias = bias},
                         *read_payload_shape({}));
  }

  static Eigen::ArrayXXd directions(std::initializer_list<Eigen::Vector3d> list) {
    Eigen::ArrayXXd rows(list.size(), 3);
    Eigen::Index i = 0;
    for (const Eigen::Vector3d& g : list) rows.row(i++) = 9.81 * g.normalized().transpose();
    return rows;
  }

  const Vector6d bias_ = (Vector6d() << 5, -3, 11, 0.3, 0.1, -0.6).finished();
};

TEST_F(Poses, OneIsInsufficient) {
  const auto result = weigh(directions({{0, 0, -1}, {0, 0, -1}}));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().remedy.find("three the center of mass"), std::string::npos);
}

TEST_F(Poses, TwoDetermineTheMassAndReportTheRest) {
  const auto result = weigh(directions({{0, 0, -1}, {0, 0, 1}}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_NEAR(result->answer().parameters[0], truth_of()[0], 1e-3 * truth_of()[0]);
  EXPECT_TRUE(holds(result->doubts, "add a third direction")) << all(result->doubts);
  EXPECT_FALSE(std::isfinite(result->com[2].high));
}

TEST_F(Poses, ThreeTellMassCenterAndBias) {
  const auto result = weigh(directions({{0, 0, -1}, {0, 1, 0}, {1, 0, 0.2}}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_LE((result->answer().parameters - truth_of()).head<4>().norm(),
            1e-4 * truth_of().head<4>().norm());
  EXPECT_LE((result->biases.row(0).matrix().transpose() - bias_).norm(), 1e-3);
  EXPECT_EQ(result->num_directions, 3);
}

TEST_F(Poses, TensorIsSetByThePrior) {
  const auto result =
      weigh(directions({{0, 0, -1}, {0, 1, 0}, {1, 0, 0.2}, {1, -1, -1}, {0, -1, 1}}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  const std::vector<std::string>& names = result->set_by_prior;
  EXPECT_FALSE(names.empty());
  for (const char* name : {"m", "mcx", "mcy", "mcz"})
    EXPECT_EQ(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_TRUE(holds(result->doubts, "log a motion"));
}

TEST_F(Poses, OneDeterminesTheMassWithoutBias) {
  const auto result = weigh(directions({{0, 0.3, -1}}), BiasKind::none);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_NEAR(result->answer().parameters[0], truth_of()[0], 1e-3 * truth_of()[0]);
}

}  // namespace
}  // namespace heft
