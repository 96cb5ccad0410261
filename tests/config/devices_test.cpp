// log.device: a motion written in the convention of any device is read as the same motion.
#include "readers/devices.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include "config/device_options.hpp"
#include "heft/config/configuration.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft::device_tests {
namespace {

using std::numbers::pi;
using Convert = std::function<double(double)>;

double same(double value) {
  return value;
}
double turns(double angle) {
  return angle / (2 * pi);
}
double degrees(double angle) {
  return angle * 180 / pi;
}
double negated(double value) {
  return -value;
}
/// 0 to 360 degrees
double degrees_of_circle(double angle) {
  return degrees(angle - 2 * pi * std::floor(angle / (2 * pi)));
}
/// -pi to pi
double wrapped(double angle) {
  return std::remainder(angle, 2 * pi);
}
/// 2048 is zero
double counts(double angle) {
  return 2048 + angle * 4096 / (2 * pi);
}
double code16(double angle) {
  return (angle + 12.5) / 25 * 65535;
}
Convert code12(double most) {
  return [most](double torque) { return (torque + most) / (2 * most) * 4095; };
}
Convert over(double unit) {
  return [unit](double torque) { return torque / unit; };
}

/// How a device writes, told without its file: the names of columns (# is the joint's number from
/// `first` or, of @, its name).
struct Convention {
  std::string device, position, torque;
  int first = 0;
  Convert of_position = same, of_torque = same;
  std::string time = "t";
  double ticks_per_s = 1;
  double gain = 0;  ///< that the user must give: N m per unit; 0: none
};

std::vector<Convention> conventions() {
  const std::string q = "position_@", tau = "effort_@";
  return {
      {"ur_rtde", "actual_q_#", "actual_current_#", 0, same, over(11.5), "timestamp", 1, 11.5},
      {"ur_rtde_torque", "actual_q_#", "actual_current_as_torque_#", 0, same, same, "timestamp"},
      {"ur_ros2_driver", q, tau, 0, same, over(9.0), "t", 1, 9.0},
      {"ur_ros2_driver_torque", q, tau},
      {"franka", "q_#", "tau_J_#"},
      {"franka_log", "state.q[#]", "state.tau_J[#]", 0, same, same, "time", 1e3},
      {"franka_ros2", q, tau},
      {"kuka_fri", "measured_joint_position_#", "measured_torque_#", 0, same, negated},
      {"drake_iiwa", "joint_position_measured_#", "joint_torque_measured_#", 0, same, negated,
       "utime", 1e6},
      {"lbr_fri_ros2", q, tau, 0, same, negated},
      {"kinova_kortex", "position_#", "torque_#", 0, degrees_of_circle},
      {"ros2_kortex", q, tau, 0, wrapped},
      {"kinova_jaco", "joint_position_#", "joint_torque_#", 0, same, same, "utime", 1e6},
      {"xarm", "position_#", "effort_#", 1, degrees},
      {"xarm_ros2", q, tau},
      {"mecademic", "rt_joint_pos_#", "rt_joint_torq_#", 0, degrees, over(0.32), "t", 1, 0.32},
      {"feetech_sts3215", "Present_Position_#", "Present_Current_#", 1, counts, over(0.0081), "t",
       1, 0.0081},
      {"feetech_sts3215_load", "Present_Position_#", "Present_Load_#", 1, counts, over(0.003), "t",
       1, 0.003},
      {"dynamixel_xm430", "present_position_#", "present_current_#", 1, counts, over(0.0048), "t",
       1, 0.0048},
      {"dynamixel_ros2_counts", q, tau, 0, same, over(0.0048), "t", 1, 0.0048},
      {"dynamixel_ros2_torque", q, tau},
      {"moteus", "position_#", "torque_#", 1, turns},
      {"odrive", "pos_estimate_#", "torque_estimate_#", 0, turns},
      {"odrive_ros2_control", q, tau},
      {"unitree", "motor_state[#].q", "motor_state[#].tau_est"},
      {"damiao", "position_#", "torque_#", 1},
      {"damiao_dm4310", "position_#", "torque_#", 1, code16, code12(10)},
      {"damiao_dm4340", "position_#", "torque_#", 1, code16, code12(28)},
      {"damiao_dm8009", "position_#", "torque_#", 1, code16, code12(54)},
      {"cubemars_ak", "position_#", "torque_#", 1},
      {"cia402", "position_actual_#", "torque_actual_#", 0, same, over(0.012), "t", 1, 0.012},
      {"beckhoff_el72x1", "position_actual_#", "torque_actual_#", 0, same, over(0.02), "t", 1,
       0.02},
      {"ethercat_ros2", q, tau, 0, same, over(0.012), "t", 1, 0.012},
      {"gazebo", q, tau},
      {"ros2_control", q, tau},
      {"plotjuggler", "/joint_states/@/position", "/joint_states/@/effort", 0, same, same, "time"},
  };
}

const std::vector<std::string> kWrittenJoints = {"shoulder", "elbow"};
constexpr double kWrittenRate = 250;
constexpr int kWrittenRows = 500;

double angle(int joint, int row) {
  return 0.3 + 3.8 * std::sin((1.1 + 0.4 * joint) * row / kWrittenRate + joint);
}
double torque(int joint, int row) {
  return 4 * std::cos((1.3 + 0.2 * joint) * row / kWrittenRate) - joint;
}

std::string column(std::string pattern, int joint, int first) {
  if (const std::size_t at = pattern.find('#'); at != std::string::npos)
    pattern.replace(at, 1, std::to_string(joint + first));
  if (const std::size_t at = pattern.find('@'); at != std::string::npos)
    pattern.replace(at, 1, kWrittenJoints[static_cast<std::size_t>(joint)]);
  return pattern;
}

std::string log_of(const Convention& convention) {
  std::string header = convention.time;
  std::vector<std::function<double(int)>> columns = {
      [&](int row) { return row / kWrittenRate * convention.ticks_per_s; }};
  for (int joint = 0; joint < 2; ++joint) {
    header += "," + column(convention.position, joint, convention.first);
    columns.emplace_back([&, joint](int row) { return convention.of_position(angle(joint, row)); });
  }
  for (int joint = 0; joint < 2; ++joint) {
    header += "," + column(convention.torque, joint, convention.first);
    columns.emplace_back([&, joint](int row) { return convention.of_torque(torque(joint, row)); });
  }
  return table(header, kWrittenRows, columns);
}

class DevicesTest : public LogTest {};

TEST_F(DevicesTest, every_convention_reads_as_the_motion_that_was_written) {
  for (const Convention& convention : conventions()) {
    SCOPED_TRACE(convention.device);
    auto read = configuration_from_yaml("log: {device: " + convention.device + "}", "test.yaml");
    ASSERT_TRUE(read.ok()) << read.error().message();
    Configuration configuration = *read;
    EXPECT_EQ(config::check_torque_meaning(configuration).ok(), convention.gain == 0);
    if (convention.gain > 0) {
      ASSERT_TRUE(
          set_field(configuration, "log.torque_scale", fmt::format("{:.17g}", convention.gain))
              .ok());
      EXPECT_TRUE(config::check_torque_meaning(configuration).ok());
    }
    ConditioningRun run{arm_of(kWrittenJoints)};
    run.format = configuration.log;
    run.options = configuration.conditioning;
    run.options.filter = FilterKind::none;
    run.options.trim = 0;
    const Conditioned result = run(write(log_of(convention)));
    ASSERT_TRUE(result.ok()) << result.error();
    const Eigen::ArrayXXd position = result.all(&Samples::position),
                          torques = result.all(&Samples::torque);
    ASSERT_EQ(position.rows(), kWrittenRows);
    EXPECT_NEAR(result.time()[kWrittenRows - 1] - result.time()[0],
                (kWrittenRows - 1) / kWrittenRate, 1e-9);
    for (int joint = 0; joint < 2; ++joint) {
      // counted turns begin anywhere
      const double turn = 2 * pi * std::round((position(0, joint) - angle(joint, 0)) / (2 * pi));
      for (int row = 0; row < kWrittenRows; ++row) {
        ASSERT_NEAR(position(row, joint) - turn, angle(joint, row), 1e-9) << row;
        ASSERT_NEAR(torques(row, joint), torque(joint, row), 1e-9) << row;
      }
    }
  }
}

TEST_F(DevicesTest, every_device_has_a_convention_here_or_logs_external_torques) {
  std::set<std::string> written;
  for (const Convention& convention : conventions()) written.insert(convention.device);
  for (const Device& device : devices()) {
    EXPECT_EQ(written.contains(device.name), device.torque_is != "external") << device.name;
    EXPECT_EQ(config::torque_meaning_fault(device.torque_is), "") << device.name;
    for (const std::string& text : {device.title, device.units, device.source, device.torque_is})
      EXPECT_FALSE(text.empty()) << device.name;
    const auto read = configuration_from_yaml("log: {device: " + device.name + "}", "test.yaml");
    ASSERT_TRUE(read.ok()) << device.name << ": " << read.error().message();
    if (device.torque_is == "external") {
      EXPECT_FALSE(config::check_torque_meaning(*read).ok()) << device.name;
    }
  }
}

TEST_F(DevicesTest, given_options_win_in_every_order) {
  const char* const kFile = "log: {time: stamp, torque_scale: 1}\n";
  const auto file_first = [&] {
    auto configuration = configuration_from_yaml(kFile, "test.yaml");
    EXPECT_TRUE(set_field(*configuration, "log.device", "drake_iiwa").ok());
    return *configuration;
  }();
  const auto device_first = configuration_from_yaml(
      kFile, "test.yaml", *configuration_from_yaml("log: {device: drake_iiwa}", "a"));
  const auto together =
      configuration_from_yaml("log: {torque_scale: 1, device: drake_iiwa, time: stamp}", "b");
  for (const Configuration& one : {file_first, *device_first, *together}) {
    EXPECT_EQ(one.log.time, "stamp");
    EXPECT_EQ(one.log.torque_scale, PerJoint(1));
    EXPECT_EQ(one.log.time_unit, "us");
    EXPECT_EQ(to_json(one), to_json(file_first));
    const auto again = configuration_from_yaml(to_yaml(one), "c");
    ASSERT_TRUE(again.ok()) << to_yaml(one);
    EXPECT_EQ(to_json(*again), to_json(one)) << to_yaml(one);
  }
}

TEST_F(DevicesTest, another_device_leaves_nothing_of_the_first) {
  auto configuration = configuration_from_yaml("log: {device: kinova_kortex}", "a");
  ASSERT_TRUE(set_field(*configuration, "log.device", "moteus").ok());
  EXPECT_EQ(to_json(*configuration),
            to_json(*configuration_from_yaml("log: {device: moteus}", "b")));
  ASSERT_TRUE(set_field(*configuration, "log.device", "").ok());
  EXPECT_EQ(to_json(*configuration), to_json({}));
}

TEST_F(DevicesTest, an_unknown_device_is_refused_with_the_nearest_one) {
  const auto read = configuration_from_yaml("log: {device: ur_rdte}", "test.yaml");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("did you mean 'ur_rtde'"), std::string::npos)
      << read.error().message();
}

