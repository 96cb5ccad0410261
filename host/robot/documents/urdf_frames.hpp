// Frames of a URDF's links on the bodies of the Robot, which does not store them. Needed for
// rotors.
#pragma once

#include <Eigen/Geometry>
#include <map>
#include <string>

namespace heft {

struct LinkFrame {
  int body = -1;  ///< index of the body that carries the link; -1: the base
  Eigen::Isometry3d X_body_link = Eigen::Isometry3d::Identity();
};

struct UrdfFrames {
  std::map<std::string, LinkFrame> links;  ///< by link name, fixed links and the root included
  std::map<std::string, std::string> parent_links;  ///< of joints with one degree of freedom, by
                                                    ///< joint name
};

}  // namespace heft
