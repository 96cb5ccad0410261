// Parts of a robot's energy balance: columns that are differentiated, and the rest. FORMULAS 4.
#pragma once

#include "mechanics_columns.hpp"
#include "rows/row_kind.hpp"

namespace heft {

/// For all samples, num_samples x structural columns, one row each: qd' torque = d/dt energy +
/// rest. A column that multiplies a joint's own acceleration is the derivative of half its squared
/// velocity.
struct PowerParts {
  RowArray energy;    ///< Y_K + Y_U
  RowArray rest;      ///< qd' friction columns
  RowArray measured;  ///< qd' torque, one column
};

PowerParts power_parts(const RegressorPlan& plan, const Samples& samples);

/// Formats the rows of a block for a kind that combines channels, assigned to the first channel,
/// with the torque in the last column of `rows` (num_samples x structural columns + 1). A sample is
/// used if the torques of all joints are valid, away from the ends of the motion.
MadeRows balance_of_joints(const RegressorPlan& plan, const Samples& block, RowArray rows);

}  // namespace heft
