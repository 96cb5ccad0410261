#include "controller_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace heft::payload {

namespace {

// shortest text that reads back as the same bits
std::string number(double value) {
  return fmt::format("{}", value);
}

std::string list(std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + number(value);
  return "[" + text + "]";
}

std::string frame_of(const PayloadResult& result) {
  return result.is_by_torques() ? "that of " + result.frame : "the sensor's";
}

/// Replaces double hyphens, which are an error in an XML comment.
std::string in_comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos; ++at)
    text.insert(at + 1, " ");
  return text;
}

/// Gravity at which the payload was weighed [m/s^2].
double gravity_of(const PayloadResult& result) {
  const Eigen::ArrayXXd& gravity = result.samples.gravity;
  return gravity.rows() > 0 ? gravity.square().rowwise().sum().sqrt().mean()
                            : result.options.sensor.gravity.value_or(kUsualGravity);
}

/// "in the flange's frame": the frame of the controller files.
std::string frame_words(const PayloadResult& result) {
  return result.options.sensor.mounting.isApprox(Eigen::Isometry3d::Identity())
             ? "the flange's frame, taken to be " + frame_of(result) +
                   ": no payload.mounting was given"
             : "the flange's frame, by payload.mounting";
}

}  // namespace

AboutCom about_com(const BodyParameters& x) {
  AboutCom body{x[core::kMass], x.segment<3>(core::kMcx) / x[core::kMass], {}};
  const Eigen::Vector3d& c = body.com;
  const Eigen::Matrix3d about_origin{{x[core::kIxx], x[core::kIxy], x[core::kIxz]},
                                     {x[core::kIxy], x[core::kIyy], x[core::kIyz]},
                                     {x[core::kIxz], x[core::kIyz], x[core::kIzz]}};
  body.tensor = about_origin -
                body.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return body;
}

std::string why_no_body_files(const PayloadResult& result) {
  const PayloadInterval& mass = result.mass;
  if (!result.answer().is_possible)
    return "no body has this inertia; choose another method (auto, geo, cone or metric)";
  if (result.shows_payload()) return "";
  if (!std::isfinite(mass.high)) return "the log does not determine the mass";
  return fmt::format("the mass, {:.3g} kg, is not above its own interval, {:.3g} to {:.3g} kg",
                     result.answer().parameters[core::kMass], mass.low, mass.high);
}

std::string urdf_text(const PayloadResult& result) {
  const auto [m, c, I] = about_com(result.answer().parameters);
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!-- in {} frame; the tensor is about the center of mass, in the frame's axes -->\n"
      "<robot name=\"payload\">\n"
      "  <link name=\"payload\">\n"
      "    <inertial>\n"
      "      <origin xyz=\"{} {} {}\" rpy=\"0 0 0\"/>\n"
      "      <mass value=\"{}\"/>\n"
      "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n"
      "    </inertial>\n"
      "  </link>\n"
      "</robot>\n",
      result.is_by_torques() ? in_comment(result.frame) + "'s" : "the sensor's", c.x(), c.y(),
      c.z(), m, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
}

std::string franka_text(const PayloadResult& result) {
  const auto [m, c, I] = about_com(in_flange(result));
  nlohmann::ordered_json json;
  json["load_mass"] = m;
  json["F_x_Cload"] = {c.x(), c.y(), c.z()};
  json["load_inertia"] = std::vector<double>(I.data(), I.data() + 9);  // column-major, like Eigen
                                                                       // keeps it
  json["units"] = {{"load_mass", "kg"}, {"F_x_Cload", "m"}, {"load_inertia", "kg m^2"}};
  json["frame"] = frame_words(result);
  json["convention"] =
      "arguments of franka::Robot::setLoad: F_x_Cload from flange to center of mass, load_inertia 3x3 "
      "column-major, with respect to the center of mass, axes of the flange";
  json["source"] =
      "libfranka, include/franka/robot.h (Robot::setLoad) and robot_state.h (RobotState::I_load: with "
      "respect to center of mass); "
      "the ROS 2 service franka_msgs/srv/SetLoad takes the same as mass, center_of_mass, load_inertia";
  return json.dump(2) + "\n";
}

std::string universal_robots_text(const PayloadResult& result) {
  const auto [m, c, I] = about_com(in_flange(result));
  return "# " + frame_words(result) +
         "\n"
         "# kg; center of gravity from the tool mount in m; inertia [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in kg "
         "m^2, origin in the\n"
         "# center of gravity, axes of the tool flange. Convention: Universal Robots, Script Manual, "
         "set_target_payload\n"
         "# (universal-robots.com/manuals, Script Manual, set_target_payload).\n"
         "set_target_payload(" +
         number(m) + ", " + list({c.x(), c.y(), c.z()}) + ", " +
         list({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}) + ")\n";
}

