// Lower bound of a robot's noise (FORMULAS 10). Least squares of a log with little motion also fit
// its noise: the residuals of a channel are then much smaller than those of the population, and
// with weights 1 / s_c^2 one such robot would outweigh all others.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the largest allowed weight of each channel's rows: that of noise at half of the
/// population median. `weights` are 1 / s_c^2 of every robot, per channel, at least one robot.
Eigen::VectorXd most_weights(const std::vector<Eigen::VectorXd>& weights);

}  // namespace heft
#pragma GCC visibility pop
