// What to do about rows that were not sampled at the times of their stamps (rule stamps-late): the
// remedies are tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the remedy with the least error on the held-out logs, or without any on the training
/// logs: rows at even times, another cutoff, logged velocities with it. Nothing where a training
/// log lacks such rows, or no remedy lowers the error. Identifies once a remedy, without evidence.
/// Errors: stopped().
Result<std::optional<Hypothesis>> remedy_of_late_stamps(const IdentifyRequest& request,
                                                        const Identification& result,
                                                        const std::vector<LogFindings>& logs);

}  // namespace heft
