#include "locked_joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "files/name_hint.hpp"
#include "urdf_values.hpp"

namespace heft {

namespace {

constexpr const char* kOption = "joints.locked";

using NodesByName = std::map<std::string, pugi::xml_node>;
using Positions = std::map<std::string, double>;

std::string_view type_of(pugi::xml_node joint) {
  return joint.attribute("type").value();
}

bool has_several_coordinates(pugi::xml_node joint) {
  return type_of(joint) == "planar" || type_of(joint) == "floating";
}

std::string leader_of(pugi::xml_node joint) {
  return joint.child("mimic").attribute("joint").value();
}

Error no_such_joint(const std::string& name, const NodesByName& joints) {
  std::vector<std::string> names;
  for (const auto& [other, joint] : joints)
    if (type_of(joint) != "fixed" && !joint.child("mimic")) names.push_back(other);
  return {kOption, fmt::format("unknown joint '{}'", name),
          name_hint(name, names, "movable joints:")};
}

// limits and positions are decimal numbers: a rounded one may exceed the limit by its last digit
Result<Done> check_limits(const std::string& name, pugi::xml_node joint, double position) {
  constexpr double kRounding = 1e-4;
  const pugi::xml_node limit = joint.child("limit");
  if (!limit || (type_of(joint) != "revolute" && type_of(joint) != "prismatic")) return Done{};
  const double lower = number_of(limit.attribute("lower"), 0),
               upper = number_of(limit.attribute("upper"), 0);
  const double slack = kRounding * std::max(upper - lower, 0.0);
  if (position >= lower - slack && position <= upper + slack) return Done{};
  const char* const unit = type_of(joint) == "prismatic" ? "m" : "rad";
  return Error{kOption,
               fmt::format("{} {} for '{}' is outside its limits, {} to {} {}", position, unit,
                           name, lower, upper, unit),
               "choose a position within them, or correct the <limit> in the robot file"};
}

Result<Done> check_locked(const std::string& name, pugi::xml_node joint, double position) {
  if (type_of(joint) == "fixed")
    return Error{kOption, fmt::format("joint '{}' is fixed in the robot file", name),
                 "remove it from joints.locked"};
  if (joint.child("mimic"))
    return Error{kOption, fmt::format("joint '{}' mimics '{}'", name, leader_of(joint)),
                 fmt::format("lock '{}': joints that mimic it are locked, too", leader_of(joint))};
  if (!std::isfinite(position))
    return Error{kOption, fmt::format("the position of '{}' is not finite", name),
                 "give a number in rad, or in m for a prismatic joint"};
  if (has_several_coordinates(joint) && position != 0)
    return Error{kOption,
                 fmt::format("{} joint '{}' has more than one coordinate", type_of(joint), name),
                 "lock it at 0, which is its <origin>; move the <origin> for another pose"};
  return check_limits(name, joint, position);
}

// q_i = multiplier_i q_j + offset_i along the chain of joints that mimic; the structure has been
// checked
void add_followers(const NodesByName& joints, Positions& positions) {
  for (const auto& [name, joint] : joints) {
    std::vector<pugi::xml_node> chain;
    std::string at = name;
    while (joints.at(at).child("mimic") && type_of(joints.at(at)) != "fixed" &&
           !positions.contains(at)) {
      chain.push_back(joints.at(at));
      at = leader_of(chain.back());
    }
    const auto found = positions.find(at);
    if (found == positions.end()) continue;
    double position = found->second;
    for (; !chain.empty(); chain.pop_back()) {
      const pugi::xml_node mimic = chain.back().child("mimic");
      position = number_of(mimic.attribute("multiplier"), 1) * position +
                 number_of(mimic.attribute("offset"), 0);
      positions[chain.back().attribute("name").value()] = position;
    }
  }
}

// a position that check_limits takes
double allowed_position(pugi::xml_node joint) {
  const pugi::xml_node limit = joint.child("limit");
  if (type_of(joint) != "revolute" && type_of(joint) != "prismatic") return 0;
  const double lower = number_of(limit.attribute("lower"), 0),
               upper = number_of(limit.attribute("upper"), 0);
  return lower <= upper ? std::clamp(0.0, lower, upper) : 0;
}

}  // namespace

Result<std::map<std::string, double>> locked_positions(
    const UrdfDocument& document, const std::map<std::string, double>& wanted) {
  if (wanted.empty()) return Positions{};
  NodesByName joints;
  for (const pugi::xml_node joint : document.root().children("joint"))
    joints[joint.attribute("name").value()] = joint;
  Positions positions;
  for (const auto& [name, position] : wanted) {
    const auto joint = joints.find(name);
    if (joint == joints.end()) return no_such_joint(name, joints);
    HEFT_CHECK(check_locked(name, joint->second, position));
    positions[name] = position;
  }
  add_followers(joints, positions);
  return positions;
}

Result<std::map<std::string, double>> locked_joints_of(const Robot& robot) {
  HEFT_TRY(document, UrdfDocument::parse(robot.source, robot.source_text));
  std::set<std::string> moving;  // links
  for (const Body& body : robot.bodies) moving.insert(body.name);
  Positions locked;
  for (const pugi::xml_node joint : document->root().children("joint")) {
    const std::string child = joint.child("child").attribute("link").value();
    if (type_of(joint) != "fixed" && !joint.child("mimic") && !moving.contains(child))
      locked[joint.attribute("name").value()] = allowed_position(joint);
  }
  return locked;
}

}  // namespace heft
