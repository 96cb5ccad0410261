// Friction that depends on the path: states that follow the position within a slip length.
#pragma once

#include <memory>

#include "heft/model/parameter_layout.hpp"

namespace heft {

/// Dahl's friction of unit size: along a motion in direction s
///   dz/dq = (s - z) / width
/// exact for any rate of the log.
std::unique_ptr<ColumnMemory> make_dahl(double width);

/// An elastoplastic element of unit stiffness: the deflection follows the position until it yields
/// at +-width.
std::unique_ptr<ColumnMemory> make_maxwell(double width);

}  // namespace heft
