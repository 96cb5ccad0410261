// Eliminates linear equalities, with N sparse (the identity apart from the pivots):
//
//   { z : E z = e } = { offset + N y }
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/solve/problem.hpp"

namespace heft::solver {

struct Elimination {
  Eigen::VectorXd offset;  ///< a point with E offset = e
  RowSparseMatrix N;       ///< columns span the null space of E
};

/// Eliminates by Gaussian elimination with full pivoting, which removes redundant rows. Error:
/// contradictory rows, by their `names`.
Result<Elimination> eliminate(const Eigen::MatrixXd& E, const Eigen::VectorXd& e,
                              const std::vector<std::string>& names);

}  // namespace heft::solver
