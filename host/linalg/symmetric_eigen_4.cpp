#include "symmetric_eigen_of.hpp"

namespace heft {

template class SymmetricEigen<4>;
template Eigen::Vector4d generalized_eigenvalues<4>(const Eigen::Matrix4d&, const Eigen::Matrix4d&);

}  // namespace heft
