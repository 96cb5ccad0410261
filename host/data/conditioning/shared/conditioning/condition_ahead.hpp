// Conditioning a log while blocks that are ready are worked on: one thread filters the next window,
// all others sum rows of the last.
#pragma once

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// condition_log by a thread of its own, at most two blocks ahead of `sink`. Blocks, their order,
/// errors and the summary are the same; `sink` and `progress` are called on the thread that called.
Result<LogSummary> condition_ahead(const Log& log, const LogReading& reading, const BlockSink& sink,
                                   const HearFraction& progress = {});

}  // namespace heft
#pragma GCC visibility pop
