// What of an answer stands in identified.urdf beside bodies, and what such a file has no words for.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/estimate.hpp"
#include "heft/robot/robot_document.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Viscous and Coulomb friction of the joints where either was identified, and a text for each part
/// of the model that a URDF cannot express: smooth Coulomb friction near standstill, offsets,
/// springs, reflected inertia, rotors, expressions, known torques. Negative friction, which least
/// squares may find, is written as 0 and named there. With the option estimation.keep_dynamics no
/// friction is written and all of it is named.
IdentifiedDynamics robot_file_dynamics(const Identification& identification);

/// Whether the file's <dynamics> stay: the option estimation.keep_dynamics.
bool keeps_dynamics(const Identification& identification);

}  // namespace heft
#pragma GCC visibility pop
