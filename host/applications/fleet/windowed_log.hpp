// A log file as a row of a manifest describes it: in the given format, restricted to the rows
// between two stamps.
#pragma once

#include "fleet/manifest.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Errors of opening: those of open_file; a file in another format than the row states. Error of
/// reading: no row between start_s and end_s.
Log windowed_log(const FleetRow& row);

}  // namespace heft
