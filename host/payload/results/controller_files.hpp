// The payload in the words of others: a URDF, and files for controllers.
#pragma once

#include "heft/payload/files.hpp"

namespace heft::payload {

/// zero.yaml: sensor, tool and offset for the runs that follow. Error: mass, place or offset are open.
Result<std::string> zero_text(const PayloadResult& result);

std::string urdf_text(const PayloadResult& result);
std::string franka_text(const PayloadResult& result);
std::string universal_robots_text(const PayloadResult& result);
std::string ros2_text(const PayloadResult& result);
Result<std::string> points_text(const PayloadResult& result);

/// Mass, centre of mass and tensor about it, in the axes of the frame.
struct AboutCom {
  double mass;
  Eigen::Vector3d com;
  Eigen::Matrix3d tensor;
};
AboutCom about_com(const BodyParameters& parameters);

}  // namespace heft::payload
