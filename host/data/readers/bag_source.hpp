// A recording of messages (MCAP, ROS 2 bag) as a log: one group of columns per topic, timed by
// headers, senders or the recorder.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Clocks count seconds from the whole second of the first message.
Result<SourcePtr> open_bag(const std::string& path, const LogFormat& format);

}  // namespace heft