TEST_F(DevicesTest, devices_with_columns_of_their_own_are_recognized) {
  for (const Convention& convention : conventions()) {
    const Device* device = find_device(convention.device);
    ASSERT_NE(device, nullptr) << convention.device;
    if (device->columns.empty() || convention.device == "kinova_kortex") continue;
    std::vector<std::string> columns = {convention.time};
    for (int joint = 0; joint < 2; ++joint)
      for (const std::string& pattern : {convention.position, convention.torque})
        columns.push_back(column(pattern, joint, convention.first));
    const DeviceGuess guess = guess_device(columns);
    ASSERT_NE(guess.device, nullptr) << convention.device;
    const bool is_shared =
        convention.position == "Present_Position_#" && convention.torque == "Present_Current_#";
    EXPECT_EQ(guess.device->name, is_shared ? "dynamixel_xm430" : convention.device);
    EXPECT_LT(guess.confidence, is_shared ? 0.6 : 1);
  }
  EXPECT_EQ(guess_device({"t", "q1", "q2", "tau1", "tau2"}).device, nullptr);
  EXPECT_EQ(guess_device({"t", "q_j1", "q_j2", "tau_j1", "tau_j2"}).device, nullptr);  // joints j1,
                                                                                       // j2
  const std::string topic = "/franka_state_controller/franka_states.";
  const auto state =
      guess_device({"t", topic + "q.0", topic + "tau_J.0", topic + "tau_ext_hat_filtered.0"});
  ASSERT_NE(state.device, nullptr);
  EXPECT_EQ(state.device->name, "franka");
  EXPECT_EQ(guess_device({"time", "position_0", "torque_0", "tool_torque"}).device, nullptr);
}

}  // namespace
}  // namespace heft::device_tests
