// Options that weights of logs (estimation.log_weights, log_kinds) cannot be combined with.
#pragma once

#include <string>
#include <vector>

#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Errors: weights of logs with rows other than torque, loss: huber or channel_covariance: full; a
/// log of log_kinds that is not in `logs`, the names of training and held-out logs.
Result<Done> check_log_weights(const Configuration& configuration,
                               const std::vector<std::string>& logs);

}  // namespace heft::config
#pragma GCC visibility pop
