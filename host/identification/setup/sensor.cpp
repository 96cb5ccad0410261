#include "heft/setup/setup.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "files/name_hint.hpp"

namespace heft {

namespace {

Result<int> body_of(const Robot& robot, const SensorSpec& sensor) {
  const std::string where = "sensors: " + sensor.name;
  std::vector<std::string> names;
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Body& body = robot.bodies[static_cast<std::size_t>(b)];
    if (body.name == sensor.link) {
      if (robot.floating_base && b == 0)
        return Error{
            where,
            "'" + sensor.link +
                "' is the root of a floating base, whose wrench has the channels base_fx .. base_nz",
            "log the sensor in these columns, or name another link"};
      return b;
    }
    if (std::count(body.merged_links.begin(), body.merged_links.end(), sensor.link))
      return Error{where,
                   "'" + sensor.link + "' is part of the body '" + body.name +
                       "', so a sensor cannot separate them",
                   "add it to RobotOptions::separate_links when reading the robot"};
    names.push_back(body.name);
  }
  return Error{where, "the robot has no link '" + sensor.link + "' that moves",
               name_hint(sensor.link, names, "its bodies are")};
}

/// Rz(yaw) Ry(pitch) Rx(roll)
Eigen::Matrix3d rotation_of(const Eigen::Vector3d& rpy) {
  using Eigen::AngleAxisd, Eigen::Vector3d;
  return (AngleAxisd(rpy[2], Vector3d::UnitZ()) * AngleAxisd(rpy[1], Vector3d::UnitY()) *
          AngleAxisd(rpy[0], Vector3d::UnitX()))
      .toRotationMatrix();
}

Result<Done> check(const SensorSpec& sensor) {
  const std::string where = "sensors: " + sensor.name;
  if (sensor.name.empty())
    return Error{"sensors", "a sensor has no name", "give it the prefix of its columns in the log"};
  if (sensor.sign != 1 && sensor.sign != -1)
    return Error{
        where, "sign must be 1 or -1",
        "give 1 for the wrench acting on the link, -1 for the wrench that the link exerts on its "
        "carrier"};
  if (sensor.force_scale == 0 || sensor.torque_scale == 0)
    return Error{where, "a scale must not be zero", "give N, or N m, per unit of the log"};
  if (!std::isfinite(sensor.force_scale) || !std::isfinite(sensor.torque_scale) ||
      !sensor.offset.allFinite() || !sensor.pose.allFinite())
    return Error{where, "a number is not finite", "give pose, scales and offset as finite numbers"};
  return Done{};
}

}  // namespace

Result<std::vector<Channel>> sensor_channels(const Robot& robot,
                                             const std::vector<SensorSpec>& sensors) {
  constexpr const char* kAxes = "xyz";
  std::vector<Channel> channels;
  std::set<std::string> names;
  for (const SensorSpec& sensor : sensors) {
    HEFT_CHECK(check(sensor));
    if (!names.insert(sensor.name).second)
      return Error{"sensors: " + sensor.name, "is given twice",
                   "remove one of them, or give it another name"};
    HEFT_TRY(body, body_of(robot, sensor));
    const Eigen::Vector3d origin = sensor.pose.head<3>();
    const Eigen::Matrix3d R_link_sensor = rotation_of(sensor.pose.tail<3>());
    for (int k = 0; k < 6; ++k) {
      const bool is_force = k < 3;
      const Eigen::Vector3d axis = R_link_sensor.col(k % 3);
      Channel channel{.name = sensor.name + (is_force ? "_f" : "_n") + kAxes[k % 3],
                      .unit = is_force ? "N" : "N m",
                      .body = body,
                      .is_sensor = true,
                      .scale = sensor.sign * (is_force ? sensor.force_scale : sensor.torque_scale),
                      .offset = sensor.sign * sensor.offset[k]};
      // power of a unit twist: v along the axis; or w about it, through the sensor's origin, which
      // moves the link's by p x w
      if (is_force) {
        channel.linear = axis;
      } else {
        channel.angular = axis;
        channel.linear = origin.cross(axis);
      }
      channels.push_back(std::move(channel));
    }
  }
  return channels;
}

}  // namespace heft
