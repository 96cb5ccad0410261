// The shortest rotation from one direction to another.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// R with R from = to to rounding, lengths aside; of opposite directions one of the half turns.
/// Neither may be zero.
Eigen::Matrix3d rotation_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

}  // namespace heft
#pragma GCC visibility pop
