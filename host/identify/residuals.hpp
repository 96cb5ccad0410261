// The second pass: fit of several parameter vectors on the same samples.
#pragma once

#include <functional>
#include <vector>

#include "heft/backend.hpp"
#include "heft/estimate.hpp"
#include "host/training/sample_source.hpp"

namespace heft {

/// Hears every block of samples and the torque that the last parameter vector predicts for it, num_samples x
/// num_channels. May return an error to stop.
using PredictionSink =
    std::function<Result<Done>(int segment, const Samples& block, const Eigen::ArrayXXd& predicted)>;

/// One Fit per entry of `parameters`, over the used rows of all samples of the source. Error if none of
/// them has a torque.
Result<std::vector<Fit>> fits_on(SampleSource& source, const RegressorPlan& plan, Backend& backend,
                                 const std::vector<Eigen::VectorXd>& parameters,
                                 const PredictionSink& sink = {});

}  // namespace heft
