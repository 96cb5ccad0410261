// Reads rotors of motors from a small YAML file. A rotor is mounted on the link that carries its
// motor and spins gear_ratio times as fast as its joint; it is an ordinary leaf body.
//
//   rotors:
//     - joint: joint_2              # whose coordinate turns it
//       link: link_1                # carries the motor; default: the parent link of the joint
//       origin:                     # rotor frame in that link; default: zero
//         xyz: [0, 0.1, 0]          # [m]
//         rpy: [1.5708, 0, 0]       # [rad], R = Rz(y) Ry(p) Rx(r) as in URDF
//       axis: [0, 0, 1]             # in the rotor frame, any length; default: 0 0 1
//       gear_ratio: -101            # rotor angle per joint coordinate [rad/rad or rad/m], either
//                                   sign
//       symmetric: true             # about the axis; default: true
//       name: motor_2               # default: "<joint>.rotor"
//       mass: 0.4                   # prior [kg]; without it the prior is zero
//       com: [0, 0, 0.01]           # in the rotor frame [m]; default: zero
//       inertia:                    # about the center of mass, in the axes of the rotor frame
//                                   [kg m^2]
//         {ixx: 1e-4, iyy: 1e-4, izz: 2e-4}   # ixy, ixz, iyz default to zero
//
// Only `joint` and `gear_ratio` are required. Unknown keys are errors, so that misspelled ones are
// not ignored.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"
#include "urdf_frames.hpp"

namespace heft {

/// Returns rotors as leaf bodies of `robot` (whose bodies and coordinates are complete), in the
/// file's order. A rotor on a mimic joint uses the coordinate that the joint follows. Errors name
/// `path` and the line: malformed YAML, unknown, missing or repeated key, link or joint that does
/// not exist or does not move, zero axis or ratio, a number that is not finite, a prior that
/// contradicts `symmetric`.
Result<std::vector<Body>> read_rotors(const std::string& path, const std::string& text,
                                      const Robot& robot, const UrdfFrames& frames);

}  // namespace heft
