// Half-widths of intervals of estimates with noise and a known bias.
#pragma once

#include <Eigen/Core>

namespace heft {

/// Returns h with P(|e + b| <= h) = confidence for every pair of a bias b of `systematic` and a
/// standard error with its degrees of freedom. e is normal, with the standard deviation at which an
/// interval without bias is that of Student's t. An infinite standard error gives an infinite h.
Eigen::VectorXd half_widths(const Eigen::VectorXd& systematic,
                            const Eigen::VectorXd& standard_error, const Eigen::VectorXd& degrees,
                            double confidence);

}  // namespace heft
