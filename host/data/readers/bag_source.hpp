// A recording of messages (MCAP, ROS 2 bag) as a log: a group of columns a topic, by the stamps of
// headers, of senders or of the recorder.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Its clocks are in seconds from the whole second of the first message.
Result<SourcePtr> open_bag(const std::string& path, const LogFormat& format);

}  // namespace heft
