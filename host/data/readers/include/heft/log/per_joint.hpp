// An option of every joint: one value for all, a list in the robot's order, or some joints by name.
// Threads: plain values: share them for reading; a thread that changes one must own it.
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

template <class Value>
struct PerJointOf {
  Value for_all = {};                ///< of joints that are not named, and where there is no list
  std::vector<Value> in_order = {};  ///< one a coordinate of the robot; empty: none
  std::map<std::string, Value> by_name = {};

  /// A value is an option of all joints.
  template <class Given = Value>
  requires std::convertible_to<Given, Value> PerJointOf(Given&& value = {})
      : for_all(std::forward<Given>(value)) {}  // NOLINT: as an initializer

  /// Of a coordinate of the robot; a channel that is no joint's has index -1.
  const Value& of(const std::string& joint, int index) const {
    if (index >= 0 && index < static_cast<int>(in_order.size()))
      return in_order[static_cast<std::size_t>(index)];
    const auto named = by_name.find(joint);
    return named == by_name.end() ? for_all : named->second;
  }

  /// Of that coordinate alone, in the list where there is one, else by name.
  void set(const std::string& joint, int index, Value value) {
    if (index >= 0 && index < static_cast<int>(in_order.size()))
      in_order[static_cast<std::size_t>(index)] = std::move(value);
    else
      by_name[joint] = std::move(value);
  }

  /// Calls `function(value)` for every value that stands in it.
  template <class Function>
  void for_each(const Function& function) const {
    function(for_all);
    for (const Value& value : in_order) function(value);
    for (const auto& [joint, value] : by_name) function(value);
  }

  bool is_one() const { return in_order.empty() && by_name.empty(); }
  bool operator==(const PerJointOf&) const = default;
};

/// A number of every joint.
using PerJoint = PerJointOf<double>;

/// Joints that something holds for: all of them, or some by name.
struct JointChoice {
  bool all = false;
  std::vector<std::string> names = {};

  bool has(const std::string& joint) const {
    return all || std::find(names.begin(), names.end(), joint) != names.end();
  }
  bool none() const { return !all && names.empty(); }
  bool operator==(const JointChoice&) const = default;
};

/// Error if a name is none of a joint (with near misses).
Result<Done> check_joints(const std::string& option, const std::vector<std::string>& names,
                          const Robot& robot);

/// Error if a list is not as long as the robot has coordinates, or a name is none of a joint (with
/// near misses).
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
