// A motion in other functions of time: what is nearest to it, from begin to end, whatever it
// lasted.
#pragma once

#include "heft/excite/options.hpp"

namespace heft::excite {

/// The coefficients of `shape` whose motion follows the path of `motion`, its time stretched to the
/// duration of `shape`: by least squares at many instants, the same where both have the same
/// functions.
Eigen::MatrixXd nearest_coefficients(const CoefficientMotion& motion, const MotionShape& shape);

}  // namespace heft::excite
