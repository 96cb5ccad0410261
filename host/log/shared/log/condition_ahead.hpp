// Conditioning a log while blocks that are ready are worked on: one thread filters the next window, all others sum rows of the last.
#pragma once

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// condition_log by a thread of its own, at most two blocks ahead of `sink`. Blocks, their order, errors and the summary are the
/// same; `sink` and `progress` are called on the thread that called.
Result<LogSummary> condition_ahead(const Log& log, const Robot& robot, const std::vector<Channel>& channels,
                                   const LogFormat& format, const ConditioningOptions& options,
                                   const DerivedSignals& derived,
                                   const std::function<Result<Done>(int segment, const Samples& block)>& sink,
                                   const std::function<void(double fraction)>& progress = {});

}  // namespace heft
#pragma GCC visibility pop
