// The robot for identification: an immutable tree of moving bodies, with fixed links merged, and
// the channels measured on it.
//
// A body's joint coordinate is ratio * q[coordinate] + offset (FORMULAS 1). Rotors (leaf bodies on
// the link that carries the motor, with the gear ratio), mimic joints and motors shared by two
// joints are therefore ordinary bodies. Threads: plain values; concurrent reads are safe, a writer
// needs exclusive access.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <string>
#include <vector>

#include "heft/core/inertia.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The ten inertial parameters of a body in the order of core::Parameter.
using BodyParameters = Eigen::Matrix<double, core::kNumParameters, 1>;

/// The motion of a body relative to its parent. Joints with several degrees of freedom are chains
/// of these through bodies without parameters (Body::has_parameters == false).
enum class JointType {
  rigid,      ///< no relative motion: the root body of a floating base, or a payload on a sensor
  revolute,   ///< rotates about the axis (URDF revolute and continuous)
  prismatic,  ///< slides along the axis
  helical,    ///< rotates about the axis and slides `pitch` meters per radian along it
};

/// A rigid part of the robot, with the joint that moves it.
struct Body {
  std::string name;   ///< the moving URDF link, or the rotor
  std::string joint;  ///< the URDF joint that moves it; empty for the root of a floating base
  int parent = -1;  ///< index of the parent body, always smaller than the body's own index; -1: the
                    ///< base (world)

  JointType type = JointType::revolute;
  /// Pose in the parent at joint coordinate zero.
  Eigen::Isometry3d X_parent_body = Eigen::Isometry3d::Identity();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< unit vector in the body's own frame
  double pitch = 0;                                 ///< [m/rad], helical joints only

  int coordinate = -1;  ///< index into Robot::coordinates; -1 for a rigid body
  double ratio = 1;     ///< joint coordinate = ratio * q[coordinate] + offset
  double offset = 0;    ///< [rad] or [m]

  bool has_parameters = true;  ///< false: a massless link of a joint chain, never identified
  bool is_rotor = false;       ///< from the rotors file, not from the URDF
  bool symmetric = false;      ///< rotationally symmetric about its axis (rotors)
  /// Merged URDF inertia about the origin of this frame.
  BodyParameters prior = BodyParameters::Zero();
  /// Names of the fixed links whose inertia is included in `prior`, without this link.
  std::vector<std::string> merged_links;
};

/// One generalized coordinate: a joint that the robot moves and whose torque (or force) is a
/// channel.
struct Coordinate {
  std::string name;  ///< URDF joint name
  bool is_angle = true;
  double lower = -std::numeric_limits<double>::infinity();  ///< limits as in the URDF, [rad] or [m]
  double upper = std::numeric_limits<double>::infinity();   ///< [rad] or [m]
  double max_velocity = std::numeric_limits<double>::infinity();  ///< [rad/s] or [m/s]
  double max_effort = std::numeric_limits<double>::infinity();    ///< [N m] or [N]
  double damping = 0;   ///< viscous, [N m s/rad] or [N s/m]
  double friction = 0;  ///< Coulomb, [N m] or [N]
};

/// A robot. Bodies are in depth-first order with the joints below a link sorted by name, so the
/// order of the document does not matter.
struct Robot {
  std::string name;
  std::string source;       ///< path of the robot file
  std::string source_text;  ///< contents of the robot file, from which write_identified makes the
                            ///< new one
  std::string rotors_text;  ///< contents of the rotors file; empty without rotors
  std::vector<Body> bodies;
  std::vector<Coordinate> coordinates;
  bool floating_base = false;  ///< bodies[0] is the root link, rigidly attached to a freely moving
                               ///< base
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< acceleration in base axes [m/s^2]; unused with a
                                         ///< floating base

  int num_bodies() const { return static_cast<int>(bodies.size()); }
  int num_coordinates() const { return static_cast<int>(coordinates.size()); }
};

/// Returns the symmetric pseudo-inertia of ten parameters (core/inertia.hpp).
Eigen::Matrix4d pseudo_inertia(const BodyParameters& parameters);
/// Returns the ten parameters of a pseudo-inertia, of its symmetric part, in the order of
/// core::Parameter.
BodyParameters body_parameters(const Eigen::Matrix4d& pseudo_inertia);

/// Returns the parameters of a body with mass m [kg], center of mass c [m] and tensor about the
/// center of mass [kg m^2], both in the body's axes:
///   h = m c
///   I = I_com + m [c]x [c]x'
BodyParameters parameters_about_origin(double mass, const Eigen::Vector3d& com,
                                       const Eigen::Matrix3d& tensor_com);

/// Returns the same body in another frame: J_new = T J_old T', where T = X_new_old maps coordinates
/// of the old frame to the new one.
BodyParameters transformed(const Eigen::Isometry3d& X_new_old, const BodyParameters& parameters);

/// One measured force or torque: a screw on a body, for this body and all bodies outward of it
/// (FORMULAS 1).
struct Channel {
  std::string name;     ///< the joint's name, or "base_fx" .. "base_nz", "<sensor>_fx" ..
  std::string unit;     ///< "N m" or "N"
  int coordinate = -1;  ///< joint torque: the coordinate, whose screw covers all bodies that it
                        ///< drives; else -1
  int body = -1;        ///< otherwise: the body that carries the screw
  /// Screw (w, u) = (angular, linear) in the body's frame; only if coordinate == -1.
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
  bool is_sensor = false;  ///< belongs to a sensor, neither to a joint nor to a floating base
  double scale = 1;        ///< sensor only: [N] or [N m] per unit of the log
  double offset = 0;  ///< sensor only: reading without load [N] or [N m], subtracted after scaling
};

/// Returns one channel per coordinate, in their order. With a floating base, six channels precede
/// them: force, then torque, at the origin of the root link and in its axes.
std::vector<Channel> default_channels(const Robot& robot);

/// Returns the channels that belong to sensors.
std::vector<Channel> sensors_among(const std::vector<Channel>& channels);

}  // namespace heft
#pragma GCC visibility pop
