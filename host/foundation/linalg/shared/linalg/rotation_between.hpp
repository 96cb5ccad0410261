// The shortest rotation from one direction to another.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// Returns R such that R from = to within rounding, regardless of lengths; for opposite directions
/// one of the half turns. Neither vector may be zero.
Eigen::Matrix3d rotation_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

}  // namespace heft
#pragma GCC visibility pop
