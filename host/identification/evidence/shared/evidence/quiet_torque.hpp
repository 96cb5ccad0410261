// Looks for torques that stand still while the motion asks for more and less: a drive or a bus that
// stopped.
#pragma once

#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Windows of a quarter of a second: in a quiet one the measured torque changes by less than a
/// tenth of what the predicted one does. A quiet stretch is a run of such windows of one segment,
/// in three of which or more the predicted torque changes by half of what it usually does.
class QuietTorque {
 public:
  /// The samples that follow and what is predicted for them, num_samples x num_channels.
  void push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// `logs`: what the segments are of, in their order.
  std::vector<QuietStretch> by_log(const std::vector<LogSummary>& logs, bool held_out) const;

 private:
  struct Window {
    int segment;
    double from_s, to_s;
    Eigen::ArrayXf measured, predicted,
        residual;  ///< rms change around the mean by channel; NaN: not all rows used
  };
  /// Whether the model says in most windows what the torque does; of one that does not nothing can
  /// be asked.
  static bool describes(const std::vector<const Window*>& windows, Eigen::Index channel);

  std::vector<Window> windows_;
};

}  // namespace heft
#pragma GCC visibility pop
