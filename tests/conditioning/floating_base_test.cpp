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
