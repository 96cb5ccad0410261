// Orders in which the columns of joints may stand in a log whose columns have numbers: like groups
// exchanged (the legs of another program's order, the arms of a robot with two), a chain counted
// from its end or from the next joint, by name, or level by level.
#pragma once

#include <cstddef>
#include <vector>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Of every joint the joint whose columns it should read.
using JointOrder = std::vector<int>;

/// Subtrees of the same structure on one body: the coordinates of each.
using LikeGroups = std::vector<std::vector<int>>;

/// Every joint reads its own columns.
JointOrder unchanged_order(int num_joints);

/// All arrangements but the unchanged one, the least change first: of every group the group whose
/// columns it reads.
std::vector<std::vector<int>> arrangements(std::size_t num_groups);

/// More than one moving joint hangs on one body.
bool branches(const Robot& robot);

/// All sets of like groups of a robot.
std::vector<LikeGroups> like_groups(const Robot& robot);

/// The order in which group k reads the columns of group `from[k]`.
JointOrder order_of_groups(int num_joints, const LikeGroups& groups, const std::vector<int>& from);

/// Orders that are tried of like groups, the least change first; of more than four groups exchanges
/// of two only.
std::vector<JointOrder> orders_of_groups(const Robot& robot);

/// Orders of all joints: counted from the end, shifted by one, by name, level by level. Exchanges
/// of two joints are not among them.
std::vector<JointOrder> orders_of_all(const Robot& robot);

/// The finding that an order would be, with its Fix, without what speaks for it. Errors: those of
/// opening the log and of its columns.
Result<Finding> permuted_joints(const Model& model, const Log& log, const LogFormat& format,
                                const ConditioningOptions& conditioning, const JointOrder& order);

}  // namespace heft
#pragma GCC visibility pop
