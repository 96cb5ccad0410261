// Holds floating bases for a motion driven by joints: floating joints become fixed.
#include <cctype>

#include "heft/excite/design.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

namespace {

/// The first joint of a floating joint, which is a chain of five bodies without parameters and a
/// sixth with them.
std::string floating_joint_of(const Robot& robot) {
  constexpr int kChain = 5;
  for (const Body& body : robot.bodies) {
    int length = 0, at = body.parent;
    for (; at >= 0 && !robot.bodies[at].has_parameters; at = robot.bodies[at].parent) ++length;
    if (body.has_parameters && length == kChain) return body.joint.substr(0, body.joint.rfind('.'));
  }
  return "";
}

/// Fixed links that are bodies of their own.
std::vector<std::string> separate_links_of(const Robot& robot) {
  std::vector<std::string> links;
  for (const Body& body : robot.bodies)
    if (body.type == JointType::rigid && !body.joint.empty() && !body.is_rotor)
      links.push_back(body.name);
  return links;
}

/// Returns the robot file with its floating joints fixed; only type="floating" marks them.
std::string with_fixed_joints(std::string text) {
  const std::string word = "floating";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const char quote = at > 0 ? text[at - 1] : ' ';
    if ((quote != '"' && quote != '\'') || end >= text.size() || text[end] != quote) continue;
    std::size_t before = at - 1;
    const auto skip_blanks = [&] {
      while (before > 0 && std::isspace(static_cast<unsigned char>(text[before - 1])) != 0)
        --before;
    };
    skip_blanks();
    if (before == 0 || text[--before] != '=') continue;
    skip_blanks();
    if (before >= 4 && text.compare(before - 4, 4, "type") == 0)
      text.replace(at, word.size(), "fixed");
  }
  return text;
}

}  // namespace

Result<Robot> held_robot(const Robot& robot, BaseHold hold) {
  const std::string joint = floating_joint_of(robot);
  if (!robot.floating_base && joint.empty()) return robot;
  if (hold == BaseHold::none)
    return Error{"--robot",
                 joint.empty() ? "has a base that moves freely"
                               : "has the floating joint '" + joint + "', which no motor drives",
                 "suspend the robot with --base hung, or put it on a table with --base table"};
  HEFT_TRY(locked, locked_joints_of(robot));
  // the Robot does not store their positions
  if (!locked.empty())
    return Error{"--joints.locked", "cannot be combined with --base",
                 "fix the joints in the robot file"};
  return read_robot_text(robot.source, with_fixed_joints(robot.source_text), robot.rotors_text,
                         {.gravity = robot.gravity, .separate_links = separate_links_of(robot)});
}

}  // namespace heft
