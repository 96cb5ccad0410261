// What a logged torque may be instead of N m (or N): the table of units, and which of them the
// torques agree on.
//
// With the signs settled, a channel's torque is  y = s x,  x the torque by the bodies of the
// robot's file. In a unit of c [N m], log(s c) is what the masses of the file are off. A unit of
// all joints is claimed if these logs are small for every joint whose torque correlates with x. N
// mm may be claimed for some joints; where no unit fits, s remains: a current, or a torque before a
// gear.
#pragma once

#include <string>
#include <vector>

#include "torque_agreement.hpp"

namespace heft::check {

/// Findings about units and sizes of torques, one per unit. `samples` are read accordingly for what
/// follows. `beside_rotors`: the agreements once reflected inertia is taken off, too, which alone
/// makes a light link's torque many times the file's. `names_factors`: also give the options for
/// sizes that fit no unit, by the masses of the robot's file.
std::vector<Finding> torque_units_found(const LogFacts& log, const std::string& path,
                                        const std::vector<Agreement>& agreements,
                                        const std::vector<Agreement>& beside_rotors,
                                        bool names_factors, Samples& samples);

}  // namespace heft::check
