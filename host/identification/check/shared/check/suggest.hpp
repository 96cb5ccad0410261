// Which column of a log is what, told from names and numbers, for people to look over.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// First words of every suggestion, by which a file is known for one.
inline constexpr const char* kSuggestionMark =
    "# Guessed from names and numbers: review it before use.";

struct Suggestion {
  std::string yaml;                  ///< a configuration, with a comment for every column
  std::vector<std::string> missing;  ///< "position", ..: what no column was found for; the
                                     ///< configuration lacks it
};

/// By names where they say it (docs/logs.md); else time is what grows steadily, of several columns
/// a joint the velocity is the derivative of the position, and the position the smoothest. Reads no
/// more than the first 20 000 rows. Errors: those of read_robot and of opening the log; a log
/// without numbers; one of a force-torque sensor.
Result<Suggestion> suggest_columns(const std::string& robot_path, const std::string& log_path,
                                   const CheckLogOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
