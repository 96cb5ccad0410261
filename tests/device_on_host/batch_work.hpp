// Work of the solver's kernels: batches of problems.
#pragma once

#include "tests/device_on_host/device_work.hpp"

namespace heft::testing {

inline constexpr int kSharedOfSm90 = 232448,
                     kFactorFitsNot = 9000;  ///< bytes of shared memory that a block gets

/// With `with_nan` the first problem has no answer, but an end.
DeviceTask batch(std::string name, int num_bodies, int most_shared_bytes, int count, bool with_nan = false);

/// One problem whose answer is, for every body, the unit matrix but for one entry: most rotations have nothing to turn, between
/// equal entries.
DeviceTask batch_of_equal_entries(std::string name, int num_bodies, int most_shared_bytes);

}  // namespace heft::testing
