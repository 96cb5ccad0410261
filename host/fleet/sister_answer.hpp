// An answer with the prior of sisters; a robot that is a stranger to them is answered as if alone.
#pragma once

#include "heft/identify/identify.hpp"
#include "sister_families.hpp"

namespace heft {

/// What the robot's sisters say of it; none if it asks for none. Errors: it is not in the store, or damaged.
Result<std::optional<StoredSisterPrior>> sisters_of(const AnswerInput& input, const RobotSetup& robot,
                                                    const FleetStore& store);

/// The sisters' prior in place of the file's; its weight is not left to one robot's folds, and its intervals need no bootstrap.
/// `moments`: of all of the robot's logs. Errors: those of fit_weighted.
Result<Done> ask_sisters(const StoredSisterPrior& sisters, const Moments& moments, Prior& prior,
                         EstimationOptions& options);

/// Intervals of all that logs tell, the robot's own or its sisters'; what is left is set by the robot file.
void put_intervals(const StoredSisterPrior& sisters, Identification& answer);

}  // namespace heft
