// What netCDF's attribute `units` says of numbers.
#pragma once

#include <string_view>

namespace heft {

/// What turns numbers of these units into radians or seconds: "degrees", "deg/s", "ms", "hours
/// since 2026-03-01"; 1 for all others.
double netcdf_unit_factor(std::string_view units);

}  // namespace heft
