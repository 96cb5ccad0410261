// The second pass: fit of several parameter vectors on the same samples.
#pragma once

#include <vector>

#include "heft/backend.hpp"
#include "heft/estimate.hpp"
#include "host/training/sample_source.hpp"

namespace heft {

/// One Fit per entry of `parameters`, over the used rows of all samples of the source. Error if none of
/// them has a torque.
Result<std::vector<Fit>> fits_on(SampleSource& source, const RegressorPlan& plan, Backend& backend,
                                 const std::vector<Eigen::VectorXd>& parameters);

}  // namespace heft
