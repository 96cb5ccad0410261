// The payload in the words of others: a URDF, and files for controllers.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Names of the files that describe the payload for programs and controllers.
inline constexpr const char* kBodyFiles[] = {"payload.urdf", "payload_franka.json",
                                             "payload_ur.txt", "payload_ros2.yaml", "points.csv"};

/// Why these files are not written, for people; empty if they are: only a possible body whose mass
/// is above its own interval is worth telling a controller.
std::string why_no_body_files(const PayloadResult& result);

/// zero.yaml: sensor, tool and offset for the runs that follow. Error: mass, place or offset are
/// open.
Result<std::string> zero_text(const PayloadResult& result);

std::string urdf_text(const PayloadResult& result);
std::string franka_text(const PayloadResult& result);
std::string universal_robots_text(const PayloadResult& result);
std::string ros2_text(const PayloadResult& result);
Result<std::string> points_text(const PayloadResult& result);

/// Mass, center of mass and tensor about it, in the axes of the frame.
struct AboutCom {
  double mass;
  Eigen::Vector3d com;
  Eigen::Matrix3d tensor;
};
AboutCom about_com(const BodyParameters& parameters);

}  // namespace heft::payload
