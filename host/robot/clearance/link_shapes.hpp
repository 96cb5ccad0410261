// The collision shapes of a robot file as hulls.
#pragma once

#include <string>
#include <vector>

#include "clearance/collision_model.hpp"

namespace heft {

struct ShapesOfLinks {
  std::vector<LinkShapes> links;     ///< links with shapes, in the order of the file
  std::vector<std::string> without;  ///< bodies without a shape on any link
  std::vector<std::string> all;      ///< links of the file
};

/// Errors name file, link and mesh.
Result<ShapesOfLinks> read_link_shapes(const Robot& robot,
                                       const std::vector<std::string>& package_folders);

}  // namespace heft
