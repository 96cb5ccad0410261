// Part of a log in the time of doubts and log.exclude: seconds of the log as it is read.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the rows between two times, both included; rows without a time have the period of
/// log.rate_hz and start at 0. `remedy` says where to change the times.
Log part_of(const Log& log, const LogPart& part, const std::string& remedy);

/// Returns the first and last time of the leading clock. Errors: those of opening and reading; a
/// log without times and without log.rate_hz.
Result<LogPart> times_of(const Log& log, const LogFormat& format);

}  // namespace heft
#pragma GCC visibility pop
