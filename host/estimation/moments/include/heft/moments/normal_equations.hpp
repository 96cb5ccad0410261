// Least squares in the form that solvers take, over the used rows of all channels, weighted by 1 /
// s_c^2:
//
//   sum_c 1/s_c^2 |Y_c x - tau_c|^2 = x'Gx - 2 b'x + tau2
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

struct NormalEquations {
  Eigen::MatrixXd G;    ///< P x P, symmetric, sum of s_c^-2 Y_c'Y_c
  Eigen::VectorXd b;    ///< P, sum of s_c^-2 Y_c'tau_c
  double tau2 = 0;      ///< sum of s_c^-2 |tau_c|^2
  double num_rows = 0;  ///< N of FORMULAS 2: used rows of all channels

  /// Weighted squared residual of x, summed over rows; Certificate::residual_cost is the mean.
  /// Cancels near a perfect fit: final residuals come from the samples.
  double residual_cost(const Eigen::VectorXd& x) const;
};

}  // namespace heft
#pragma GCC visibility pop
