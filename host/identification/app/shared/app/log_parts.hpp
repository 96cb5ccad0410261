// Which rows of the training logs are learned from, and which are held out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/app/identify_files.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft::app {

/// The share of "40%", 0.4; nothing of a path. Errors: not between 0 and 100 %.
Result<std::optional<double>> held_out_share(const std::string& text);

struct SplitLogs {
  std::vector<Log> training, held_out;
};

/// The training logs within their parts; where a share is given, its end of each is held out.
/// Errors: those of reading the logs; an empty part.
Result<SplitLogs> split_logs(std::vector<Log> logs, const LogParts& parts, const LogFormat& format);

}  // namespace heft::app
#pragma GCC visibility pop
