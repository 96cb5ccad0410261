// Unknown wrenches on links, such as those of the ground on feet without sensors. Their effect is
// removed from the rows of every sample before rows are filtered: include/heft/core/null_space.hpp.
// Threads: plain values; concurrent reads are safe.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One component of an unknown wrench, as its effect per unit on the torques of channels.
struct UnknownDirection {
  int first_signal = 0;       ///< Samples::signal of the first channel, followed by the others; all
                              ///< zero at samples where the wrench does not act
  std::vector<int> channels;  ///< affected channels
};

/// A contact with an unknown wrench.
struct UnknownContact {
  std::string frame;
  int state_signal = 0;  ///< 1 at samples in contact, otherwise 0
  int first_direction = 0, num_directions = 0;
};

/// All unknown wrenches of a robot.
struct UnknownWrenches {
  std::vector<UnknownContact> contacts;
  std::vector<UnknownDirection> directions;  ///< of all contacts, in order
  Eigen::VectorXd noise;                     ///< s_c > 0 of every channel; only ratios matter
  /// Sets the signals to zero where wrenches do not act, from the motion around a block at the full
  /// rate, its raw torques, and whether each channel is measured.
  std::function<Result<Done>(Samples& around, const std::vector<bool>& measured)> set_states;
  double reach_s = 0;  ///< samples within this time determine whether a wrench acts
};

}  // namespace heft
#pragma GCC visibility pop
