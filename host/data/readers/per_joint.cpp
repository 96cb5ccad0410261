#include "heft/log/per_joint.hpp"

#include "files/name_hint.hpp"

namespace heft {

Result<Done> check_joints(const std::string& option, const std::vector<std::string>& names,
                          const Robot& robot) {
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : robot.coordinates) joints.push_back(coordinate.name);
  for (const std::string& name : names)
    if (std::find(joints.begin(), joints.end(), name) == joints.end())
      return Error{option, "unknown joint '" + name + "'", name_hint(name, joints, "one of:")};
  return Done{};
}

}  // namespace heft
