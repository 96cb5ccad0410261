// Parts of the momentum equation of channels: columns that are differentiated, and the rest.
// FORMULAS 4.
#pragma once

#include <vector>

#include "mechanics_columns.hpp"
#include "rows/channel_range.hpp"

namespace heft {

/// For the channels of a range, num_samples x columns each: torque = d/dt momentum + rest, with
/// extra columns in both. The coefficient of an acceleration is the derivative of the same
/// coefficient of the velocity.
struct MomentumParts {
  std::vector<RowArray> momentum;  ///< Y_p
  std::vector<RowArray> rest;      ///< -Y_C'v + Y_g, and friction columns
};

MomentumParts momentum_parts(const RegressorPlan& plan, const MechanicsColumns& columns,
                             const Samples& samples, ChannelRange range, int num_threads);

}  // namespace heft
