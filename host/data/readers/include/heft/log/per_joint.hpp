// Options with a value for every joint: one value for all, a list in the robot's order, or values
// for some joints by name. Threads: plain values; concurrent reads are safe, a writer needs
// exclusive access.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An option with a value for every joint.
template <class Value>
struct PerJointOf {
  Value for_all = {};                ///< value of joints that are not named, if there is no list
  std::vector<Value> in_order = {};  ///< one value per coordinate of the robot; empty: no list
  std::map<std::string, Value> by_name = {};

  /// Converts a single value to an option of all joints.
  template <class Given = Value>
    requires std::convertible_to<Given, Value>
  PerJointOf(Given&& value = {})
      : for_all(std::forward<Given>(value)) {}  // NOLINT: as an initializer

  /// Returns the value of a coordinate of the robot. A channel that is not a joint's has index -1.
  const Value& of(const std::string& joint, int index) const {
    if (index >= 0 && index < static_cast<int>(in_order.size()))
      return in_order[static_cast<std::size_t>(index)];
    const auto named = by_name.find(joint);
    return named == by_name.end() ? for_all : named->second;
  }

  /// Sets the value of one coordinate: in the list if there is one, otherwise by name.
  void set(const std::string& joint, int index, Value value) {
    if (index >= 0 && index < static_cast<int>(in_order.size()))
      in_order[static_cast<std::size_t>(index)] = std::move(value);
    else
      by_name[joint] = std::move(value);
  }

  /// Calls `function(value)` for every stored value.
  template <class Function>
  void for_each(const Function& function) const {
    function(for_all);
    for (const Value& value : in_order) function(value);
    for (const auto& [joint, value] : by_name) function(value);
  }

  bool is_one() const { return in_order.empty() && by_name.empty(); }
  bool operator==(const PerJointOf&) const = default;
};

/// An option that is a number for every joint.
using PerJoint = PerJointOf<double>;

/// A set of joints: all of them, or some by name.
struct JointChoice {
  bool all = false;
  std::vector<std::string> names = {};

  bool has(const std::string& joint) const {
    return all || std::find(names.begin(), names.end(), joint) != names.end();
  }
  bool none() const { return !all && names.empty(); }
  bool operator==(const JointChoice&) const = default;
};

/// Checks that all names are joints of the robot. Error: an unknown name, with near misses.
Result<Done> check_joints(const std::string& option, const std::vector<std::string>& names,
                          const Robot& robot);

/// Checks an option against a robot. Errors: a list whose length differs from the number of
/// coordinates, an unknown name, with near misses.
template <class Value>
Result<Done> check_per_joint(const std::string& option, const PerJointOf<Value>& value,
                             const Robot& robot) {
  const std::size_t num_joints = robot.coordinates.size();
  if (!value.in_order.empty() && value.in_order.size() != num_joints)
    return Error{option,
                 "has " + std::to_string(value.in_order.size()) + " values for " +
                     std::to_string(num_joints) + " joints",
                 "give one value for all, one for each, or values by joint name"};
  std::vector<std::string> names;
  for (const auto& [joint, unused] : value.by_name) names.push_back(joint);
  return check_joints(option, names, robot);
}

}  // namespace heft
#pragma GCC visibility pop
