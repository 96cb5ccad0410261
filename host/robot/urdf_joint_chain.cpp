#include "urdf_joint_chain.hpp"

#include <string>

namespace heft {

namespace {

void append(JointChain& chain, const std::string& name, JointType type, const Eigen::Vector3d& axis) {
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

// First direction in the plane: the frame axis that follows the normal's largest component in the cycle x, y,
// z, made orthogonal to the normal. A normal along z gives x and y.
Eigen::Vector3d first_direction_in_plane(const Eigen::Vector3d& normal) {
  Eigen::Index largest = 0;
  normal.cwiseAbs().maxCoeff(&largest);
  const Eigen::Vector3d next = Eigen::Vector3d::Unit((largest + 1) % 3);
  return (next - normal.dot(next) * normal).normalized();
}

void describe_coordinate(const urdf::Joint& joint, Coordinate& coordinate) {
  if (joint.limits) {
    coordinate.max_velocity = joint.limits->velocity;
    coordinate.max_effort = joint.limits->effort;
    if (joint.type != urdf::Joint::CONTINUOUS) {
      coordinate.lower = joint.limits->lower;
      coordinate.upper = joint.limits->upper;
    }
  }
  if (joint.dynamics) {
    coordinate.damping = joint.dynamics->damping;
    coordinate.friction = joint.dynamics->friction;
  }
}

}  // namespace

JointChain joint_chain(const urdf::Joint& joint, const Eigen::Vector3d& axis) {
  JointChain chain;
  switch (joint.type) {
    case urdf::Joint::PLANAR: {
      const Eigen::Vector3d x = first_direction_in_plane(axis);
      append(chain, joint.name + ".x", JointType::prismatic, x);
      append(chain, joint.name + ".y", JointType::prismatic, axis.cross(x));
      append(chain, joint.name + ".angle", JointType::revolute, axis);
      break;
    }
    case urdf::Joint::FLOATING:
      append(chain, joint.name + ".x", JointType::prismatic, Eigen::Vector3d::UnitX());
      append(chain, joint.name + ".y", JointType::prismatic, Eigen::Vector3d::UnitY());
      append(chain, joint.name + ".z", JointType::prismatic, Eigen::Vector3d::UnitZ());
      append(chain, joint.name + ".yaw", JointType::revolute, Eigen::Vector3d::UnitZ());
      append(chain, joint.name + ".pitch", JointType::revolute, Eigen::Vector3d::UnitY());
      append(chain, joint.name + ".roll", JointType::revolute, Eigen::Vector3d::UnitX());
      break;
    default:
      append(chain, joint.name,
             joint.type == urdf::Joint::PRISMATIC ? JointType::prismatic : JointType::revolute, axis);
      describe_coordinate(joint, chain.coordinates.back());
  }
  chain.bodies.back().name = joint.child_link_name;
  chain.bodies.back().has_parameters = true;
  return chain;
}

Eigen::Isometry3d isometry(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix();
  X.translation() = Eigen::Vector3d(pose.position.x, pose.position.y, pose.position.z);
  return X;
}

}  // namespace heft
