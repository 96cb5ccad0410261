// Knowledge about a robot before the motion: its robot file, the expected deviation from that file,
// and moments of existing logs.
#pragma once

#include <optional>

#include "heft/excite/options.hpp"
#include "heft/training/training_data.hpp"
#include "limits.hpp"

namespace heft::excite {

/// Returns a plan with default channels and the columns of the options.
Result<PlanPtr> make_excitation_plan(const Robot& robot, const BeliefOptions& options);

/// Errors: unknown joints, numbers that are not positive, moments of another robot, an invalid
/// prior. `notes` receives the assumptions as text.
Result<Beliefs> make_beliefs(const RegressorPlan& plan, const Limits& limits,
                             const BeliefOptions& options, const TrainingData* known,
                             std::vector<std::string>& notes);

}  // namespace heft::excite
