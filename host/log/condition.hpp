// condition_log with the size of reads in the caller's hands: tests vary it to show that it changes nothing.
#pragma once

#include <cstddef>

#include "heft/log/log.hpp"

namespace heft {

Result<LogSummary> condition_log_in_reads_of(
    std::size_t read_size, const std::string& path, const Robot& robot, const std::vector<Channel>& channels,
    const LogFormat& format, const ConditioningOptions& options, const DerivedSignals& derived,
    const std::function<Result<Done>(int segment, const Samples& block)>& sink,
    const std::function<void(double fraction)>& progress);

}  // namespace heft
