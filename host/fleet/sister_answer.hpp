// An answer with the prior of sisters.
#pragma once

#include "heft/identify/identify.hpp"
#include "sister_families.hpp"

namespace heft {

/// The sisters' prior in place of the file's; its weight is not left to one robot's folds, and its intervals need no bootstrap.
/// Errors: those of fit_weighted.
Result<Done> ask_sisters(const StoredSisterPrior& sisters, const TrainingData& data,
                         IdentifyRequest& request);

/// Intervals of all that logs tell, the robot's own or its sisters'; what is left is set by the robot file.
void put_intervals(const StoredSisterPrior& sisters, Identification& answer);

}  // namespace heft
