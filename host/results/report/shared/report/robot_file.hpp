// Contents of identified.urdf in addition to bodies, and quantities that such a file cannot
// express.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/estimate.hpp"
#include "heft/robot/robot_document.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns viscous and Coulomb friction of the joints for which either was identified, and a text
/// for each part of the model that a URDF cannot express: smooth Coulomb friction near standstill,
/// offsets, springs, reflected inertia, rotors, expressions, known torques. Negative friction,
/// which least squares may give, is written as 0 and named in the text. With the option
/// estimation.keep_dynamics no friction is written and all of it is named.
IdentifiedDynamics robot_file_dynamics(const Identification& identification);

/// Returns whether the file's <dynamics> are kept: the option estimation.keep_dynamics.
bool keeps_dynamics(const Identification& identification);

}  // namespace heft
#pragma GCC visibility pop
