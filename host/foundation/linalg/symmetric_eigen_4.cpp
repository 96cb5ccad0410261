#include "symmetric_eigen_of.hpp"

namespace heft {

template class SymmetricEigen<4>;
Eigen::Vector4d generalized_eigenvalues(const Eigen::Matrix4d& A, const Eigen::Matrix4d& B) {
  return eigenvalues_relative_to<4>(A, B);
}

}  // namespace heft
