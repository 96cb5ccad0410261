// A force-torque sensor between a flange and what is fixed to it, compared with point masses that
// obey Newton's law.
#include "heft/setup/setup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heft/identify/identify.hpp"
#include "heft/log/arrays.hpp"
#include "heft/observe/observe.hpp"
#include "heft/robot/robot_document.hpp"
#include "tests/oracle/newton_euler.hpp"

namespace heft {
namespace {

constexpr const char* kArm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="flange"><inertial><mass value="0.2"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
  <link name="tool"/>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="100" velocity="5"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.3" rpy="0.3 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="100" velocity="5"/></joint>
  <joint name="wrist" type="continuous"><parent link="fore"/><child link="flange"/><origin xyz="0.25 0 0"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="mount" type="fixed"><parent link="flange"/><child link="tool"/>
    <origin xyz="0.04 0 0.01" rpy="0.2 -0.1 0.4"/></joint>
  <joint name="point" type="fixed"><parent link="tool"/><child link="tip"/><origin xyz="0 0 0.2"/></joint>
</robot>)";

struct PointMass {
  double mass;
  Eigen::Vector3d at;  // in the tool
};
const std::vector<PointMass> kHeld = {{0.5, {0.02, 0.01, 0.1}},
                                      {0.2, {-0.05, 0.03, 0.15}},
                                      {0.2, {0.01, -0.06, 0.05}},
                                      {0.1, {0.04, 0.05, -0.03}}};

Robot arm_with_tool_apart() {
  return *read_robot_text("arm.urdf", kArm, "", {.separate_links = {"tool"}});
}

SensorSpec wrist() {
  SensorSpec sensor{
      .name = "ft", .link = "tool", .sign = -1, .force_scale = 0.1, .torque_scale = 0.01};
  sensor.pose << 0.01, -0.02, 0.03, 0.5, -0.3, 1.1;
  sensor.offset << 3, -2, 1, 0.3, 0.1, -0.2;
  return sensor;
}

/// Rz Ry Rx written out.
Eigen::Matrix3d turned(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch), sp = std::sin(pitch),
               cy = std::cos(yaw), sy = std::sin(yaw);
  Eigen::Matrix3d R;
  R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
      -sp, cp * sr, cp * cr;
  return R;
}

/// Force and torque that carry the points, in the axes of the sensor and about its origin.
Eigen::Matrix<double, 6, 1> carried(const oracle::BodyMotion& tool, const SensorSpec& sensor) {
  const oracle::Vector3r origin = sensor.pose.head<3>().cast<oracle::Real>();
  oracle::Vector3r force = oracle::Vector3r::Zero(), torque = force;
  for (const PointMass& point : kHeld) {
    const oracle::Vector3r r = tool.R * point.at.cast<oracle::Real>();
    const oracle::Vector3r pull =
        point.mass * (tool.a + tool.wd.cross(r) + tool.w.cross(tool.w.cross(r)));
    force += pull;
    torque += (r - tool.R * origin).cross(pull);
  }
  const oracle::Matrix3r to_sensor =
      (tool.R * turned(sensor.pose[3], sensor.pose[4], sensor.pose[5]).cast<oracle::Real>())
          .transpose();
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << (to_sensor * force).cast<double>(), (to_sensor * torque).cast<double>();
  return wrench;
}

