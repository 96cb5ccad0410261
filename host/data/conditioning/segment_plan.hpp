// What a device needs to know to condition the segments of a log, and which logs it can.
#pragma once

#include <string>

#include "heft/log/log.hpp"
#include "rows/device_conditioner.hpp"
#include "segment_sink.hpp"

namespace heft {

/// Returns why the device cannot condition any log that is read so; empty if it can.
std::string unsupported_on_device(const LogReading& reading);

/// Returns why the device cannot condition this log; empty if it can.
std::string unsupported_on_device(const ConditioningPlan& plan);

/// Returns the plan of a log that the device can condition.
SegmentPlan segment_plan(const ReadLog& log, const LogReading& reading);

}  // namespace heft
