// URDF in, URDF out. Reading goes through urdfdom; writing edits the original document and touches inertials
// only.
#pragma once

#include <string>
#include <vector>

#include "heft/result.hpp"
#include "heft/robot.hpp"

namespace heft {

struct UrdfOptions {
  bool floating_base = false;            ///< the root link moves freely and is body 0
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< [m/s^2], base axes
  std::string rotors_path;               ///< YAML with the rotors; empty for none
};

/// Reads a robot. Fixed links are merged into the link that carries them; mimic joints share a coordinate.
/// Errors name file, link or joint, and remedy: unreadable file, malformed XML (with line), no moving joint,
/// zero axis, unknown joint type, mimic of a joint that does not exist, rotor on a link or joint that does
/// not exist.
Result<Robot> read_urdf(const std::string& path, const UrdfOptions& options = {});

/// Writes `robot`'s URDF (Robot::source) with `parameters[i]` as the inertia of body i: the link that moves
/// takes the whole merged body, fixed links merged into it lose their inertials, everything else of the file
/// stays as it is. Numbers with 17 digits. Rotors are not written. The file appears whole or not at all.
/// Error if any pseudo-inertia is not positive definite, or the file cannot be written.
Result<Done> write_urdf(const Robot& robot, const std::vector<BodyParameters>& parameters,
                        const std::string& path);

}  // namespace heft