/// Columns q, qd, qdd of three joints, six numbers as such a sensor shows them, and unmeasured
/// torques.
Eigen::ArrayXXd recorded(const Robot& robot, const SensorSpec& sensor, const Eigen::ArrayXd& time) {
  Eigen::ArrayXXd log(time.size(), 18);
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const double t = time[i];
    Eigen::VectorXd q(3), qd(3), qdd(3);
    for (int k = 0; k < 3; ++k) {
      const double w = 1.3 + 0.7 * k, a = 1.2 - 0.2 * k;
      q[k] = a * std::sin(w * t + k), qd[k] = a * w * std::cos(w * t + k),
      qdd[k] = -a * w * w * std::sin(w * t + k);
    }
    const auto bodies =
        oracle::body_motions(robot, oracle::motion_on_standing_base(robot, q, qd, qdd));
    Eigen::Matrix<double, 6, 1> shown = sensor.sign * carried(bodies[3], sensor) + sensor.offset;
    shown.head<3>() /= sensor.force_scale;
    shown.tail<3>() /= sensor.torque_scale;
    log.row(i) << q.transpose().array(), qd.transpose().array(), qdd.transpose().array(),
        shown.transpose().array(), Eigen::RowVector3d::Zero().array();
  }
  return log;
}

BodyParameters truth() {
  BodyParameters sum = BodyParameters::Zero();
  for (const PointMass& point : kHeld)
    sum += parameters_about_origin(point.mass, point.at, Eigen::Matrix3d::Zero());
  return sum;
}

TEST(Sensor, MeasuresOnlyTheLoadOfItsLink) {
  const Robot robot = arm_with_tool_apart();
  ASSERT_EQ(robot.num_bodies(), 4);
  ASSERT_EQ(robot.bodies[3].name, "tool");
  const SensorSpec sensor = wrist();
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(2001, 0, 10);
  const Eigen::ArrayXXd log = recorded(robot, sensor, time);

  const auto columns = [&](Eigen::Index first, Eigen::Index count) {
    return ArrayView(&log(0, first), log.rows(), count, 1, log.rows());
  };
  const auto named = [](const std::string& stem) {
    return std::vector<std::string>{stem + "shoulder", stem + "elbow", stem + "wrist"};
  };
  const ArrayGroup group{
      .time = time,
      .columns = {{named("q_"), columns(0, 3)},
                  {named("qd_"), columns(3, 3)},
                  {named("qdd_"), columns(6, 3)},
                  {{"tau_ft_fx", "tau_ft_fy", "tau_ft_fz", "tau_ft_nx", "tau_ft_ny", "tau_ft_nz"},
                   columns(9, 6)},
                  // the joints' torques are not there
                  {named("tau_"), columns(12, 3)}}};
  IdentifyRequest request{
      .setup = *make_setup(
          robot, {.model = {.columns = {}, .sensors = {sensor}}, .prior = {.unknown = {"tool"}}})};
  ASSERT_EQ(request.setup.plan().num_channels(), 9);
  request.training_logs = {array_log("waving arm", {group})};
  request.gathering.log.torque_scale = 7;  // the joints' own
  request.gathering.conditioning.filter = FilterKind::none;
  request.gathering.conditioning.velocity = VelocitySource::logged;
  request.gathering.conditioning.trim = 0;
  request.gathering.conditioning.torque_limit = {1e-3, 1e-3, 1e-3};  // no joint's torque reaches
                                                                     // it; the sensor has none
  request.estimation.uncertainty.bootstrap = 0;

  const TrainingData data =
      *gather_training_data(request.setup, request.training_logs, request.gathering);
  // rows of the sensor alone, through the normal equations of its six channels: Y x = wrench for
  // the truth
  Eigen::VectorXd x = Eigen::VectorXd::Zero(request.setup.plan().layout.num_parameters());
  x.tail<10>() = truth();
  for (int c = 3; c < 9; ++c) {
    const double left = residual_sum(data.moments, c, x),
                 right = residual_sum(data.moments, c, Eigen::VectorXd::Zero(x.size()));
    EXPECT_GT(right, 1e-3) << c;
    EXPECT_LE(left, 1e-12 * right)
        << request.setup.plan().channels[static_cast<std::size_t>(c)].name;
  }
}

