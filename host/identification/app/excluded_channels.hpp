// Excludes channels that are not torque from an identification, and reports them as findings of
// its logs.
#pragma once

#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/identify/identify.hpp"

namespace heft::app {

/// Findings "not-torque" about channels that are excluded, to be added to the final result.
struct ExcludedChannels {
  std::vector<Finding> findings;
};

/// Excludes channels that are not torque from request and configuration before a search, which they
/// would mislead. Identifies without evidence first, and with it only if a channel is in doubt.
/// Errors: those of identify.
Result<ExcludedChannels> exclude_before_search(IdentifyRequest& request,
                                               Configuration& configuration);

/// Identifies; if channels are not torque, excludes them from request and configuration, and
/// identifies again. Adds the findings to the result, with those of `before`. Errors: those of
/// identify.
Result<Identification> identify_torques(IdentifyRequest& request, Configuration& configuration,
                                        const ExcludedChannels& before);

}  // namespace heft::app
