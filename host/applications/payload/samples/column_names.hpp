// Columns of a sensor under the names that drivers give them: wrench.force.x, /ft/wrench/torque/z,
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

/// The six columns of the wrench: those of the options, fx..nz, or the only six of a header whose
/// names say force and torque. Errors, at `where`: none or several, with the option that names
/// them.
Result<WrenchNames> wrench_names(const std::vector<std::string>& header,
                                 const SensorOptions& options, const std::string& where);

/// The columns of an orientation's x, y, z and w: qx..qw, or the only four that say quaternion or
/// orientation; empty without.
std::vector<std::string> quaternion_names(const std::vector<std::string>& header);

}  // namespace heft::payload
