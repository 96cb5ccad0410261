// How quiet a robot may be taken for (FORMULAS 10). Least squares of a log with few movements fit
// its noise too: residuals of a channel then are a small share of what they are for the population,
// and with weights 1 / s_c^2 one such robot outvotes all others.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Most that a row of each channel may count for: as if its noise were half of the population
/// median. `weights`: 1 / s_c^2 of every robot, channel by channel, at least one.
Eigen::VectorXd most_weights(const std::vector<Eigen::VectorXd>& weights);

}  // namespace heft
#pragma GCC visibility pop
