// Converts a hull to FCL. This is the only file that includes FCL's headers.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <vector>

namespace heft {

struct HullGeometry;

/// `triangles` are indices of corners, empty if the points span no volume.
std::shared_ptr<const HullGeometry> make_hull_geometry(
    const Eigen::Matrix3Xd& corners, const std::vector<std::array<int, 3>>& triangles);

}  // namespace heft
