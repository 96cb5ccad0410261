// Predicted torque with the filter of the measured torque: if rows are filtered, predictions are
// filtered too.
#pragma once

#include <span>

#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Calls Backend::predict and filters along time if the samples of a job require it. Unknown
/// wrenches are those that explain the measured torques of each sample best, and their torque is
/// part of the prediction. Errors: those of the backend.
Result<Done> predict_as_measured(Backend& backend, std::span<const PredictJob> jobs,
                                 std::span<Eigen::ArrayXXd> torques);

/// Returns the same postures without motion, also for the unfiltered samples.
Samples at_rest(Samples samples);

}  // namespace heft
#pragma GCC visibility pop
