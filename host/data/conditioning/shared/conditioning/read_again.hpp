// Checks of a log before it is read: whether it can be read more than once, for training and
// residuals, and whether it belongs to the robot.
#pragma once

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Checks that a log can be read more than once. Error: a pipe or socket.
Result<Done> can_be_read_again(const Log& log);

/// Checks that a log has the columns of a robot, from its header alone, before memory of the
/// robot's size is allocated. Errors: those of opening the log; a missing column.
Result<Done> has_columns_of(const Robot& robot, const std::vector<Channel>& channels,
                            const Log& log, const LogFormat& format,
                            const ConditioningOptions& conditioning);

}  // namespace heft
#pragma GCC visibility pop
