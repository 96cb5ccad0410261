#include "elimination.hpp"

#include <cmath>

#include "linalg/factorizations.hpp"
#include "linalg/minimum_norm.hpp"

namespace heft::solver {

namespace {

constexpr double kRankThreshold = 1e-11;       // pivots below this fraction of the largest are zero
constexpr double kContradiction = 1e-9;        // residual of a row, relative to its terms
constexpr double kRelativeNegligible = 1e-14;  // rounding residue in the null space, dropped to
                                               // stay sparse

}  // namespace

Result<Elimination> eliminate(const Eigen::MatrixXd& E, const Eigen::VectorXd& e,
                              const std::vector<std::string>& names) {
  const Eigen::Index n = E.cols();
  Elimination result;
  if (E.rows() == 0) {
    result.offset.setZero(n);
    result.N.resize(n, n);
    result.N.setIdentity();
    return result;
  }

  // rows of unit length, so that one threshold serves them all
  Eigen::VectorXd length = E.rowwise().norm();
  for (double& value : length) value = value > 0 ? value : 1;
  const Eigen::MatrixXd rows = length.cwiseInverse().asDiagonal() * E;
  const Eigen::VectorXd values = e.cwiseQuotient(length);

  Eigen::FullPivLU<Eigen::MatrixXd> lu(rows);
  lu.setThreshold(kRankThreshold);
  result.offset = minimum_norm_solution(rows, values);

  // the least-squares residual is orthogonal to the range: its entries are the combination of rows
  // that reads 0 = 1
  const Eigen::VectorXd residual = values - rows * result.offset;
  const double scale = std::max(1.0, values.cwiseAbs().maxCoeff());
  if (!(residual.cwiseAbs().maxCoeff() <= kContradiction * scale)) {
    std::string conflict;
    for (Eigen::Index row = 0; row < residual.size(); ++row) {
      if (std::abs(residual[row]) > 1e-3 * residual.cwiseAbs().maxCoeff()) {
        conflict += (conflict.empty() ? "" : "; ") + names[row];
      }
    }
    return Error{"constraints", "these equalities contradict each other: " + conflict,
                 "drop or change one of them"};
  }

  if (lu.dimensionOfKernel() == 0) {
    result.N.resize(n, 0);
    return result;
  }
  const Eigen::MatrixXd kernel = lu.kernel();
  result.N = kernel.sparseView(kernel.cwiseAbs().maxCoeff(), kRelativeNegligible);
  return result;
}

}  // namespace heft::solver
