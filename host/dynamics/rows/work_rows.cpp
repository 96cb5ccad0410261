// [Y_K x + Y_U x] + int qd' friction dt = int qd' torque dt over an interval around a sample,
// divided by its length: the change of the whole robot's energy, one row per sample. FORMULAS 4.
#include "kinds.hpp"
#include "power_parts.hpp"
#include "sample_intervals.hpp"

namespace heft {

namespace {

Result<Done> make_work_rows(const RegressorPlan& plan, const Samples& block, Backend& /*backend*/,
                            MadeRows& made) {
  HEFT_CHECK(require_standing_base(plan, kWorkRows));
  const PowerParts parts = power_parts(plan, block.unfiltered->samples);
  const SampleIntervals interval(*block.unfiltered, block.size());
  RowArray rows(block.size(), parts.energy.cols() + 1);
  rows << interval.gain(parts.energy) + interval.mean(parts.rest), interval.mean(parts.measured);
  made = balance_of_joints(plan, block, std::move(rows));
  return Done{};
}

}  // namespace

const RowKind kWorkRows{.name = "work",
                        .is_of = "energy that the robot gains over an interval, one row per sample",
                        .needs_motion_around = true,
                        .mixes_channels = true,
                        .make = make_work_rows};

}  // namespace heft
