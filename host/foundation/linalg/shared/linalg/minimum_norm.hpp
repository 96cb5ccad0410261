// Least squares where columns may depend on each other. The complete orthogonal decomposition
// behind it takes ten seconds to compile.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// Of all x that make |A x - b| least the shortest one. A is m x n, b of m; ranks are told by
/// Eigen's threshold, which is relative to the largest pivot.
Eigen::VectorXd minimum_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace heft
#pragma GCC visibility pop
