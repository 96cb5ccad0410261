#include "symmetric_eigen_of.hpp"

namespace heft {

template class SymmetricEigen<Eigen::Dynamic>;
template class SymmetricEigen<Eigen::Dynamic, long double>;

}  // namespace heft
