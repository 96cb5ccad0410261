#include "missing_joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace heft {

namespace {

// A joint of the file: of several coordinates if it is planar or floating.
struct FileJoint {
  std::string name;
  int num_coordinates = 1;
  bool on_base = false;
  double position = 0;  // to lock it at

  const char* kind() const { return num_coordinates == 6 ? "floating" : "planar"; }
};

// coordinates of planar and floating joints are chains of bodies without parameters, but for the
// last
bool is_of_chain(const Robot& robot, const Body& body) {
  return !body.has_parameters || (body.parent >= 0 && !robot.bodies[body.parent].has_parameters);
}

std::vector<FileJoint> joints_of(const Robot& robot) {
  std::vector<FileJoint> joints;
  for (const Coordinate& coordinate : robot.coordinates) {
    const auto is_its = [&](const Body& body) {
      return body.joint == coordinate.name && !body.is_rotor;
    };
    const auto body = std::ranges::find_if(robot.bodies, is_its);
    const bool in_chain = body != robot.bodies.end() && is_of_chain(robot, *body);
    const std::string name =
        in_chain ? coordinate.name.substr(0, coordinate.name.rfind('.')) : coordinate.name;
    if (in_chain && !joints.empty() && joints.back().name == name) {
      ++joints.back().num_coordinates;
      continue;
    }
    const double position = coordinate.lower <= coordinate.upper
                                ? std::clamp(0.0, coordinate.lower, coordinate.upper)
                                : 0.0;
    joints.push_back({.name = name,
                      .on_base = body != robot.bodies.end() && body->parent < 0,
                      .position = in_chain ? 0.0 : position});
  }
  return joints;
}

std::string joined(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

}  // namespace

std::string yaml_key(const std::string& name) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' ||
           c == '-';
  };
  const bool begins_well =
      !name.empty() &&
      (std::isalpha(static_cast<unsigned char>(name.front())) != 0 || name.front() == '_');
  if (begins_well && std::ranges::all_of(name, is_plain)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return quoted + "\"";
}

MissingJoints lock_missing_joints(const Robot& robot, const std::vector<std::string>& lacking) {
  const std::set<std::string> without(lacking.begin(), lacking.end());
  const std::vector<FileJoint> joints = joints_of(robot);
  std::vector<std::string> places, entries;
  MissingJoints missing;
  for (const FileJoint& joint : joints) {
    const bool is_chain = joint.num_coordinates > 1;
    if (!without.contains(is_chain ? joint.name + ".x" : joint.name)) continue;
    places.push_back(fmt::format("{} at {:g}", joint.name, joint.position));
    entries.push_back(fmt::format("{}: {:g}", yaml_key(joint.name), joint.position));
    if (!is_chain) continue;
    missing.remedy += fmt::format("'{}' is a {} joint", joint.name, joint.kind());
    missing.remedy +=
        joint.num_coordinates == 6 && joint.on_base
            ? ": if the base moves freely, set robot.floating_base: true instead and log the "
              "motion of the base; "
            : ": if locked, it stays at its <origin>; ";
  }
  missing.what = fmt::format(
      "the log has columns for {} of {} joints; lock {}? add `joints: {{locked: {{{}}}}}`",
      joints.size() - places.size(), joints.size(), joined(places), fmt::join(entries, ", "));
  return missing;
}

}  // namespace heft
