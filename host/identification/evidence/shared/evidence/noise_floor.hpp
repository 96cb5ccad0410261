// How small an error could be: what of the torques no model of the motion explains, between two
// bounds.
#pragma once

#include <Eigen/Core>

#include "evidence/excerpt.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct NoiseFloor {
  Eigen::VectorXd lower, upper;  ///< rms by channel; NaN: not known
};

/// `residuals`: of every stretch, num_samples x num_channels, NaN where a row is not used.
/// `bandwidth_hz`: of what is left of noise after filtering. `lower` and `upper` bracket the rms of
/// noise by the median size of second differences over sqrt 6, at the lag 1 / (2 bandwidth): white
/// noise has lost its memory there, and errors of the model, which vary as slowly as the motion,
/// cancel. Colored noise remembers longer, so that the differences see down to 0.7 of it; what of
/// the model does not cancel makes them up to 1.9 times too large (logs of bench/real_logs).
NoiseFloor noise_floor(const std::vector<Eigen::ArrayXXd>& residuals, double sample_period_s,
                       double bandwidth_hz);

}  // namespace heft
#pragma GCC visibility pop
