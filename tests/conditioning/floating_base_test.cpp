// A floating base: its motion from an IMU's columns, and its measured wrench.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using testing::HasSubstr;

class FloatingBaseTest : public LogTest {
 protected:
  FloatingBaseTest() : run_{arm_of({"hip"})} {
    run_.robot.floating_base = true;
    run_.robot.bodies.push_back({.name = "trunk", .type = JointType::rigid});
    run_.channels.clear();
    for (const char* name : {"base_fx", "base_fy", "base_fz", "base_nx", "base_ny", "base_nz"})
      run_.channels.push_back({.name = name, .unit = "N", .coordinate = -1, .body = 0});
    run_.channels.push_back({.name = "hip", .unit = "N m", .coordinate = 0});
    run_.options.trim = 150;  // a guard
  }

  static std::function<double(int)> constant(double value) {
    return [value](int) { return value; };
  }
  static double clock(int k) { return 0.01 * k; }

  ConditioningRun run_;
};

TEST_F(FloatingBaseTest, MotionIsReadAndDifferentiated) {
  const auto path =
      write(table("t,q1,tau1,base_wx,base_wy,base_wz,base_fx,base_fy,base_fz", 400,
                  {clock, constant(0), constant(4), constant(0.1), [](int k) { return 0.03 * k; },
                   constant(-0.2), constant(0.5), constant(0.6), constant(9.81)}));
  const Conditioned log = run_(path);
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXXd base = log.all(&Samples::base_motion);
  ASSERT_EQ(base.cols(), 9);
  const double expected[9] = {0.1, 0.03 * 150, -0.2, 0, 3, 0, 0.5, 0.6, 9.81};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(base(0, k), expected[k], 1e-9) << k;

  // no base wrench in the log: those six are not used, and that is no loss of rows
  const Eigen::ArrayXXd weight = log.all(&Samples::weight), torque = log.all(&Samples::torque);
  EXPECT_TRUE((weight.leftCols(6) == 0).all());
  EXPECT_TRUE((torque.leftCols(6) == 0).all());
  EXPECT_TRUE((weight.col(6) == 1).all());
  EXPECT_NEAR(torque(0, 6), 4, 1e-11);
  EXPECT_EQ(log.summary->dropped.size(), 1u) << "only the edges";
}

TEST_F(FloatingBaseTest, AngularAccelerationAndWrenchAreUsedWhereLogged) {
  const auto path = write(
      table("t,q1,tau_hip,tau_base_fz,base_wx,base_wy,base_wz,base_fx,base_fy,base_fz,base_wdx,"
            "base_wdy,base_wdz",
            400,
            {clock, constant(0), constant(4), constant(300), constant(0), constant(0), constant(0),
             constant(0), constant(0), constant(9.81), constant(1), constant(2), constant(3)}));
  const Conditioned log = run_(path);
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXXd base = log.all(&Samples::base_motion);
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(base(0, 3 + axis), axis + 1, 1e-11);
  const Eigen::ArrayXXd weight = log.all(&Samples::weight);
  for (int c = 0; c < 7; ++c) EXPECT_TRUE((weight.col(c) == (c == 2 || c == 6 ? 1 : 0)).all()) << c;
  EXPECT_NEAR(log.all(&Samples::torque)(0, 2), 300, 1e-9);
}

TEST_F(FloatingBaseTest, MissingMotionOrJointTorqueIsAnError) {
  const auto no_gyro =
      run_(write("t,q1,tau1,base_wx,base_wz,base_fx,base_fy,base_fz\n0,0,0,0,0,0,0,0\n"));
  EXPECT_THAT(no_gyro.error(), HasSubstr("no column 'base_wy' (angular velocity of the base"));
  const auto no_torque =
      run_(write("t,q1,base_wx,base_wy,base_wz,base_fx,base_fy,base_fz\n0,0,0,0,0,0,0,0\n"));
  EXPECT_THAT(no_torque.error(), HasSubstr("for the torque of 'hip'"));
}

// A frame at `p` of a base that turns about z by a sin(w t) while its origin moves along x.
class PosedBaseTest : public FloatingBaseTest {
 protected:
  PosedBaseTest() {
    run_.options.trim = 400;
    run_.options.filter = FilterKind::none;
    run_.options.base = {.source = BaseMeasurement::pose,
                         .pose = {"x", "y", "z", "qw", "qx", "qy", "qz"},
                         .quaternion = PoseQuaternion::wxyz};
    run_.derived.X_root_frame.translation() = p_;
    run_.derived.X_root_frame.linear() =
        Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()).toRotationMatrix();
  }

  static double time(int k) { return 0.001 * k; }
  static double angle(double t) { return 1.5 * std::sin(3 * t); }
  static Eigen::Vector3d origin(double t) { return {0.4 * std::sin(5 * t), 0, 0.1}; }

  /// Position and quaternion of the frame; the sign of the quaternion changes from row to row.
  std::function<double(int)> pose(int k) const {
    return [this, k](int row) {
      const Eigen::Isometry3d X = Eigen::Translation3d(origin(time(row))) *
                                  Eigen::AngleAxisd(angle(time(row)), Eigen::Vector3d::UnitZ()) *
                                  run_.derived.X_root_frame;
      const Eigen::Quaterniond q(X.linear());
      const double sign = row % 2 == 0 ? 1 : -1;
      if (k < 3) return X.translation()[k];
      return sign * (k == 3 ? q.w() : q.vec()[k - 4]);
    };
  }

  std::string log(const std::string& header = "t,q1,tau1,x,y,z,qw,qx,qy,qz") const {
    return write(table(header, 1000,
                       {time, constant(0), constant(4), pose(0), pose(1), pose(2), pose(3), pose(4),
                        pose(5), pose(6)}));
  }

  Eigen::Vector3d p_{0.2, -0.1, 0.3};
};

