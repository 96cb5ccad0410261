// Work of the solver's kernels: batches of problems.
#pragma once

#include "tests/device_on_host/device_work.hpp"

namespace heft::testing {

inline constexpr int kSharedOfSm90 = 232448,
                     kFactorFitsNot = 9000;  ///< bytes of shared memory that a block gets

enum class FactorsBy { block, library };

/// With `with_nan` the first problem has no answer, but an end.
DeviceTask batch(std::string name, int num_bodies, int most_shared_bytes, int count,
                 bool with_nan = false, FactorsBy factors = FactorsBy::block);

/// Problems whose columns are at their bounds: multipliers of rows, too, are above zero.
DeviceTask batch_at_bounds(std::string name, int num_bodies, int most_shared_bytes,
                           FactorsBy factors = FactorsBy::block);

/// One problem whose answer is, for every body, the unit matrix but for one entry: most rotations
/// have nothing to turn, between equal entries.
DeviceTask batch_of_equal_entries(std::string name, int num_bodies, int most_shared_bytes);

}  // namespace heft::testing
