// Predicted torque, filtered like the measured one: where the rows go through a filter, what they
// predict goes through it too.
#pragma once

#include <span>

#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Backend::predict, filtered along time where a job's samples say so. Errors: the backend's.
Result<Done> predict_as_measured(Backend& backend, std::span<const PredictJob> jobs,
                                 std::span<Eigen::ArrayXXd> torques);

/// The same postures without motion, of rows before the filter too.
Samples at_rest(Samples samples);

}  // namespace heft
#pragma GCC visibility pop
