// Approximates a motion by other basis functions, over its whole path and for any duration.
#pragma once

#include "heft/excite/options.hpp"

namespace heft::excite {

/// Returns the coefficients of `shape` whose motion follows the path of `motion`, stretched in time
/// to the duration of `shape`. Least squares over many instants; exact if both use the same
/// functions.
Eigen::MatrixXd nearest_coefficients(const CoefficientMotion& motion, const MotionShape& shape);

}  // namespace heft::excite
