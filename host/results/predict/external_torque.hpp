// Estimates external torque from a joint's momentum: the torque that the motion needs in addition
// to the measured one. FORMULAS 4.
//
//   r = H [ d/dt (Y_p x) - (Y_C'v - Y_g) x + friction - torque ]
//
// With a first-order H this is the momentum observer dr/dt = K (external - r); here H is of second
// order, which passes less noise of velocities. `causal` uses only past samples; `zero_phase` uses
// the filter of the identification's torques, forward and backward.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heft/predict/predict.hpp"
#include "predict/identified_model.hpp"

namespace heft {

/// Evaluates along a log, in the order of its samples.
class ExternalTorque {
 public:
  /// Observes the log. Errors: those of condition_log; a moving base; a log on which the observer
  /// never settles.
  static Result<ExternalTorque> observe(const IdentifiedModel& model, const Log& log,
                                        const ExternalTorqueOptions& options,
                                        const Progress& progress);

  /// Channels of joints.
  const std::vector<int>& channels() const { return channels_; }
  /// Channels whose threshold comes from this log's own residual, because it is several times that
  /// of the identification, with the ratio.
  const std::vector<std::pair<int, double>>& raised() const { return raised_; }

  struct Reading {
    /// In the order of channels(), positive if it assists the motor; empty before the observer has
    /// settled, NaN where a channel's torque is missing or was missing shortly before.
    Eigen::VectorXd torque;
    bool alarm = false;  ///< one of them exceeded its threshold within the last 0.1 s
  };
  /// Returns the state at time t; times must not decrease.
  Reading at(double t);

 private:
  void find_thresholds(const IdentifiedModel& model, double factor);

  std::vector<int> channels_;
  std::vector<double> time_;
  std::vector<Eigen::VectorXd> torque_;
  Eigen::VectorXd thresholds_;
  std::vector<std::pair<int, double>> raised_;
  double period_ = 0;  // of the log's uniform samples [s]
  std::size_t next_ = 0;
  double last_alarm_ = -std::numeric_limits<double>::infinity();
};

}  // namespace heft
