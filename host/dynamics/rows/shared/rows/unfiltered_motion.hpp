// What rows are evaluated from before they go through the torque's low-pass: the motion of a block
// at the full rate, with a guard of samples on both sides, in which the filter forgets where the
// motion was cut.
//
//   tau = Y x  stays true under any linear filter F of time:  F tau = (F Y) x
//
// so that the filter that torque needs costs the equation nothing; filtering position as heavily
// instead distorts Y, which is not linear in it.
#pragma once

#include <Eigen/Core>

#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct RowKind;  // row_kind.hpp

struct UnfilteredMotion {
  Samples samples;  ///< motion and signals; no weight; torque, as it was measured, for `kind`
  Eigen::Index first = 0;  ///< sample i of the block is sample first + i step of these
  Eigen::Index step = 1;
  Smoother lowpass;                 ///< of rows and of what is compared with them
  const RowKind* kind = nullptr;    ///< what rows are made of this; null: rows of torque
  bool filters_predictions = true;  ///< false: torques are predicted from the block's own motion
};

}  // namespace heft
#pragma GCC visibility pop
