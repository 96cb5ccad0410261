// Conditions a log while finished blocks are processed: one thread filters the next window, all
// others sum rows of the previous one.
#pragma once

#include <functional>

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A BlockSink that owns the blocks.
using OwningBlockSink = std::function<Result<Done>(int segment, Samples block)>;

/// Runs condition_log in a separate thread, at most two blocks ahead of `sink`. Blocks, their
/// order, errors and the summary are the same; `sink` and `progress` are called on the calling
/// thread.
Result<LogSummary> condition_ahead(const Log& log, const LogReading& reading,
                                   const OwningBlockSink& sink, const HearFraction& progress = {});

}  // namespace heft
#pragma GCC visibility pop
