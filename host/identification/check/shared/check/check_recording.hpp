// check_log of a robot that is read already, and of a log that may lie in memory: for Python.
#pragma once

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The log's name stands for its path, and options.robot says nothing. Errors: those of reading the
/// log with the options' names and units; stopped().
Result<CheckReport> check_recording(Robot robot, const Log& log,
                                    const CheckLogOptions& options = {},
                                    const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