TEST(Sensor, KeepsTheSumOfAMergedBody) {
  const Robot apart = arm_with_tool_apart(), merged = *read_robot_text("arm.urdf", kArm, "");
  ASSERT_EQ(merged.num_bodies(), 3);
  EXPECT_EQ(merged.bodies[2].merged_links, (std::vector<std::string>{"tool", "tip"}));
  EXPECT_TRUE(apart.bodies[2].merged_links.empty());
  EXPECT_EQ(apart.bodies[3].merged_links, std::vector<std::string>{"tip"});
  EXPECT_EQ(apart.bodies[3].parent, 2);
  EXPECT_LE(
      (apart.bodies[2].prior + transformed(apart.bodies[3].X_parent_body, apart.bodies[3].prior) -
       merged.bodies[2].prior)
          .norm(),
      1e-15);
}

// Beside the joints' torques, which see the tool as part of the flange, a sensor sees each of its
// ten numbers.
TEST(Sensor, RevealsAllThatItCarries) {
  const Robot robot = arm_with_tool_apart(), merged = *read_robot_text("arm.urdf", kArm, "");
  SensorSpec sensor = wrist();
  const auto channels = sensor_channels(robot, {sensor});
  ASSERT_TRUE(channels.ok()) << channels.error().message();
  const auto without = observe(merged, {.channels = false}),
             apart = observe(robot, {.channels = false}),
             with = observe(robot, {.channels = true, .sensors = *channels});
  ASSERT_TRUE(without.ok() && apart.ok() && with.ok());
  EXPECT_EQ(apart->num_base, without->num_base);
  EXPECT_EQ(with->num_base, without->num_base + 10);
  int num_alone = 0;
  for (const ObservedParameter& parameter : with->parameters)
    num_alone += parameter.body == 3 && parameter.visibility == Visibility::alone;
  EXPECT_EQ(num_alone, 10);
  EXPECT_EQ(with->channels.size(), 9u);

  const auto nowhere = observe(robot, {.sensors = {{.name = "ft_fx", .body = 4}}});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message().find("ft_fx"), std::string::npos);
}

TEST(Sensor, RefusesInvalidSensors) {
  const Robot robot = arm_with_tool_apart();
  const auto refused = [&](const Robot& of, const std::vector<SensorSpec>& sensors,
                           const std::string& says) {
    const auto channels = sensor_channels(of, sensors);
    ASSERT_FALSE(channels.ok()) << says;
    EXPECT_NE(channels.error().message().find(says), std::string::npos)
        << channels.error().message();
  };
  const auto with = [](auto change) {
    SensorSpec sensor = wrist();
    change(sensor);
    return std::vector<SensorSpec>{sensor};
  };
  refused(robot, with([](SensorSpec& s) { s.name = ""; }), "no name");
  refused(robot, with([](SensorSpec& s) { s.link = "tol"; }), "did you mean 'tool'");
  refused(robot, with([](SensorSpec& s) { s.link = "tip"; }), "part of the body 'tool'");
  refused(robot, with([](SensorSpec& s) { s.sign = 0.5; }), "sign");
  refused(robot, with([](SensorSpec& s) { s.force_scale = 0; }), "zero");
  refused(robot, with([](SensorSpec& s) { s.offset[2] = std::nan(""); }), "finite");
  refused(robot, {wrist(), wrist()}, "given twice");
  SensorSpec clash = wrist();
  clash.name = "base";
  const Robot on_a_ship =
      *read_robot_text("arm.urdf", kArm, "", {.floating_base = true, .separate_links = {"tool"}});
  const auto twice = make_model(on_a_ship, {.columns = {}, .sensors = {clash}});
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message().find("two channels are called 'base_fx'"), std::string::npos);
  const Robot floating = *read_robot_text("arm.urdf", kArm, "", {.floating_base = true});
  refused(floating, with([](SensorSpec& s) { s.link = "base"; }), "root of a floating base");
  const auto unknown = read_robot_text("arm.urdf", kArm, "", {.separate_links = {"tol"}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message().find("did you mean 'tool'"), std::string::npos);
}

}  // namespace
}  // namespace heft
