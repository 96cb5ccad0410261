// Torque that comes from outside: what a joint's torque lacks of what the motion needs, by its
// momentum. FORMULAS 4.
//
//   r = H [ d/dt (Y_p x) - (Y_C'v - Y_g) x + friction - torque ]
//
// With a first-order H that is the momentum observer dr/dt = K (external - r); here H is of second
// order, whose bandwidth lets less noise of velocities through. `causal` uses what is past at every
// instant; `zero_phase` goes through the filter that the torques of the identification went
// through, forward and backward.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heft/predict/predict.hpp"
#include "predict/identified_model.hpp"

namespace heft {

/// Along a log, in the order of its samples.
class ExternalTorque {
 public:
  /// Observes the log. Errors: those of condition_log; a base that moves; a log of which the
  /// observer says nothing, for it never settles.
  static Result<ExternalTorque> observe(const IdentifiedModel& model, const Log& log,
                                        const ExternalTorqueOptions& options,
                                        const Progress& progress);

  /// Channels of joints.
  const std::vector<int>& channels() const { return channels_; }
  /// Channels whose threshold is of this log's own residual, as it is several times that of the
  /// identification, and how many times.
  const std::vector<std::pair<int, double>>& raised() const { return raised_; }

  struct Reading {
    /// Of channels(), positive where it helps the motor; empty where the observer has not settled,
    /// nan where a channel's own torque is missing, or came back too short a time ago.
    Eigen::VectorXd torque;
    bool alarm = false;  ///< one of them has been beyond its threshold, now or up to 0.1 s ago
  };
  /// What is known at time t; times must not fall.
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
