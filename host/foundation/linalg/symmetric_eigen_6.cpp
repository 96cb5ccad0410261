#include "symmetric_eigen_of.hpp"

namespace heft {

template class SymmetricEigen<6>;

}  // namespace heft
