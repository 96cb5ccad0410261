// What the robot's file knows by itself.
#pragma once

#include "heft/identify/identify.hpp"

namespace heft {

/// The bodies of the prior with the columns (friction, offsets, ..) that fit the moments best.
Eigen::VectorXd prior_with_fitted_columns(const Identification& result);

}  // namespace heft
