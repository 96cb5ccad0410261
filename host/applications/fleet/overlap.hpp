// One recording that both trains and validates: held-out errors would say nothing.
#pragma once

#include <string>

#include "fleet/manifest.hpp"

namespace heft {

/// Whether two rows, if they are of one log, share a part of it.
bool overlap(const FleetRow& a, const FleetRow& b);

Error leak_of(const FleetRow& training, const FleetRow& validation, const std::string& manifest);

}  // namespace heft
