#include "heft/log/per_joint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/name_hint.hpp"

namespace heft {

double PerJoint::of(const std::string& joint, int index) const {
  if (index >= 0 && index < static_cast<int>(in_order.size()))
    return in_order[static_cast<std::size_t>(index)];
  const auto named = by_name.find(joint);
  return named == by_name.end() ? for_all : named->second;
}

Result<Done> check_per_joint(const std::string& option, const PerJoint& value, const Robot& robot) {
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : robot.coordinates) joints.push_back(coordinate.name);
  if (!value.in_order.empty() && value.in_order.size() != joints.size())
    return Error{option, fmt::format("has {} values for {} joints", value.in_order.size(), joints.size()),
                 "give one value for all, one for each, or some by the joints' names"};
  for (const auto& [joint, number] : value.by_name)
    if (std::find(joints.begin(), joints.end(), joint) == joints.end())
      return Error{option, "there is no joint '" + joint + "'", name_hint(joint, joints, "there are")};
  return Done{};
}

}  // namespace heft
