// Least squares in the form used by the solvers, over the used rows of all channels, weighted by 1
// / s_c^2:
//
//   sum_c 1/s_c^2 |Y_c x - tau_c|^2 = x'Gx - 2 b'x + tau2
//
// Threads: plain values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// Normal equations of weighted least squares.
struct NormalEquations {
  Eigen::MatrixXd G;    ///< P x P, symmetric, sum of s_c^-2 Y_c'Y_c
  Eigen::VectorXd b;    ///< P, sum of s_c^-2 Y_c'tau_c
  double tau2 = 0;      ///< sum of s_c^-2 |tau_c|^2
  double num_rows = 0;  ///< N of FORMULAS 2: used rows of all channels

  /// Returns the weighted squared residual of x, summed over rows; Certificate::residual_cost is
  /// its mean. Loses precision by cancellation near a perfect fit, so final residuals are computed
  /// from samples.
  double residual_cost(const Eigen::VectorXd& x) const;
};

}  // namespace heft
#pragma GCC visibility pop
