// S'GS for a sparse S, without products with its zeros.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#pragma GCC visibility push(default)
namespace heft {

/// Returns S'GS. G must be symmetric; the result is so to the bit.
Eigen::MatrixXd sparse_congruence(const Eigen::MatrixXd& G, const Eigen::SparseMatrix<double>& S);

}  // namespace heft
#pragma GCC visibility pop
