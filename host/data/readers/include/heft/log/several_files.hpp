// One log in several files, each with a clock of its own, as recorders write that have a file for
// each topic.
//
// All clocks have one zero. The first file leads when they are joined (log.hpp); stamps that are
// texts (ISO 8601) are brought onto the zero of the first. How late one file is against another is
// for those to say who know what was recorded. Threads: as source.hpp.
#pragma once

#include <string>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// "motion.csv+wrench.csv"; what is the path of a file is that file. Errors when it is opened:
/// those of every file; while it is read: files that share no time.
Log log_of_files(const std::string& words);

/// Their paths.
std::vector<std::string> files_of_log(const std::string& words);

}  // namespace heft
#pragma GCC visibility pop
