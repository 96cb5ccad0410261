// urdfdom behind a Result: silent, without exceptions, deaf to everything but links, inertials and joints.
#pragma once

#include <urdf_model/model.h>
#include <urdf_world/types.h>

#include "robot/urdf_document.hpp"

namespace heft {

/// Reads a document whose structure and numbers have been checked. Visuals, collisions, materials, sensors
/// and extensions are not looked at, so that nothing in them can fail. Errors quote urdfdom.
Result<urdf::ModelInterfaceSharedPtr> parse_urdf_model(const UrdfDocument& document);

}  // namespace heft
