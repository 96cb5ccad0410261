// The torque that an identified model predicts on any log, row by row beside the measured one.
// Threads: any number of threads may call, each with objects of its own; what is const may be shared. Two calls must
// not write to one file.
#pragma once

#include <string>

#include "heft/base/progress.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct PredictSummary {
  long long num_rows = 0;
  double overall_relative = 0;  ///< sqrt(sum e^2 / sum tau^2) over the used rows; NaN if none is used
};

/// Reads result.json (or that of a directory) and the identified.urdf beside it, conditions `log` as the result's
/// options say, and writes a CSV: t, then per channel measured_<channel>, predicted_<channel> [N m or N], used_<channel> (1 or 0).
/// Known torques are part of both; a
/// measured torque that is not used is nan. The file appears whole or not at all. Errors: those of reading
/// the model and of condition_log; stopped().
Result<PredictSummary> predict_log(const std::string& result_path, const std::string& log_path,
                                   const std::string& output_path, const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
