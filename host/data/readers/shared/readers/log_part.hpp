// Part of a log by the clock that doubts and log.exclude go by: seconds as the log is read.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The rows from one time to another, both included; rows without a time are log.rate_hz apart and
/// begin at 0. `remedy`: where the times are to be changed.
Log part_of(const Log& log, const LogPart& part, const std::string& remedy);

/// The first and the last time of the clock that leads. Errors: those of opening and reading; a log
/// without times, of which no log.rate_hz is given.
Result<LogPart> times_of(const Log& log, const LogFormat& format);

}  // namespace heft
#pragma GCC visibility pop
