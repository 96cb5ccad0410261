// URDF in, URDF out. Reading goes through urdfdom; writing edits the original and touches only inertials.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct UrdfOptions {
  bool floating_base = false;            ///< the root link moves freely and is body 0
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< [m/s^2], base axes
  std::string rotors_path;               ///< YAML with the rotors; empty for none
};

/// Reads a robot. Fixed links are merged into the link that carries them; a mimic joint shares the coordinate
/// that it follows, through other mimic joints if need be; a planar or floating joint becomes a chain of
/// bodies without parameters with the coordinates `<joint>`.x, .y, .angle or .x, .y, .z, .yaw, .pitch, .roll. A
/// link without `<inertial>` has zero parameters. The damping and friction of a coordinate include those of its
/// mimic joints, as it feels them. Errors name file, line where there is one, link or joint, and remedy:
/// unreadable or empty file, malformed XML, duplicate names, two roots, cycles, no moving joint (with a fixed
/// base), zero axis, unknown joint type, negative mass, mimic of a joint that does not exist, rotor on a link
/// or joint that does not exist. The format of the rotors file is in host/robot/rotors.hpp.
Result<Robot> read_urdf(const std::string& path, const UrdfOptions& options = {});

/// The same from texts in memory; `path` and options.rotors_path only name them in errors. `rotors_text` is
/// empty for none.
Result<Robot> read_urdf_text(const std::string& path, const std::string& text, const std::string& rotors_text,
                             const UrdfOptions& options = {});

/// Writes `robot`'s URDF (Robot::source_text) with `parameters[i]` as the inertia of body i: the link that moves
/// takes the whole merged body, fixed links merged into it lose their inertials, everything else of the file
/// stays as it is, comments and line ends included. Numbers with 17 digits; `<origin>` is the centre of mass
/// with rpy zero. Rotors and bodies without parameters are not written, nor is a body that has no mass and
/// had none. The file appears whole or not at all. Error if any pseudo-inertia has a negative eigenvalue
/// (more than rounding below zero: rods, points and optima on the boundary pass) or a number that is not
/// finite, or the file cannot be written.
Result<Done> write_urdf(const Robot& robot, const std::vector<BodyParameters>& parameters,
                        const std::string& path);

/// What write_urdf writes.
Result<std::string> urdf_text(const Robot& robot, const std::vector<BodyParameters>& parameters);

}  // namespace heft
#pragma GCC visibility pop
