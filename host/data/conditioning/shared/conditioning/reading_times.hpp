// What to say of the time that logs took.
#pragma once

#include <string>
#include <vector>

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Of all logs together.
ReadingTimes total_reading(const std::vector<LogSummary>& logs);

/// "limited by: parsing (busy 93 % of the time; disk 4 %, computing 61 %)"; empty if nothing was
/// read.
std::string bottleneck_words(const ReadingTimes& times);

}  // namespace heft
#pragma GCC visibility pop
