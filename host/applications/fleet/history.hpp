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

/// Differences between consecutive days of all robots, compared with the days' own intervals.
struct DayDifferences {
  std::size_t num_robots = 0, num_differences = 0;
  double ratio = 1;       ///< median difference over that which the intervals claim
  double widened_by = 1;  ///< factor on half-widths of differences: the ratio, at least 1
};

/// Compares the days of all robots; empty with fewer than eight robots that have such days. The
/// median is that of most robots, whatever changed on a few of them.
std::optional<DayDifferences> day_differences(
    const std::vector<std::optional<AnswerRecord>>& records);

/// Describes changes between two dates that exceed twice the half-widths of the days' intervals,
/// times `widened_by`: "mass of gripper rose from 1.2 to 1.7 kg on 2026-11-22".
std::vector<std::string> changes_in(const AnswerRecord& record, double widened_by = 1);

}  // namespace heft
