// Whether the estimator can satisfy the total mass of a configuration.
#pragma once

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Error: a total mass with least squares, which does not support equalities.
Result<Done> check_total_mass(const EstimationSection& section);

}  // namespace heft::config
#pragma GCC visibility pop
