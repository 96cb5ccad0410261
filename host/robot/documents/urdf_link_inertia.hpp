// Reads the inertia of a link from its <inertial>.
#pragma once

#include <pugixml.hpp>

#include "heft/model/robot.hpp"

namespace heft {

/// Returns the mass [kg] of a link; 0 without <inertial>.
double link_mass(pugi::xml_node link);

/// Returns the parameters about the link's origin and in its axes; zero without <inertial>. The
/// tensor of a URDF is about the center of mass and in the axes of the inertial's own origin.
BodyParameters link_parameters(pugi::xml_node link);

}  // namespace heft
