#include "training/reported_run.hpp"

namespace heft {

Result<Done> reported_run(SampleSource& source, const BlockSink& sink, const Progress& progress,
                          const std::string& stage) {
  if (!progress) return source.run(sink);
  double fraction = 0;
  const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
    HEFT_CHECK(report_progress(progress, stage, fraction));
    return sink(segment, block);
  };
  return source.run(on_block, [&](double handed_on) { fraction = handed_on; });
}

}  // namespace heft
