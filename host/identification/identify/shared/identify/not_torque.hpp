// Channels that are not torque, although their column is read as one: a position error, a duty
// cycle without relation to the load, raw counts, a constant, a copy of another column.
//
// A torque contains the load that the bodies require. Leave the channels in doubt out of the fit,
// let the other channels and the prior determine the bodies, and compare: with friction and offset
// F of the channel projected out of its torque tau and of the load L,
//
//   tau' = k L' + e,    r = correlation of tau' and L',    s^2 = mean of e^2
//
// The load is missing if L' is large relative to e and yet r is about zero.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A channel that is not a torque.
struct NotTorque {
  int channel = 0;  ///< index into the plan's channels
  std::string why;  ///< "motion explains only 2 % of its variance"
  /// The bodies that its joint moves, if the model gives none of them a mass: without a load the
  /// column may still be a torque. Empty otherwise.
  std::vector<std::string> massless = {};
};

/// Returns the channels of an estimate whose columns are not torque, in the order of the channels,
/// without those of the joints in `kept`: columns that are the same number in every row of joints
/// that move, copies of another column, columns without the load, and columns that motion does not
/// explain. Empty if another fault of the log explains them (order, sign, positions, clocks), if
/// they are half of the joints or more, or if the moments are not those of the joints' torques.
/// Errors: those of the solver.
Result<std::vector<NotTorque>> channels_without_torque(const IdentifyRequest& request,
                                                       const Identification& result,
                                                       const std::vector<std::string>& kept);

}  // namespace heft
#pragma GCC visibility pop
