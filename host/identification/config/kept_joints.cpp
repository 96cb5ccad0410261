#include "config/kept_joints.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "heft/log/per_joint.hpp"

namespace heft::config {

Result<Done> check_kept_joints(const Configuration& configuration, const Robot& robot) {
  HEFT_CHECK(check_joints("joints.keep", configuration.kept_joints, robot));
  const std::vector<std::string>& excluded = configuration.conditioning.excluded_joints;
  for (const std::string& joint : configuration.kept_joints)
    if (std::ranges::find(excluded, joint) != excluded.end())
      return Error{"joints.keep", "'" + joint + "' is in joints.exclude, too",
                   "remove it from one of them"};
  return Done{};
}

}  // namespace heft::config
