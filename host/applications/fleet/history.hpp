// History of a robot: its logs grouped by recording date, with each day identified separately from
// the available leaves.
#pragma once

#include "answer.hpp"

namespace heft {

/// Returns the days by date; empty unless the training logs have at least two dates. Omits days
/// without an optimum of their own. `data`: what the answer was computed from. Errors: those of
/// leaves; stopped().
Result<std::vector<RecordedDay>> days_of(const AnswerInput& input, const RobotSetup& robot,
                                         const TrainingData& data, const FleetStore& store,
                                         const Progress& progress);

/// Describes changes between two dates that exceed twice the half-widths of the days' intervals:
/// "mass of gripper rose from 1.2 to 1.7 kg on 2026-11-22".
std::vector<std::string> changes_in(const AnswerRecord& record);

}  // namespace heft
