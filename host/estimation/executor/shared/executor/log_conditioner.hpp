// The device that conditions logs for an executor.
#pragma once

#include <memory>

#include "heft/executor/executor.hpp"
#include "rows/device_conditioner.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns a conditioner on the device of an executor; null if it computes on the CPU. Error: the
/// device fails.
Result<std::shared_ptr<DeviceConditioner>> log_conditioner(const Executor& executor);

}  // namespace heft
#pragma GCC visibility pop
