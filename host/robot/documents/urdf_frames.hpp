// What reading a URDF knows and a Robot forgets: where every link of the file rides. Rotors need
// it.
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
