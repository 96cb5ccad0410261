// Options that unknown contact forces do not support.
#pragma once

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Returns whether the configuration has contacts whose rows are projected.
bool projects_contacts(const Configuration& configuration);

/// Error, if contacts are projected: rows that are not filtered or not of torque, a dead band,
/// delays that differ between joints, weights from residuals, gains, a choice of columns or cutoff,
/// a device.
Result<Done> check_contact_support(const Configuration& configuration);

}  // namespace heft::config
#pragma GCC visibility pop
