#include "urdf_joint_chain.hpp"

#include <string>
#include <string_view>

#include "urdf_values.hpp"

namespace heft {

namespace {

void append(JointChain& chain, const std::string& name, JointType type,
            const Eigen::Vector3d& axis) {
  Body body;
  body.name = name;
  body.joint = name;
  body.type = type;
  body.axis = axis;
  body.has_parameters = false;
  chain.bodies.push_back(std::move(body));
  Coordinate coordinate;
  coordinate.name = name;
  coordinate.is_angle = type == JointType::revolute;
  chain.coordinates.push_back(std::move(coordinate));
}

// First direction in the plane: the frame axis that follows the normal's largest component in the
// cycle x, y, z, made orthogonal to the normal. A normal along z gives x and y.
Eigen::Vector3d first_direction_in_plane(const Eigen::Vector3d& normal) {
  Eigen::Index largest = 0;
  normal.cwiseAbs().maxCoeff(&largest);
  const Eigen::Vector3d next = Eigen::Vector3d::Unit((largest + 1) % 3);
  return (next - normal.dot(next) * normal).normalized();
}

void describe_coordinate(pugi::xml_node joint, Coordinate& coordinate) {
  if (const pugi::xml_node limit = joint.child("limit")) {
    coordinate.max_velocity = number_of(limit.attribute("velocity"), coordinate.max_velocity);
    coordinate.max_effort = number_of(limit.attribute("effort"), coordinate.max_effort);
    if (joint.attribute("type").value() != std::string_view("continuous")) {
      coordinate.lower = number_of(limit.attribute("lower"), 0);
      coordinate.upper = number_of(limit.attribute("upper"), 0);
    }
  }
  coordinate.damping = number_of(joint.child("dynamics").attribute("damping"), 0);
  coordinate.friction = number_of(joint.child("dynamics").attribute("friction"), 0);
}

}  // namespace

JointChain joint_chain(pugi::xml_node joint, const Eigen::Vector3d& axis) {
  const std::string name = joint.attribute("name").value();
  const std::string_view type = joint.attribute("type").value();
  JointChain chain;
  if (type == "planar") {
    const Eigen::Vector3d x = first_direction_in_plane(axis);
    append(chain, name + ".x", JointType::prismatic, x);
    append(chain, name + ".y", JointType::prismatic, axis.cross(x));
    append(chain, name + ".angle", JointType::revolute, axis);
  } else if (type == "floating") {
    append(chain, name + ".x", JointType::prismatic, Eigen::Vector3d::UnitX());
    append(chain, name + ".y", JointType::prismatic, Eigen::Vector3d::UnitY());
    append(chain, name + ".z", JointType::prismatic, Eigen::Vector3d::UnitZ());
    append(chain, name + ".yaw", JointType::revolute, Eigen::Vector3d::UnitZ());
    append(chain, name + ".pitch", JointType::revolute, Eigen::Vector3d::UnitY());
    append(chain, name + ".roll", JointType::revolute, Eigen::Vector3d::UnitX());
  } else {
    append(chain, name, type == "prismatic" ? JointType::prismatic : JointType::revolute, axis);
    describe_coordinate(joint, chain.coordinates.back());
  }
  chain.bodies.back().name = joint.child("child").attribute("link").value();
  chain.bodies.back().has_parameters = true;
  return chain;
}

}  // namespace heft
