// Table of units that a logged torque may have instead of N m (or N), and the selection of those
// that the torques support.
//
// With the signs settled, a channel's torque is  y = s x,  x the torque by the bodies of the
// robot's file. In a unit of c [N m], log(s c) is the relative error of the masses in the file. A
// unit of all joints is claimed if these logs are small for every joint whose torque correlates
// with x. N mm may be claimed for some joints; if no unit fits, s remains: a current, or a torque
// before a gear.
#pragma once

#include <string>
#include <vector>

#include "torque_agreement.hpp"

namespace heft::check {

/// Returns findings about units and scales of torques, one per unit, and corrects `samples` for
/// later checks. `beside_rotors`: agreements after also removing reflected inertia, which alone can
/// make a light link's torque many times that of the file. `names_factors`: also gives options for
/// scales that match no unit, from the masses of the robot's file.
std::vector<Finding> torque_units_found(const LogFacts& log, const std::string& path,
                                        const std::vector<Agreement>& agreements,
                                        const std::vector<Agreement>& beside_rotors,
                                        bool names_factors, Samples& samples);

}  // namespace heft::check
