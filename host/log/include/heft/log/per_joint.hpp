// An option of every joint: one number for all, a list in the robot's order, or some joints by name.
// Threads: plain values: share them for reading; whoever changes one has it alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct PerJoint {
  double for_all = 0;                 ///< of joints that are not named, and where there is no list
  std::vector<double> in_order = {};  ///< one a coordinate of the robot; empty: none
  std::map<std::string, double> by_name = {};

  PerJoint(double value = 0) : for_all(value) {}  // NOLINT: a number is an option of all joints

  /// Of a coordinate of the robot; a channel that is no joint's has index -1.
  double of(const std::string& joint, int index) const;

  /// Calls `function(number)` for every number that stands in it.
  template <class Function>
  void for_each(const Function& function) const {
    function(for_all);
    for (const double value : in_order) function(value);
    for (const auto& [joint, value] : by_name) function(value);
  }

  bool is_one_number() const { return in_order.empty() && by_name.empty(); }
  bool operator==(const PerJoint&) const = default;
};

/// Error if a list is not as long as the robot has coordinates, or a name is none of a joint (with near misses).
Result<Done> check_per_joint(const std::string& option, const PerJoint& value, const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
