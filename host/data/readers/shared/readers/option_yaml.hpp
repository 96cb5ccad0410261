// Per-joint options as text to paste into a configuration.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heft/log/per_joint.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An option with one number per joint.
struct JointOption {
  const char* section;
  const char* key;
  double usual;  ///< default
};

/// Returns "key: {joint: number, ..}" for all joints whose number is not the default; a single
/// number if it is the same for all. `change` returns the new number of a coordinate from the
/// current one.
std::string option_entry(const JointOption& option, const PerJoint& in_force, const Robot& robot,
                         const std::function<double(int coordinate, double old)>& change);

/// Returns "section: {entry, ..}" as a line.
std::string section_yaml(const std::string& section, const std::vector<std::string>& entries);

/// Returns an option alone in its section.
std::string option_yaml(const JointOption& option, const PerJoint& in_force, const Robot& robot,
                        const std::function<double(int coordinate, double old)>& change);

}  // namespace heft
#pragma GCC visibility pop
