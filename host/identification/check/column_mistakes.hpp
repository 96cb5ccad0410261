// What somebody may have mistaken in a log's columns, or in how the robot stands: each a change of
// conditioned samples or of gravity, and the option that makes it.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/joint_orders.hpp"
#include "log_facts.hpp"

namespace heft::check {

struct ColumnMistake {
  std::string name;         ///< of the finding: "torque-reversed"
  std::vector<int> joints;  ///< whose columns it changes: indices into LogFacts::joints
  std::function<void(Samples&)> apply = {};     ///< empty: samples stay
  std::optional<Eigen::Vector3d> gravity = {};  ///< where it pulls instead
  std::string remedy;
  std::string yaml = {};      ///< empty: no option fixes it
  bool is_of_all = false;     ///< joints are all there are: none needs to convince
  bool is_of_groups = false;  ///< like groups of joints in another order
};

/// All that is tried: reversed torque, position or both of every joint, all torques reversed,
/// gravity along another axis, degrees where no limit tells, two joints exchanged in torque,
/// position or both, joints in another order (check/joint_orders.hpp).
std::vector<ColumnMistake> column_mistakes(const LogFacts& log);

/// All columns of the joints in this order.
ColumnMistake joints_permuted(const LogFacts& log, const JointOrder& order);

/// The finding that a mistake would be, without what speaks for it.
Finding finding_of(const LogFacts& log, const ColumnMistake& mistake, const std::string& path);

/// The column of a joint's torque or position, whichever a rule is about.
std::string column_of(const LogFacts& log, const JointLog& joint, const std::string& rule);

/// The motion of a joint times a factor.
std::function<void(Samples&)> scaled_motion(int joint, double factor);

}  // namespace heft::check
