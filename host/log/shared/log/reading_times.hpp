// What to say of the time that logs took.
#pragma once

#include <string>
#include <vector>

#include "heft/core/export.hpp"
#include "heft/log/log.hpp"

namespace heft HEFT_EXPORT {

/// Of all logs together.
ReadingTimes total_reading(const std::vector<LogSummary>& logs);

/// "limited by: parsing (busy 93 % of the time; disk 4 %, computing 61 %)"; empty if nothing was read.
std::string bottleneck_words(const ReadingTimes& times);

}  // namespace heft
