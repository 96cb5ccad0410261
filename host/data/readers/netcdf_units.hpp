// Interprets netCDF's attribute `units`.
#pragma once

#include <string_view>

namespace heft {

/// Returns the factor that converts numbers of these units to radians or seconds: "degrees",
/// "deg/s", "ms", "hours since 2026-03-01"; 1 for all others.
double netcdf_unit_factor(std::string_view units);

}  // namespace heft
