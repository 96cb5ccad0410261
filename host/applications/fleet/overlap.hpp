// Finds recordings used for both training and validation, which would make held-out errors
// meaningless.
#pragma once

#include <string>

#include "fleet/manifest.hpp"

namespace heft {

/// Returns whether two rows use overlapping parts of one log.
bool overlap(const FleetRow& a, const FleetRow& b);

Error leak_of(const FleetRow& training, const FleetRow& validation, const std::string& manifest);

}  // namespace heft
