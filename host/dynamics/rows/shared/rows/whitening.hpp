// Channels whose noise has something in common, turned into as many whose noise has not.
//
// With the covariance S of the channels' noise the least squares of a sample's residuals e is e'
// S^-1 e. S^-1 = U'U with U upper triangular makes it |U e|^2: row a of U mixes channel a with
// those after it, which lie further outward on the robot, so that a whitened row feels no more
// bodies than channel a does. Where some channels of a sample are not used, S is that of the
// others.
#pragma once

#include <Eigen/Core>
#include <map>
#include <vector>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A plan whose channels are whitened ones: the same layout and structural columns, wider rows.
PlanPtr whitened_plan(const PlanPtr& plan);

class Whitener {
 public:
  explicit Whitener(Eigen::MatrixXd covariance) : covariance_(std::move(covariance)) {}

  /// U for a sample of which some channels are used; zero in rows and columns of the others.
  const Eigen::MatrixXd& factor(const std::vector<bool>& used);

 private:
  Eigen::MatrixXd covariance_;
  std::map<std::vector<bool>, Eigen::MatrixXd> factors_;
};

}  // namespace heft
#pragma GCC visibility pop
