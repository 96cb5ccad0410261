// What rows are evaluated from before they go through the torque's low-pass: the motion of a block at the full rate,
// with a guard of samples on both sides, in which the filter forgets where the motion was cut.
//
//   tau = Y x  stays true under any linear filter F of time:  F tau = (F Y) x
//
// so that the filter that torque needs costs the equation nothing; filtering position as heavily instead distorts Y,
// which is not linear in it.
#pragma once

#include <Eigen/Core>

#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct UnfilteredMotion {
  Samples samples;         ///< motion and signals; no torque, no weight
  Eigen::Index first = 0;  ///< sample i of the block is sample first + i step of these
  Eigen::Index step = 1;
  Smoother lowpass;  ///< of rows, that of the torque
};

}  // namespace heft
#pragma GCC visibility pop
