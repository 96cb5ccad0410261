// How a robot changed: its logs by the day they were recorded, each day identified by itself from
// the leaves that are there.
#pragma once

#include "answer.hpp"

namespace heft {

/// By date; empty unless the training logs were recorded at two dates or more. Days that by
/// themselves have no optimum are left out. Errors: those of leaves; stopped().
Result<std::vector<RecordedDay>> days_of(const AnswerInput& input, const RobotSetup& robot,
                                         const FleetStore& store, const Progress& progress);

/// What changed between two dates by more than the half-widths of a day's intervals: "mass of
/// gripper rose from 1.2 to 1.7 kg on 2026-11-22".
std::vector<std::string> changes_in(const AnswerRecord& record);

}  // namespace heft
