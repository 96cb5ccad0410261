// Options by joint as text to paste into a configuration.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heft/log/per_joint.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An option of one number a joint.
struct JointOption {
  const char* section;
  const char* key;
  double usual;  ///< the default
};

/// "key: {joint: number, ..}" of all joints whose number is not the usual one; one number if it is
/// that of all. `change` gives the new number of a coordinate from the one in force.
std::string option_entry(const JointOption& option, const PerJoint& in_force, const Robot& robot,
                         const std::function<double(int coordinate, double old)>& change);

/// "section: {entry, ..}", a line.
std::string section_yaml(const std::string& section, const std::vector<std::string>& entries);

/// An option by itself in its section.
std::string option_yaml(const JointOption& option, const PerJoint& in_force, const Robot& robot,
                        const std::function<double(int coordinate, double old)>& change);

}  // namespace heft
#pragma GCC visibility pop
