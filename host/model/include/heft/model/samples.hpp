// Clean, uniform, structure-of-arrays samples: what conditioning makes and what the backends read.
#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace heft {

struct UnfilteredMotion;  // host/rows/shared/rows/unfiltered_motion.hpp

/// Rows are samples, columns are coordinates, channels or signals; every column is contiguous. All values are
/// finite. A row (sample, channel) with weight 0 is not used; its torque is then 0.
struct Samples {
  Eigen::ArrayXd time;           ///< [s], as in the log
  Eigen::ArrayXXd position;      ///< num_samples x num_coordinates, [rad] or [m]
  Eigen::ArrayXXd velocity;      ///< num_samples x num_coordinates, [rad/s] or [m/s]
  Eigen::ArrayXXd acceleration;  ///< num_samples x num_coordinates, [rad/s^2] or [m/s^2]
  Eigen::ArrayXXd base_motion;   ///< num_samples x 9: w, wd, a - g in base axes; empty with a fixed base
  Eigen::ArrayXXd torque;        ///< num_samples x num_channels: measured minus known, [N m] or [N]
  Eigen::ArrayXXd
      known_torque;  ///< what was subtracted of the measured torque, like torque; empty if nothing was
  /// num_samples x num_channels, 0 to 1: a factor on the row, whose square the sums hold. 0 = not used. Backends also take
  /// none for all 1.
  Eigen::ArrayXXd weight;
  Eigen::ArrayXXd signal;  ///< num_samples x num_signals: what the extra columns' expressions give
  /// If rows go through a low-pass before they are multiplied: what they are evaluated from, at the full rate and
  /// with guards around the block. Otherwise null.
  std::shared_ptr<const UnfilteredMotion> unfiltered = nullptr;

  Eigen::Index size() const { return time.size(); }
};

/// How many rows were not used, by reason; a sample dropped before it had rows counts once per channel.
using DroppedRows = std::map<std::string, long long>;

}  // namespace heft
#pragma GCC visibility pop
