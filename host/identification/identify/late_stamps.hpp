// Tries the remedies for rows that were not sampled at the times of their stamps (rule
// stamps-late).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the remedy with the smallest error on the held-out logs, or else on the training logs:
/// rows at uniform times, another cutoff, logged velocities in addition. Empty if no training log
/// has such rows or no remedy lowers the error. Identifies once per remedy, without evidence.
/// Errors: stopped().
Result<std::optional<Hypothesis>> remedy_of_late_stamps(const IdentifyRequest& request,
                                                        const Identification& result,
                                                        const std::vector<LogFindings>& logs);

}  // namespace heft
