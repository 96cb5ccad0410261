// One URDF joint as a chain of bodies with one degree of freedom each. Only the last body is the
// child link; the others carry nothing and have no parameters.
//
//   planar    <joint>.x, <joint>.y   slide in the plane normal to the axis, then
//             <joint>.angle          turns about the normal
//   floating  <joint>.x, .y, .z      slide along the axes of the joint frame, then
//             <joint>.yaw, .pitch, .roll  turn about z, y, x: the rotation is Rz Ry Rx, as in
//                                         URDF's rpy
#pragma once

#include <Eigen/Geometry>
#include <pugixml.hpp>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft {

struct JointChain {
  std::vector<Body> bodies;  ///< outward; parent, coordinate and the first pose are left open
  std::vector<Coordinate> coordinates;  ///< one per body, as if the joint mimicked none
};

/// The chain of a <joint> that moves; `axis` is a unit vector (not used by a floating joint).
JointChain joint_chain(pugi::xml_node joint, const Eigen::Vector3d& axis);

}  // namespace heft
