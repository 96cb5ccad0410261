// Answers a robot with its population prior; outliers are answered without it.
#pragma once

#include "fleet_populations.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the robot's population prior; empty if it uses none. Errors: missing from the store, or
/// damaged.
Result<std::optional<StoredPopulationPrior>> population_prior_of(const AnswerInput& input,
                                                                 const RobotSetup& robot,
                                                                 const FleetStore& store);

/// Replaces the file's prior by the population prior, with its own weight instead of one from the
/// robot's folds, and with intervals that need no bootstrap. `moments`: of all of the robot's logs.
/// Errors: those of fit_weighted.
Result<Done> use_population_prior(const StoredPopulationPrior& population, const Moments& moments,
                                  Prior& prior, EstimationOptions& options);

/// Returns intervals of all quantities determined by logs of the robot or of its population; the
/// robot file determines the rest.
void put_intervals(const StoredPopulationPrior& population, Identification& answer);

}  // namespace heft
