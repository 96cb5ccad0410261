// Minimizes a smooth function from its gradient: L-BFGS [Nocedal 1980] with a line search that
// enforces the weak Wolfe conditions.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace heft::excite {

/// Returns the value at x and writes the derivatives to `gradient`. Infinite outside the domain.
using SmoothFunction = std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& gradient)>;

struct DescentOptions {
  int max_steps = 50;
  std::function<bool()> goes_on;  ///< if set, called before every step; false stops
};

/// Moves x downhill until a step hardly lowers the value; returns the number of function
/// evaluations.
int descend(const SmoothFunction& function, Eigen::VectorXd& x, const DescentOptions& options);

}  // namespace heft::excite
