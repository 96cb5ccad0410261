// Summaries of the time spent reading logs.
#pragma once

#include <string>
#include <vector>

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the sum over all logs.
ReadingTimes total_reading(const std::vector<LogSummary>& logs);

/// Returns "limited by: parsing (busy 93 % of the time; disk 4 %, computing 61 %)"; empty if
/// nothing was read.
std::string bottleneck_words(const ReadingTimes& times);

}  // namespace heft
#pragma GCC visibility pop
