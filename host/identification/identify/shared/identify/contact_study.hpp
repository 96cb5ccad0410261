// Contacts with unknown wrenches after a fit: the noise of the channels that separates wrenches
// from motion, and what the projection costs.
#pragma once

#include <vector>

#include "heft/identify/estimate.hpp"
#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Result of study_contacts().
struct ContactStudy {
  /// s_c of every channel: the rms residual, corrected for the share of noise that projections
  /// remove.
  std::vector<double> noise;
  std::vector<ContactSummary> contacts;
};

/// Reads the training logs again and compares them with an estimate. Errors: those of the logs;
/// stopped().
Result<ContactStudy> study_contacts(const IdentifyRequest& request,
                                    const Eigen::VectorXd& parameters);

}  // namespace heft
#pragma GCC visibility pop
