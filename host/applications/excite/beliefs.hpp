// What is known of a robot before the motion: its file, how far robots are from their files, and
// moments of logs that exist.
#pragma once

#include <optional>

#include "heft/excite/options.hpp"
#include "heft/training/training_data.hpp"
#include "limits.hpp"

namespace heft::excite {

/// A plan with default channels and the columns of the options.
Result<PlanPtr> make_excitation_plan(const Robot& robot, const BeliefOptions& options);

/// Errors: names of joints that do not exist, numbers that are not positive, moments of another
/// robot, a prior that cannot be made. `notes` takes what was assumed, in words.
Result<Beliefs> make_beliefs(const RegressorPlan& plan, const Limits& limits,
                             const BeliefOptions& options, const TrainingData* known,
                             std::vector<std::string>& notes);

}  // namespace heft::excite
