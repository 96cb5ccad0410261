// Work of the kernels that condition logs.
#pragma once

#include <cstdint>

#include "tests/device_on_host/device_work.hpp"

namespace heft::testing {

/// Logs of two robots, of several kinds and lengths, conditioned together: samples, and counts of
/// rows that are dropped. `memory_bytes`: of the device at a time.
DeviceTask conditioned_logs(std::string name, std::int64_t memory_bytes);

}  // namespace heft::testing
