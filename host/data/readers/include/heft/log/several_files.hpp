// One log in several files, each with its own clock, as written by recorders with one file per
// topic.
//
// The files are joined onto the clock of the first one (log.hpp). By default all clocks have a
// common zero; text stamps (ISO 8601) are converted to the zero of the first file. match_clocks
// (setup/match_clocks.hpp) estimates the clocks of the other files from the motion. Threads: as
// source.hpp.
#pragma once

#include <string>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The clock of one file relative to that of the first file:
///   stamp = offset_s + (1 + rate) time,
/// both in seconds, and without the zero that stamps since 1970 lose (in_seconds).
struct ClockMap {
  double offset_s = 0;
  double rate = 0;
};

/// A clock that match_clocks estimated, of a file other than the first. The offset is that from
/// a common clock; the standard deviations are those of the estimate.
struct ClockMatch {
  std::string log, file;
  ClockMap clock;
  double offset_sd_s = 0, rate_sd = 0;
};

/// Returns the log of "motion.csv+wrench.csv"; the name of an existing file is that file. Errors on
/// opening: those of every file; on reading: files that have no time in common.
Log log_of_files(const std::string& words);
/// Returns the log with the clocks of its files, one map per file; that of the first is zero.
Log log_of_files(const std::string& words, const std::vector<ClockMap>& clocks);

/// Opens the files as one source; a single name is the file, as by open_file.
Result<SourcePtr> open_log(const std::string& words, const LogFormat& format);

/// Returns the paths of the files.
std::vector<std::string> files_of_log(const std::string& words);

}  // namespace heft
#pragma GCC visibility pop
