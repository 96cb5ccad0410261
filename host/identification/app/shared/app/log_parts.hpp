// Divides the rows of the training logs into training and held-out rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/app/identify_files.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft::app {

/// Returns 0.4 for "40%"; empty for a path. Error: not between 0 and 100 %.
Result<std::optional<double>> held_out_share(const std::string& text);

/// Logs divided into two sets.
struct SplitLogs {
  std::vector<Log> training, held_out;
};

/// Returns the training logs within their parts; if a share is given, the end of each log is held
/// out. Errors: those of reading the logs; an empty part.
Result<SplitLogs> split_logs(std::vector<Log> logs, const LogParts& parts, const LogFormat& format);

}  // namespace heft::app
#pragma GCC visibility pop
