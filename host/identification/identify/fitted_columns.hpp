// Baseline from the robot's file alone.
#pragma once

#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the bodies of the prior with the columns (friction, offsets, ..) that fit the moments
/// best.
Eigen::VectorXd prior_with_fitted_columns(const Identification& result);

}  // namespace heft
