// Possible mistakes in a log's columns or in the robot's orientation: each is a change of
// conditioned samples or of gravity, with the option that corrects it.
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
  std::vector<int> joints;  ///< joints whose columns it changes: indices into LogFacts::joints
  std::function<void(Samples&)> apply = {};     ///< empty: no change of samples
  std::optional<Eigen::Vector3d> gravity = {};  ///< corrected direction
  std::string remedy;
  std::string yaml = {};      ///< empty: no option fixes it
  bool is_of_all = false;     ///< concerns all joints together; no single one needs to confirm it
  bool is_of_groups = false;  ///< permutes similar groups of joints
};

/// Returns all mistakes to test: reversed torque, position or both of every joint or of all,
/// gravity along another axis, degrees where limits are inconclusive, two joints swapped
/// in torque, position or both, joints in another order (check/joint_orders.hpp).
std::vector<ColumnMistake> column_mistakes(const LogFacts& log);

/// Permutes all columns of the joints to this order.
ColumnMistake joints_permuted(const LogFacts& log, const JointOrder& order);

/// Returns the finding for a mistake, without its evidence.
Finding finding_of(const LogFacts& log, const ColumnMistake& mistake, const std::string& path);

/// Returns the column of a joint's torque or position, depending on the rule.
std::string column_of(const LogFacts& log, const JointLog& joint, const std::string& rule);

/// Scales the motion of a joint.
std::function<void(Samples&)> scaled_motion(int joint, double factor);

}  // namespace heft::check
