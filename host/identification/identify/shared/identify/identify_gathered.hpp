// identify_gathered() for callers that already have the samples of the training logs.
#pragma once

#include <memory>
#include <vector>

#include "heft/identify/identify.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Does the same with `training`, a source of the request's training logs, model and gathering
/// options, which is run once. `device` conditions those that are held out; null: the host does.
/// `held_out`: their samples, if they are known, with rows of torque. Errors: those of
/// identify_gathered().
Result<Identification> identify_gathered(TrainingData data, const IdentifyRequest& request,
                                         SampleSource& training,
                                         const std::shared_ptr<DeviceConditioner>& device = nullptr,
                                         std::vector<ConditionedLog> held_out = {});

}  // namespace heft
#pragma GCC visibility pop
