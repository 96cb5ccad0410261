// check_log for a robot that was already read and for logs in memory, used by Python.
#pragma once

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Checks a log. Its name replaces the path, and options.robot is ignored. Errors: those of reading
/// the log with the options' names and units; stopped().
Result<CheckReport> check_recording(Robot robot, const Log& log,
                                    const CheckLogOptions& options = {},
                                    const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
