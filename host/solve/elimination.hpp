// Solving linear equalities away: { z : E z = e } = { offset + N y }, N sparse (identity apart from the
// pivots).
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/problem.hpp"
#include "heft/result.hpp"

namespace heft::solver {

struct Elimination {
  Eigen::VectorXd offset;  ///< a point with E offset = e
  RowSparseMatrix N;       ///< columns span the null space of E
};

/// Gaussian elimination with full pivoting: redundant rows drop out, `names` of contradicting ones end up in
/// the error.
Result<Elimination> eliminate(const Eigen::MatrixXd& E, const Eigen::VectorXd& e,
                              const std::vector<std::string>& names);

}  // namespace heft::solver
