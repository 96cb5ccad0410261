// Robots for hand-made cases, built joint by joint.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "heft/model/robot.hpp"

namespace heft {

/// Adds a coordinate and the body that it moves; returns the body's index. Names are "j1", "b1" and
/// so on.
inline int add_joint(Robot& robot, int parent, JointType type, const Eigen::Vector3d& axis,
                     const Eigen::Vector3d& translation,
                     const Eigen::Matrix3d& rotation = Eigen::Matrix3d::Identity()) {
  const std::string number = std::to_string(robot.num_coordinates() + 1);
  Body body;
  body.name = "b" + number;
  body.joint = "j" + number;
  body.parent = parent;
  body.type = type;
  body.axis = axis;
  body.X_parent_body.translation() = translation;
  body.X_parent_body.linear() = rotation;
  body.coordinate = robot.num_coordinates();
  robot.bodies.push_back(body);
  robot.coordinates.push_back({.name = body.joint, .is_angle = type != JointType::prismatic});
  return robot.num_bodies() - 1;
}

/// Adds a rotor that drives the coordinate of `driven`; it comes after the link and turns about its
/// own z axis.
inline int add_rotor(Robot& robot, int carrier, int driven, double ratio,
                     const Eigen::Isometry3d& pose) {
  Body rotor;
  rotor.name = "rotor_" + robot.bodies[driven].name;
  rotor.joint = robot.bodies[driven].joint;
  rotor.parent = carrier;
  rotor.X_parent_body = pose;
  rotor.coordinate = robot.bodies[driven].coordinate;
  rotor.ratio = ratio;
  rotor.is_rotor = rotor.symmetric = true;
  robot.bodies.push_back(rotor);
  return robot.num_bodies() - 1;
}

/// Two revolute joints with axes along z, 0.5 m apart along x.
inline Robot parallel_2r_arm(const Eigen::Vector3d& gravity) {
  Robot robot;
  robot.name = "parallel_2r";
  robot.gravity = gravity;
  const int upper = add_joint(robot, -1, JointType::revolute, Eigen::Vector3d::UnitZ(), {0, 0, 0});
  add_joint(robot, upper, JointType::revolute, Eigen::Vector3d::UnitZ(), {0.5, 0, 0});
  return robot;
}

}  // namespace heft
