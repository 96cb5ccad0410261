// Least squares with possibly dependent columns. Compiled separately, because the complete
// orthogonal decomposition takes ten seconds to compile.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the shortest x among those that minimize |A x - b|. A is m x n, b has m numbers; the
/// rank is determined by Eigen's threshold, relative to the largest pivot.
Eigen::VectorXd minimum_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace heft
#pragma GCC visibility pop
