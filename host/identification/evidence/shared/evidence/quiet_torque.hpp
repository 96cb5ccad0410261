// Detects torques that stay constant while the required torque changes: a stopped drive or bus.
#pragma once

#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Records windows of a quarter of a second. In a quiet window the measured torque changes by less
/// than a tenth of the change of the predicted one. A quiet stretch is a run of such windows of one
/// segment with at least three in which the predicted torque changes by half of its usual change.
class QuietTorque {
 public:
  /// Adds the next samples and their predicted torques, num_samples x num_channels.
  void push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Returns the quiet stretches. `logs` are those of the segments, in order.
  std::vector<QuietStretch> by_log(const std::vector<LogSummary>& logs, bool held_out) const;

 private:
  struct Window {
    int segment;
    double from_s, to_s;
    Eigen::ArrayXf measured, predicted,
        residual;  ///< rms change around the mean per channel; NaN: not all rows used
  };
  /// Returns whether the model predicts the torque's change in most windows, which the test
  /// requires.
  static bool describes(const std::vector<const Window*>& windows, Eigen::Index channel);

  std::vector<Window> windows_;
};

}  // namespace heft
#pragma GCC visibility pop
