// Whether the total mass of a configuration can be kept.
#pragma once

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Error where a total mass is given to least squares, which holds no equalities.
Result<Done> check_total_mass(const EstimationSection& section);

}  // namespace heft::config
#pragma GCC visibility pop
