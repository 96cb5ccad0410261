// Suggests the meaning of a log's columns from names and numbers, for review by the user. Threads:
// safe to call from several threads on separate objects; const objects may be shared.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// First words of every suggestion, by which its file is recognized.
inline constexpr const char* kSuggestionMark =
    "# Guessed from names and numbers: check it before use.";

/// A suggested configuration.
struct Suggestion {
  std::string yaml;                  ///< a configuration, with a comment for every column
  std::vector<std::string> missing;  ///< "position", ..: quantities without a column; the
                                     ///< configuration lacks them
  std::string remedy;                ///< how to name them
};

/// Suggests a configuration, by names if they are clear (docs/logs.md). Otherwise time is a
/// steadily increasing column; among several columns per joint, velocity is the derivative of
/// position and position is the smoothest. Reads at most the first 20 000 rows. Errors: those of
/// read_robot and of opening the log; a log without numbers, or of a force-torque sensor.
Result<Suggestion> suggest_columns(const std::string& robot_path, const std::string& log_path,
                                   const CheckLogOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
