// Minimizes a smooth function by its gradient: L-BFGS [Nocedal 1980] with a line search that ends
// at the weak Wolfe conditions.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace heft::excite {

/// Value at x; `gradient` takes the derivatives there. Infinite where there is no value.
using SmoothFunction = std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& gradient)>;

struct DescentOptions {
  int max_steps = 50;
  std::function<bool()> goes_on;  ///< asked before every step, if it is there
};

/// Moves x downhill, until a step lowers the value by hardly a share of it; returns how often the
/// function was evaluated.
int descend(const SmoothFunction& function, Eigen::VectorXd& x, const DescentOptions& options);

}  // namespace heft::excite
