// Whitening: transforms channels with correlated noise into the same number of channels with
// uncorrelated noise.
//
// With the covariance S of the channels' noise, the least-squares cost of a sample's residuals e is
// e' S^-1 e. With S^-1 = U'U, U upper triangular, it is |U e|^2. Row a of U mixes channel a with
// those after it, which are further outward on the robot, so a whitened row depends on no more
// bodies than channel a. If some channels of a sample are not used, S is the covariance of the
// others.
#pragma once

#include <Eigen/Core>
#include <map>
#include <vector>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the plan with whitened channels: the same layout and structural columns, wider rows.
PlanPtr whitened_plan(const PlanPtr& plan);

/// Computes the whitening factor of samples.
class Whitener {
 public:
  explicit Whitener(Eigen::MatrixXd covariance) : covariance_(std::move(covariance)) {}

  /// Returns U for a sample with some used channels; zero in rows and columns of the others.
  const Eigen::MatrixXd& factor(const std::vector<bool>& used);

 private:
  Eigen::MatrixXd covariance_;
  std::map<std::vector<bool>, Eigen::MatrixXd> factors_;
};

}  // namespace heft
#pragma GCC visibility pop
