// A log file as one row of a manifest means it: of the format that it says, and only the rows
// between two stamps.
#pragma once

#include "fleet/manifest.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Opening it fails, besides as open_file does, if the file is of another format than the row says;
/// reading it if no row lies between start_s and end_s.
Log windowed_log(const FleetRow& row);

}  // namespace heft
