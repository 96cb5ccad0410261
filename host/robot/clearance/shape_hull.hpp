// Returns the hull of one shape in other axes.
#pragma once

#include "clearance/hull.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

/// X is the pose of the shape in the axes of the hull; `corners` are those of a mesh, in the
/// shape's axes. A cylinder becomes a circumscribed prism with 24 sides, up to 0.9 % wider.
Result<Hull> shape_hull(const Shape& shape, const Eigen::Isometry3d& X,
                        const Eigen::Matrix3Xd& corners);

}  // namespace heft
