// Work of the kernels that score candidate motions (kernels/excite), compared with the lanes of the
// CPU.
#pragma once

#include <vector>

#include "tests/device_on_host/device_work.hpp"

namespace heft::testing {

/// Motions of a small robot, for every order and fault.
void add_small_motion_scores(std::vector<DeviceTask>& tasks);

/// Motions of larger robots, whose channels have several tiles of columns.
void add_large_motion_scores(std::vector<DeviceTask>& tasks);

}  // namespace heft::testing
