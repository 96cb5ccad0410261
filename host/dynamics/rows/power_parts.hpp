// What the balance of a robot's energy is made of: columns whose rate counts, and the rest.
// FORMULAS 4.
#pragma once

#include "mechanics_columns.hpp"
#include "rows/row_kind.hpp"

namespace heft {

/// Of all samples, num_samples x structural columns, one row each: qd' torque = d/dt energy + rest.
/// A column that multiplies a joint's own acceleration is the rate of half its squared velocity.
struct PowerParts {
  RowArray energy;    ///< Y_K + Y_U
  RowArray rest;      ///< qd' friction columns
  RowArray measured;  ///< qd' torque, one column
};

PowerParts power_parts(const RegressorPlan& plan, const Samples& samples);

/// Rows of a block as a kind that mixes channels has them, all about the first channel, whose
/// torque stands last in `rows` (num_samples x structural columns + 1): a sample counts where all
/// joints' torques do, away from the ends of the motion.
MadeRows balance_of_joints(const RegressorPlan& plan, const Samples& block, RowArray rows);

}  // namespace heft
