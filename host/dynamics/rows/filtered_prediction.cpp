#include "rows/filtered_prediction.hpp"

#include <vector>

#include "kinds.hpp"
#include "rows/projected_rows.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

constexpr int kNumBaseRates = 6;  ///< angular velocity and acceleration, first in
                                  ///< Samples::base_motion

/// The inputs and filter of a block's predictions; null: those of the block itself.
const UnfilteredMotion* filter_of(const Samples& block) {
  return block.unfiltered && block.unfiltered->filters_predictions ? block.unfiltered.get()
                                                                   : nullptr;
}

}  // namespace

Result<Done> predict_as_measured(Backend& backend, std::span<const PredictJob> jobs,
                                 std::span<Eigen::ArrayXXd> torques) {
  std::vector<PredictJob> unfiltered(jobs.begin(), jobs.end());
  for (PredictJob& job : unfiltered)
    if (const auto* motion = filter_of(*job.samples)) job.samples = &motion->samples;
  HEFT_CHECK(backend.predict(unfiltered, torques));
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const auto* motion = filter_of(*jobs[j].samples);
    if (motion == nullptr) continue;
    // jobs in a row with the same samples share the projections
    const bool is_first = j == 0 || jobs[j].samples != jobs[j - 1].samples;
    if (is_first && has_unknown_wrenches(*jobs[j].samples)) {
      std::size_t end = j + 1;
      while (end < jobs.size() && jobs[end].samples == jobs[j].samples) ++end;
      add_unknown_wrenches(*jobs[j].samples, torques.subspan(j, end - j));
    }
    torques[j] = through(*motion, std::move(torques[j]), jobs[j].samples->size());
  }
  return Done{};
}

Samples at_rest(Samples samples) {
  samples.velocity.setZero();
  samples.acceleration.setZero();
  if (samples.base_motion.size() > 0) samples.base_motion.leftCols(kNumBaseRates).setZero();
  if (samples.unfiltered) {
    UnfilteredMotion motion = *samples.unfiltered;
    motion.samples = at_rest(std::move(motion.samples));
    samples.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
  }
  return samples;
}

}  // namespace heft
