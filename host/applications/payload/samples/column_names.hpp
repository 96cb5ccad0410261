// Finds the columns of a sensor by the names that drivers use: wrench.force.x, /ft/wrench/torque/z,
// Fx .. Tz, F_x, pose.orientation.w.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/payload/options.hpp"

namespace heft::payload {

using WrenchNames = std::array<std::string, 6>;  ///< force x, y, z, then torque x, y, z

inline const WrenchNames kWrenchNames = {"fx", "fy", "fz", "nx", "ny", "nz"};

/// Returns the six columns of the wrench: those of the options, fx..nz, or the only six in the
/// header that name force and torque. Errors, at `where`: no match or several, with the option that
/// selects one.
Result<WrenchNames> wrench_names(const std::vector<std::string>& header,
                                 const SensorOptions& options, const std::string& where);

/// Returns the columns of an orientation's x, y, z and w: qx..qw, or the only four that name a
/// quaternion or orientation; empty if there are none.
std::vector<std::string> quaternion_names(const std::vector<std::string>& header);

}  // namespace heft::payload
