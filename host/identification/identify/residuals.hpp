// Goodness of fit of parameters: on training data from their moments, on any samples in a second
// pass.
#pragma once

#include <functional>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/rows/backend.hpp"
#include "training/sample_source.hpp"

namespace heft {

/// On the data of the moments, accurate to about 1e-8 of the torque.
TorqueErrors errors_of(const Moments& moments, const Eigen::VectorXd& parameters);

/// Receives every block of samples and the torque that the last parameter vector predicts for it,
/// num_samples x num_channels. May return an error to stop.
using PredictionSink = std::function<Result<Done>(int segment, const Samples& block,
                                                  const Eigen::ArrayXXd& predicted)>;

/// Returns one fit per entry of `parameters`, over the used rows of all samples. Error if no row
/// has a torque.
Result<std::vector<TorqueErrors>> errors_on(SampleSource& source, const RegressorPlan& plan,
                                            Backend& backend,
                                            const std::vector<Eigen::VectorXd>& parameters,
                                            const PredictionSink& sink = {},
                                            const Progress& progress = {});

}  // namespace heft