std::string ros2_text(const PayloadResult& result) {
  const auto [m, c, I] = about_com(result.answer().parameters);
  const double g = gravity_of(result);
  const bool is_reaction = !result.is_by_torques() && result.options.sensor.sign > 0;
  return "# " +
         (result.is_by_torques() ? "The frame of " + result.frame
                                 : std::string("The sensor's frame")) +
         ", which ft_sensor.frame.id and gravity_compensation.frame.id must name; z of fixed_world_frame "
         "up.\n"
         "# Convention: ros2_controllers, admittance_controller: pos in m, force = mass * " +
         number(g) +
         " in N (admittance_controller_parameters.yaml),\n"
         "# subtracted from a wrench that the payload exerts on the sensor: at "
         "rest (0, 0, -force) in the world "
         "(AdmittanceRule::process_wrench_measurements).\n" +
         (is_reaction
              ? "# This log's wrench is the opposite (payload.sign: 1): negate its six numbers in the "
                "driver before the controller reads them.\n"
              : "") +
         "# It has no parameter for the sensor's offset or for the tensor.\n"
         "admittance_controller:\n"
         "  ros__parameters:\n"
         "    gravity_compensation:\n"
         "      CoG:\n"
         "        pos: " +
         list({c.x(), c.y(), c.z()}) + "\n        force: " + number(m * g) +
         "\n"
         "# The same as geometry_msgs/msg/Inertia (docs.ros.org, Humble): kg, m, kg m^2, tensor about the "
         "center of mass, axes of this frame.\n"
         "inertia:\n  m: " +
         number(m) + "\n  com: {x: " + number(c.x()) + ", y: " + number(c.y()) +
         ", z: " + number(c.z()) + "}\n  ixx: " + number(I(0, 0)) + "\n  ixy: " + number(I(0, 1)) +
         "\n  ixz: " + number(I(0, 2)) + "\n  iyy: " + number(I(1, 1)) +
         "\n  iyz: " + number(I(1, 2)) + "\n  izz: " + number(I(2, 2)) + "\n";
}

Result<std::string> points_text(const PayloadResult& result) {
  HEFT_TRY(four, four_masses(result.answer().parameters, result.shape.bounds));
  std::string text = "x,y,z,mass\n";
  for (int k = 0; k < 4; ++k)
    text += fmt::format("{},{},{},{}\n", four.at(0, k), four.at(1, k), four.at(2, k), four.mass[k]);
  return text;
}

Result<std::string> zero_text(const PayloadResult& result) {
  if (!result.as_tool)
    return Error{"--zero",
                 "the log does not determine mass, center of mass or offset, which later "
                 "runs need",
                 "log poses with at least three directions of gravity, or a motion"};
  const auto numbers = [](const auto& values) {
    std::string text;
    for (const double value : values.reshaped()) text += (text.empty() ? "" : ", ") + number(value);
    return "[" + text + "]";
  };
  const SensorOptions& sensor = result.options.sensor;
  const KnownTool& tool = *result.as_tool;
  if (result.is_by_torques())
    return "# Written by heft payload --zero: the payload that stays on " + result.frame +
           " of the robot, in that frame. For later runs:\n"
           "#   heft payload --model DIR --link " +
           result.frame +
           " --known-tool zero.yaml --log .. --out ..\n"
           "payload:\n  known_tool:\n    link: " +
           nlohmann::json(result.frame).dump() + "\n    parameters: " + numbers(tool.parameters) +
           "\n    covariance: " + numbers(tool.covariance) + "\n";
  std::string columns;
  for (const std::string& name : sensor.wrench_columns)
    columns += (columns.empty() ? "" : ", ") + nlohmann::json(name).dump();
  return "# Written by heft payload --zero: the payload that stays on the "
         "sensor, and its readings without load. For later runs:\n"
         "#   heft payload --known-tool zero.yaml --log .. --out ..\n"
         "payload:\n"
         "  sign: " +
         number(sensor.sign) + "\n  wrench_frame: " + enum_name(sensor.wrench_frame) +
         (sensor.gravity ? "\n  gravity: " + number(*sensor.gravity) : "") +
         "\n  orientation: " + enum_name(sensor.orientation) +
         "\n  quaternion: " + enum_name(sensor.quaternion) +
         (columns.empty() ? "" : "\n  wrench: [" + columns + "]") +
         "\n  down: " + numbers(sensor.down) +
         "\n  mounting: " + numbers(numbers_of(sensor.mounting)) +
         "\n  wrench_delay_s: " + number(sensor.wrench_delay_s) +
         "\n  known_tool:\n    parameters: " + numbers(tool.parameters) +
         "\n    bias: " + numbers(tool.bias) + "\n    covariance: " + numbers(tool.covariance) +
         "\n";
}

}  // namespace heft::payload
