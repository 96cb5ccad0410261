// Products of matrices with few columns and many rows, on the widest vectors of this machine.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Returns A'B, of matrices with the same number of rows. Its bits depend on the instruction set.
Eigen::MatrixXd wide_product(const Eigen::Ref<const RowMajorMatrix>& A,
                             const Eigen::Ref<const Eigen::MatrixXd>& B);

}  // namespace heft
#pragma GCC visibility pop
