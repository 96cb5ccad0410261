#include "linalg/minimum_norm.hpp"

#include "linalg/factorizations.hpp"

namespace heft {

Eigen::VectorXd minimum_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

}  // namespace heft
