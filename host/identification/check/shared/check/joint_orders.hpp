// Plausible orders of numbered joint columns: similar groups exchanged (legs in another program's
// order, the arms of a two-armed robot), a chain counted from its end or with an offset of one, by
// name, or level by level.
#pragma once

#include <cstddef>
#include <vector>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// For every joint, the joint whose columns it should read.
using JointOrder = std::vector<int>;

/// Coordinates of subtrees with the same structure on one body.
using LikeGroups = std::vector<std::vector<int>>;

/// Returns the order in which every joint reads its own columns.
JointOrder unchanged_order(int num_joints);

/// Returns all arrangements except the unchanged one, smallest changes first: for every group, the
/// group whose columns it reads.
std::vector<std::vector<int>> arrangements(std::size_t num_groups);

/// Returns whether several moving joints are attached to one body.
bool branches(const Robot& robot);

/// Returns all sets of similar groups of a robot.
std::vector<LikeGroups> like_groups(const Robot& robot);

/// Returns the order in which group k reads the columns of group `from[k]`.
JointOrder order_of_groups(int num_joints, const LikeGroups& groups, const std::vector<int>& from);

/// Returns the orders of similar groups to try, smallest changes first; for more than four groups
/// only exchanges of two.
std::vector<JointOrder> orders_of_groups(const Robot& robot);

/// Returns the orders of all joints to try: counted from the end, shifted by one, by name, level by
/// level; without exchanges of two joints.
std::vector<JointOrder> orders_of_all(const Robot& robot);

/// Returns the finding for an order, with its Fix but without evidence. Errors: those of opening
/// the log and of its columns.
Result<Finding> permuted_joints(const Model& model, const Log& log, const LogFormat& format,
                                const ConditioningOptions& conditioning, const JointOrder& order);

}  // namespace heft
#pragma GCC visibility pop
