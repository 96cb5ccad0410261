// A pass over samples that says how far it has come, and that can be stopped.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// source.run(sink); `progress` hears of `stage`. Errors: the source's and the sink's; stopped(),
/// at the block that follows.
Result<Done> reported_run(SampleSource& source, const BlockSink& sink, const Progress& progress,
                          const std::string& stage);

}  // namespace heft
#pragma GCC visibility pop