TEST_F(PosedBaseTest, MotionIsThatOfTheRoot) {
  const Conditioned log = run_(this->log());
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXXd base = log.all(&Samples::base_motion);
  const Eigen::ArrayXd times = log.time();
  ASSERT_EQ(base.rows(), 200);
  for (Eigen::Index i = 0; i < base.rows(); ++i) {
    const double t = times[i];
    const Eigen::Matrix3d R =
        Eigen::AngleAxisd(angle(t), Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const Eigen::Vector3d u = R.transpose() * Eigen::Vector3d(-0.4 * 25 * std::sin(5 * t), 0, 9.81);
    const double expected[9] = {
        0, 0, 4.5 * std::cos(3 * t), 0, 0, -13.5 * std::sin(3 * t), u.x(), u.y(), u.z()};
    // two differences with step h leave h^2 / 3 of fourth derivatives, at most 100 x w^4
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(base(i, k), expected[k], 3e-4) << k;
  }
}

TEST_F(PosedBaseTest, InvalidPosesAreErrors) {
  run_.options.base.quaternion = PoseQuaternion::unstated;
  EXPECT_THAT(run_(log()).error(), HasSubstr("the order of the quaternion"));
  run_.options.base.quaternion = PoseQuaternion::wxyz;
  run_.options.base.pose = {"qx", "qy", "qz", "x", "y", "z", "qw"};
  EXPECT_THAT(run_(log()).error(), HasSubstr("the quaternion of the base has norm"));
  run_.options.base.pose = {"x", "y", "z", "qw", "qx", "qy"};
  EXPECT_THAT(run_(log()).error(), HasSubstr("names 6 columns instead of 7"));
  run_.options.base.pose = {"x", "y", "z", "qw", "qx", "qy", "q"};
  EXPECT_THAT(run_(log()).error(), HasSubstr("no column 'q' (pose of the base"));
  run_.options.base.pose.back() = "qz";
  run_.options.base.gyro = {"qw", "qx", "qy"};
  EXPECT_THAT(run_(log()).error(), HasSubstr("pose does not use gyro and accel"));
  run_.options.base.gyro.clear();
  run_.options.base.bias = true;
  EXPECT_THAT(run_(log()).error(), HasSubstr("belongs to an IMU"));
  run_.options.base.bias = false;
  run_.options.base.pose.clear();
  EXPECT_THAT(run_(log()).error(), HasSubstr("source pose needs seven columns"));
}

TEST_F(PosedBaseTest, AJumpIsAnErrorAtItsLine) {
  const auto jump = [](int row) { return row < 500 ? 0.0 : 0.5; };
  const Conditioned log =
      run_(write(table("t,q1,tau1,x,y,z,qw,qx,qy,qz", 1000,
                       {time, constant(0), constant(4), jump, constant(0), constant(0), constant(1),
                        constant(0), constant(0), constant(0)})));
  EXPECT_THAT(log.error(), HasSubstr("log.csv:502: the base jumps by 0.5 m"));
}

// Columns of other names, and a base that nothing but known wrenches touches.
TEST_F(FloatingBaseTest, ColumnsHaveNamesAndAFreeBaseHasNoTorque) {
  run_.options.base = {.gyro = {"g1", "g2", "g3"}, .accel = {"a1", "a2", "a3"}};
  run_.derived.base_is_free = true;
  const auto path =
      write(table("t,q1,tau1,g1,g2,g3,a1,a2,a3,tau_base_fz", 400,
                  {clock, constant(0), constant(4), constant(0.1), constant(0.2), constant(-0.2),
                   constant(0.5), constant(0.6), constant(9.81), constant(7)}));
  const Conditioned log = run_(path);
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXXd base = log.all(&Samples::base_motion);
  const double expected[9] = {0.1, 0.2, -0.2, 0, 0, 0, 0.5, 0.6, 9.81};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(base(0, k), expected[k], 1e-9) << k;
  const Eigen::ArrayXXd weight = log.all(&Samples::weight), torque = log.all(&Samples::torque);
  EXPECT_TRUE((weight == 1).all());
  for (int c = 0; c < 6; ++c) EXPECT_NEAR(torque(0, c), c == 2 ? 7 : 0, 1e-9) << c;
}

TEST_F(FloatingBaseTest, ASensorsWrenchIsRequiredByName) {
  run_.robot.floating_base = false;
  run_.channels = {{.name = "wrist_fx", .unit = "N", .coordinate = -1, .body = 0},
                   {.name = "wrist_fy", .unit = "N", .coordinate = -1, .body = 0}};
  run_.format.torque = {"tau_{joint}", "tau{i}", "{joint}"};
  const Conditioned log =
      run_(write(table("t,q1,tau1,wrist_fx,wrist_fy", 400,
                       {clock, constant(0), constant(7), constant(8), constant(9)})));
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_NEAR(log.all(&Samples::torque)(0, 0), 8, 1e-11);
  EXPECT_NEAR(log.all(&Samples::torque)(0, 1), 9, 1e-11);
  EXPECT_THAT(run_(write("t,q1,wrist_fx\n0,0,0\n")).error(), HasSubstr("no column 'wrist_fy'"));
}

}  // namespace
}  // namespace heft
