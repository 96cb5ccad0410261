// The kinds of rows, each in a file of its own, and what they share.
#pragma once

#include "rows/row_kind.hpp"

namespace heft {

extern const RowKind kTorqueRows, kMomentumRows, kImpulseRows, kPowerRows, kWorkRows;

/// Torques behind the rows, all times the weights.
void complete(const Samples& block, MadeRows& made);

/// Columns at all samples of a motion, through its filter and thinned out: num_samples x columns.
Eigen::ArrayXXd through(const UnfilteredMotion& motion, Eigen::ArrayXXd columns,
                        Eigen::Index num_samples);

/// Weight zero where the filter invents what it does not know: two periods of the cut-off from
/// where the motion ends.
void drop_ends(const UnfilteredMotion& motion, Eigen::ArrayXXd& weight);

/// Error of a kind whose rows need the velocity of the base, which no log has.
Result<Done> require_standing_base(const RegressorPlan& plan, const RowKind& kind);

}  // namespace heft
