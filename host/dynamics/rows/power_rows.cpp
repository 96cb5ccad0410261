// d/dt (Y_K x + Y_U x) + qd' friction = qd' torque, both low-passed: one row per sample, the energy
// balance of the whole robot. FORMULAS 4.
#include "kinds.hpp"
#include "power_parts.hpp"
#include "row_filter.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

/// Power rows at every sample, that of the measured torques last.
RowArray power_at(const RegressorPlan& plan, const Samples& samples) {
  PowerParts parts = power_parts(plan, samples);
  differentiate_columns(step_of(samples), parts.energy);
  RowArray rows(parts.energy.rows(), parts.energy.cols() + 1);
  rows << parts.energy + parts.rest, parts.measured;
  return rows;
}

Result<Done> make_power_rows(const RegressorPlan& plan, const Samples& block, Backend& /*backend*/,
                             MadeRows& made) {
  HEFT_CHECK(require_standing_base(plan, kPowerRows));
  const UnfilteredMotion& motion = *block.unfiltered;
  const RowArray unfiltered = power_at(plan, motion.samples);
  RowArray rows(block.size(), unfiltered.cols());
  Eigen::ArrayXXd scratch;
  for (Eigen::Index column = 0; column < unfiltered.cols(); column += kSignalLanes)
    filter_columns(unfiltered, motion, column, rows, scratch);
  made = balance_of_joints(plan, block, std::move(rows));
  return Done{};
}

}  // namespace

const RowKind kPowerRows{.name = "power",
                         .is_of = "power of all joints, one row per sample",
                         .needs_motion_around = true,
                         .mixes_channels = true,
                         .make = make_power_rows};

}  // namespace heft
