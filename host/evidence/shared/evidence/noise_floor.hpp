// How small an error could be: what of the torques no model of the motion explains, between two bounds.
#pragma once

#include <Eigen/Core>

#include "evidence/excerpt.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct NoiseFloor {
  Eigen::VectorXd lower, upper;  ///< rms by channel; NaN: not known
};

/// `residuals`: of every stretch, num_samples x num_channels, NaN where a row is not used. `bandwidth_hz`: of what is left
/// of noise after filtering. Upper: differences of second order at the lag 1 / (2 bandwidth), at which filtered noise has
/// lost its memory and errors of the model, which vary as slowly as the motion, cancel. Lower: half of it, as far as
/// coloured noise has been seen to lead astray (0.5 to 0.7 on the logs of bench/real_logs).
NoiseFloor noise_floor(const std::vector<Eigen::ArrayXXd>& residuals, double sample_period_s,
                       double bandwidth_hz);

}  // namespace heft
#pragma GCC visibility pop
