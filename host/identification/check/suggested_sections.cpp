#include "suggested_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/readable_text.hpp"
#include "files/yaml_text.hpp"
#include "readers/column_guess.hpp"
#include "readers/devices.hpp"

namespace heft::check {

std::string with_device(const std::vector<std::string>& names, std::string section) {
  const Device* device = guess_device(names).device;
  if (device == nullptr) return section;
  const std::string words = fmt::format("# device {}: {}; {}; torque_is: {}\n", device->name,
                                        device->title, device->units, device->torque_is);
  if (device->torque_is == "external")
    return words + "# external torques do not identify a robot: record the measured ones\n" +
           section;
  if (device->torque_is != "link_side" && device->torque_is != "motor_side")
    return words +
           fmt::format("# if so, use device: {} with log.torque_scale (N m per unit)\n",
                       device->name) +
           section;
  const std::string begin = "log:\n";
  const std::size_t at = section.find(begin);
  if (at == std::string::npos) return section;
  return words + section.insert(at + begin.size(), "  device: " + device->name + "\n");
}

std::string lock_joints_without_columns(const std::vector<std::string>& names,
                                        const std::string& robot_path, RobotOptions options,
                                        Robot& robot) {
  const std::vector<std::string> without = joints_without_columns(names, robot);
  if (without.empty()) return {};
  for (const Coordinate& joint : robot.coordinates)
    if (std::find(without.begin(), without.end(), joint.name) != without.end())
      options.locked_joints[joint.name] =
          joint.lower <= joint.upper ? std::clamp(0.0, joint.lower, joint.upper) : 0.0;
  auto locked = read_robot(robot_path, options);
  if (!locked) return {};  // a coordinate of a planar joint has no name of its own
  robot = std::move(*locked);
  std::string text;
  for (const auto& [name, position] : options.locked_joints)
    text += fmt::format("{}{}: {:g}", text.empty() ? "" : ", ", yaml_quoted(name), position);
  std::string others;
  for (const auto& [position, torque] : columns_of_other_joints(names, robot))
    others += fmt::format(
        "# {} and {} belong to no joint: if they are those of a joint below, name "
        "its columns instead\n",
        readable(position), readable(torque));
  return others +
         fmt::format("# the log has no columns of these joints\njoints:\n  locked: {{{}}}\n", text);
}

}  // namespace heft::check
