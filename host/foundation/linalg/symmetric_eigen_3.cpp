#include "symmetric_eigen_of.hpp"

namespace heft {

template class SymmetricEigen<3>;
Eigen::Vector3d generalized_eigenvalues(const Eigen::Matrix3d& A, const Eigen::Matrix3d& B) {
  return eigenvalues_relative_to<3>(A, B);
}

}  // namespace heft
