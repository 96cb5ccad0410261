// Applies the torque's low-pass and decimation to rows of one channel (unfiltered_motion.hpp).
#pragma once

#include "heft/rows/backend.hpp"
#include "heft/signal/smoother.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

/// Filters up to kSignalLanes columns, from `first_column` on, of the unfiltered rows at
/// motion.samples. `rows` has as many rows as the block has samples, and equally many columns;
/// `scratch` is resized as needed.
void filter_columns(const RowArray& unfiltered, const UnfilteredMotion& motion,
                    Eigen::Index first_column, RowArray& rows, Eigen::ArrayXXd& scratch);

}  // namespace heft
