// A pass over samples that reports progress and can be stopped.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Calls source.run(sink) and reports `stage` to `progress`. Errors: those of the source and the
/// sink; stopped(), at the next block.
Result<Done> reported_run(SampleSource& source, const BlockSink& sink, const Progress& progress,
                          const std::string& stage);

}  // namespace heft
#pragma GCC visibility pop
