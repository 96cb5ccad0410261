// Exports the payload to other formats: a URDF, and files for controllers.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Names of the files that describe the payload for programs and controllers.
inline constexpr const char* kBodyFiles[] = {"payload.urdf", "payload_franka.json",
                                             "payload_ur.txt", "payload_ros2.yaml", "points.csv"};

/// Returns why these files are not written, as text; empty if they are. Only a physically
/// consistent body with a mass above its own interval is exported.
std::string why_no_body_files(const PayloadResult& result);

/// Writes zero.yaml: sensor, tool and offset for later runs. Error: mass, center of mass or offset
/// are undetermined.
Result<std::string> zero_text(const PayloadResult& result);

std::string urdf_text(const PayloadResult& result);
std::string franka_text(const PayloadResult& result);
std::string universal_robots_text(const PayloadResult& result);
std::string ros2_text(const PayloadResult& result);
Result<std::string> points_text(const PayloadResult& result);

/// Mass, center of mass and inertia tensor about it, in the axes of the frame.
struct AboutCom {
  double mass;
  Eigen::Vector3d com;
  Eigen::Matrix3d tensor;
};
AboutCom about_com(const BodyParameters& parameters);

}  // namespace heft::payload
