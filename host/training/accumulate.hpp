// One pass over the samples of a source: their moments, checked.
#pragma once

#include "heft/training_data.hpp"
#include "host/training/sample_source.hpp"

namespace heft {

/// Errors: those of the source and the backend; fewer usable rows than parameters, all torques zero, sums
/// that overflow.
Result<TrainingData> accumulate(SampleSource& source, const Model& model, const Configuration& configuration,
                                Backend& backend, const SampleSource::Progress& progress = {});

}  // namespace heft
