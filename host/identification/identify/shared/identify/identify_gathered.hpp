// identify_gathered() for callers that have the training logs' samples at hand.
#pragma once

#include "heft/identify/identify.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// `training`: of the request's training logs, model and gathering; it is run once. Errors as of
/// identify_gathered().
Result<Identification> identify_gathered(TrainingData data, const IdentifyRequest& request,
                                         SampleSource& training);

}  // namespace heft
#pragma GCC visibility pop
