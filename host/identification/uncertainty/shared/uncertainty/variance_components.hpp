// Variances of several sources of error whose sum is observed, by maximum likelihood.
//
//   z ~ N(0, K),     K = 1 + sum_k v_k B_k
//
// minimizes log det K + z'K^-1 z + sum_k d_k (log v_k + e_k / v_k): each source has a stated
// variance e_k that counts as much as d_k observations. Every step
//
//   v_k <- v_k sqrt((v_k^2 z'K^-1 B_k K^-1 z + d_k e_k) / (v_k^2 tr(K^-1 B_k) + d_k v_k))
//
// decreases this [Zhou, Hu, Zhou, Lange 2019], but slowly near the minimum. It replaces steps of
// Newton's method for log v_k, with the average information [Gilmour, Thompson, Cullis 1995]
//
//   v_k v_l z'K^-1 B_k K^-1 B_l K^-1 z
//
// in place of the second derivatives, where those do not decrease the cost.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// A source of error.
struct VarianceComponent {
  Eigen::MatrixXd covariance;  ///< B, of the observed numbers per unit of variance
  double stated = 1;           ///< e, variance without observations; also the initial value
  double degrees = 0;          ///< d, weight of the stated variance; 0: only observations count
};

/// Variances of all components, and the covariance of their estimates from the Fisher information.
struct VarianceEstimate {
  Eigen::VectorXd variances;
  Eigen::MatrixXd covariance;
};

/// Estimates the variances of components of the numbers z, whose noise has unit variance. A
/// component without effect keeps its stated variance.
VarianceEstimate estimate_variances(const Eigen::VectorXd& z,
                                    const std::vector<VarianceComponent>& components);

}  // namespace heft
#pragma GCC visibility pop
