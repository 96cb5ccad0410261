// Counts the work of an identification for the choice of `backend: auto`.
#pragma once

#include <string>

#include "executor/backend_choice.hpp"
#include "heft/identify/identify.hpp"

namespace heft::app {

/// Samples are estimated from the sizes of files, before rows are read; logs in memory count as
/// empty. Problems are those of the intervals.
BackendWork work_of(const IdentifyRequest& request);

/// Without logs.
BackendWork work_of(const RegressorPlan& plan, const EstimationOptions& options);

/// Records why `backend: auto` chose its backend; nothing if there was no choice.
void record_choice(const std::string& because, Identification& identification);

}  // namespace heft::app
