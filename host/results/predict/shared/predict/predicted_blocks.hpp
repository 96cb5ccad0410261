// Predicts the torques of a log with an identified model, block by block.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"
#include "heft/log/log.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Receives conditioned samples and their predicted torques, filtered like measured ones:
/// num_samples x num_channels, without known torques. May return an error to stop.
using PredictedSink =
    std::function<Result<Done>(const Samples& block, const Eigen::ArrayXXd& predicted)>;

/// Conditions the log according to `configuration`, with rows of torque whatever the identification
/// summed, and predicts its torques. `parameters` are those of the model's layout. Errors: those of
/// make_backend, condition_log and predict_as_measured; stopped().
Result<LogSummary> predict_blocks(const Model& model, Configuration configuration,
                                  const Eigen::VectorXd& parameters, const Log& log,
                                  const PredictedSink& sink, const Progress& progress);

}  // namespace heft
#pragma GCC visibility pop
