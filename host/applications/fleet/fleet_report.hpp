// Writes the results of a fleet: fleet.json for programs, fleet.csv for tables, fleet.html for
// people.
#pragma once

#include <optional>
#include <vector>

#include "fleet/run.hpp"
#include "gate.hpp"
#include "store.hpp"

namespace heft {

/// `rules`: of the gate, if there is one. `records`: records of the existing answers. Replaces all
/// files or none.
Result<Done> write_fleet_report(const FleetPlan& plan, const FleetOutcome& outcome,
                                const std::vector<std::optional<AnswerRecord>>& records,
                                const std::optional<GateRules>& rules, const FleetStore& store,
                                int num_threads);

}  // namespace heft
