// What is asked of a log before it is read: whether it can be read more than once, to learn and to
// look at what is left, and whether it is of this robot.
#pragma once

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Error of a pipe or socket, which gives its rows only once.
Result<Done> can_be_read_again(const Log& log);

/// Whether a log has the columns of a robot, asked of its header alone, before anything as large as
/// the robot is made. Errors: those of opening it; a column is missing.
Result<Done> has_columns_of(const Robot& robot, const std::vector<Channel>& channels,
                            const Log& log, const LogFormat& format,
                            const ConditioningOptions& conditioning);

}  // namespace heft
#pragma GCC visibility pop
