#include "symmetric_eigen_of.hpp"

namespace heft {

template class SymmetricEigen<3>;
template Eigen::Vector3d generalized_eigenvalues<3>(const Eigen::Matrix3d&, const Eigen::Matrix3d&);

}  // namespace heft
