// The kinds of rows, one file each, and their shared functions.
#pragma once

#include "rows/row_kind.hpp"

namespace heft {

extern const RowKind kTorqueRows, kMomentumRows, kImpulseRows, kPowerRows, kWorkRows;

/// Appends torques to the rows and multiplies all by the weights.
void complete(const Samples& block, MadeRows& made);

/// Filters and decimates columns at all samples of a motion: num_samples x columns.
Eigen::ArrayXXd through(const UnfilteredMotion& motion, Eigen::ArrayXXd columns,
                        Eigen::Index num_samples);

/// Sets weight zero where the filter extrapolates: within two periods of the cutoff of the ends of
/// the motion.
void drop_ends(const UnfilteredMotion& motion, Eigen::ArrayXXd& weight);

/// Returns the error of a kind whose rows need the velocity of the base, which logs do not contain.
Result<Done> require_standing_base(const RegressorPlan& plan, const RowKind& kind);

}  // namespace heft
