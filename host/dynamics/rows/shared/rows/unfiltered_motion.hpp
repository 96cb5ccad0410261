// Input of rows that pass through the torque's low-pass: the motion of a block at the full rate,
// with guard samples on both sides that absorb the transients of the filter at the cuts.
//
//   tau = Y x  stays true under any linear filter F of time:  F tau = (F Y) x
//
// The filter that torque needs therefore does not bias the equation. Filtering position equally
// strongly instead would distort Y, which is not linear in it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct RowKind;          // row_kind.hpp
struct UnknownWrenches;  // rows/unknown_wrenches.hpp

/// Unfiltered samples of a block, and the filter of its rows.
struct UnfilteredMotion {
  Samples samples;         ///< motion and signals without weights; raw torque if `kind` or unknown
                           ///< wrenches need it
  Eigen::Index first = 0;  ///< sample i of the block is sample first + i step of these
  Eigen::Index step = 1;
  Smoother lowpass;                 ///< filter of rows and of the torques compared with them
  const RowKind* kind = nullptr;    ///< kind of rows to compute; null: torque
  bool filters_predictions = true;  ///< false: torques are predicted from the block's own motion
  /// Wrenches whose effect is removed from rows, and whether each channel is measured; null: none.
  std::shared_ptr<const UnknownWrenches> unknown_wrenches = nullptr;
  std::vector<bool> measured = {};
};

}  // namespace heft
#pragma GCC visibility pop
