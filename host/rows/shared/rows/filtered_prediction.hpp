// Torques to lay beside measured ones: where the rows go through a filter, what they predict goes through it too.
#pragma once

#include <span>

#include "heft/core/export.hpp"
#include "heft/rows/backend.hpp"

namespace heft HEFT_EXPORT {

/// Backend::predict, filtered along time where a job's samples say so. Errors: the backend's.
Result<Done> predict_as_measured(Backend& backend, std::span<const PredictJob> jobs,
                                 std::span<Eigen::ArrayXXd> torques);

/// The same postures without motion, of rows before the filter too.
Samples at_rest(Samples samples);

}  // namespace heft
