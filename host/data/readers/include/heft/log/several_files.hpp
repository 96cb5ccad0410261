// One log in several files, each with its own clock, as written by recorders with one file per
// topic.
//
// All clocks have a common zero. The files are joined onto the clock of the first one (log.hpp);
// text stamps (ISO 8601) are converted to the zero of the first file. Users must correct delays
// between the files themselves. Threads: as source.hpp.
#pragma once

#include <string>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the log of "motion.csv+wrench.csv"; the name of an existing file is that file. Errors on
/// opening: those of every file; on reading: files that have no time in common.
Log log_of_files(const std::string& words);

/// Returns the paths of the files.
std::vector<std::string> files_of_log(const std::string& words);

}  // namespace heft
#pragma GCC visibility pop
