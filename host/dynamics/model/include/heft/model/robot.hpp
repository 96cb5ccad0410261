// The robot as identification sees it: an immutable tree of moving bodies, fixed links already
// merged; and the channels that are measured on it.
//
// A body's joint coordinate is ratio * q[coordinate] + offset (FORMULAS 1). So rotors (leaf bodies
// on the link that carries the motor, with the gear ratio), mimic joints and motors shared by two
// joints are ordinary bodies. Threads: plain values: share them for reading; a thread that changes
// one must own it.
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

/// How a body moves relative to its parent. Joints with several degrees of freedom are chains of
/// these through bodies without parameters (Body::has_parameters == false).
enum class JointType {
  rigid,      ///< does not move: the root body of a floating base, or a payload on a sensor
  revolute,   ///< turns about the axis (URDF revolute and continuous)
  prismatic,  ///< slides along the axis
  helical,    ///< turns about the axis and slides pitch meters per radian along it
};

struct Body {
  std::string name;   ///< the URDF link that moves (or the rotor's name)
  std::string joint;  ///< the URDF joint that moves it; empty for the root of a floating base
  int parent = -1;  ///< index of the parent body, always smaller than the own index; -1 = the base
                    ///< (world)

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
  /// Merged URDF inertia about this frame's origin.
  BodyParameters prior = BodyParameters::Zero();
  /// Fixed links whose inertia is part of `prior`, itself excluded.
  std::vector<std::string> merged_links;
};

/// One generalised coordinate: a joint the robot can move and whose torque (or force) is a channel.
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

/// Bodies in depth-first order, the joints below a link sorted by name: document order does not
/// matter.
struct Robot {
  std::string name;
  std::string source;       ///< path of the file it came from
  std::string source_text;  ///< that file's bytes, from which write_identified makes the new one
  std::string rotors_text;  ///< the rotors file's bytes; empty without rotors
  std::vector<Body> bodies;
  std::vector<Coordinate> coordinates;
  bool floating_base = false;  ///< bodies[0] is the root link, rigid to a base that moves freely
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< acceleration in base axes [m/s^2]; unused with a
                                         ///< floating base

  int num_bodies() const { return static_cast<int>(bodies.size()); }
  int num_coordinates() const { return static_cast<int>(coordinates.size()); }
};

/// Symmetric pseudo-inertia of ten parameters (core/inertia.hpp), and back.
Eigen::Matrix4d pseudo_inertia(const BodyParameters& parameters);
BodyParameters body_parameters(const Eigen::Matrix4d& pseudo_inertia);

/// Parameters of a body from mass m [kg], center of mass c [m] and tensor about the center of mass
/// [kg m^2], both in the body's axes:
///   h = m c
///   I = I_com + m [c]x [c]x'
BodyParameters parameters_about_origin(double mass, const Eigen::Vector3d& com,
                                       const Eigen::Matrix3d& tensor_com);

/// The same body seen from another frame, J_new = T J_old T', where T = X_new_old maps coordinates
/// of the old frame to the new one.
BodyParameters transformed(const Eigen::Isometry3d& X_new_old, const BodyParameters& parameters);

/// What is measured: a screw on a body and everything outward of it, with a name and a unit
/// (FORMULAS 1).
struct Channel {
  std::string name;     ///< the joint's name, or "base_fx" .. "base_nz", "<sensor>_fx" ..
  std::string unit;     ///< "N m" or "N"
  int coordinate = -1;  ///< joint torque: the coordinate whose screw it is, over all bodies that it
                        ///< drives
  int body = -1;        ///< otherwise: the body that carries the screw
  /// Screw (w, u) = (angular, linear) in the body's frame; only if coordinate == -1.
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
  bool is_sensor = false;  ///< of a sensor: neither a joint's nor a floating base's
  double scale = 1;        ///< of a sensor: [N] or [N m] per unit of the log
  double offset = 0;  ///< of a sensor: what it shows without load [N] or [N m], subtracted after
                      ///< scaling
};

/// One channel per coordinate, in their order; with a floating base six more come first: force then
/// torque at the origin of the root link, in its axes.
std::vector<Channel> default_channels(const Robot& robot);

/// Those that are sensors'.
std::vector<Channel> sensors_among(const std::vector<Channel>& channels);

}  // namespace heft
#pragma GCC visibility pop
