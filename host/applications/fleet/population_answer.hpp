// Answers a robot with its population prior; an outlier is answered as if alone.
#pragma once

#include "fleet_populations.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the robot's population prior; empty if it uses none. Errors: it is not in the store, or
/// damaged.
Result<std::optional<StoredPopulationPrior>> population_prior_of(const AnswerInput& input,
                                                                 const RobotSetup& robot,
                                                                 const FleetStore& store);

/// Replaces the file's prior by the population prior, whose weight is not left to one robot's
/// folds, and its intervals need no bootstrap. `moments`: of all of the robot's logs. Errors: those
/// of fit_weighted.
Result<Done> use_population_prior(const StoredPopulationPrior& population, const Moments& moments,
                                  Prior& prior, EstimationOptions& options);

/// Intervals of all that logs tell, the robot's own or its population's; what is left is set by the
/// robot file.
void put_intervals(const StoredPopulationPrior& population, Identification& answer);

}  // namespace heft
