// Detects stretches with an external contact: errors far above the usual that match one force at
// one point of one link.
//
//   e_k = z_k . ((p - o_k) x f)  for a joint that rotates about z_k at o_k,
//         z_k . f                for one that slides along z_k,
//
// with f constant in base axes and p fixed to the link. Linear in f for a given p, and in p for a
// given f.
#pragma once

#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/log/log.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Records windows of a quarter of a second with a few postures and errors each. A stretch is a run
/// of windows in which the errors of two joints or more are several times those of the median
/// window and a noticeable share of the torque. It is a contact if one force explains most of the
/// errors, there are at least twice as many errors as a force at a point has numbers, and the
/// drives could bear it. Windows in which all joints are at rest are excluded, because stiction
/// resembles a force there.
class ContactRecorder {
 public:
  /// Adds the next samples and their predicted torques, num_samples x num_channels.
  void push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Returns the longest contact of every log that has one. `logs` are those of the segments, in
  /// order. A robot with a floating base has no contacts.
  std::vector<Contact> by_log(const std::vector<LogSummary>& logs, bool held_out,
                              const RegressorPlan& plan) const;

 private:
  struct Window {
    int segment;
    double from_s, to_s;
    Eigen::ArrayXXf position, error;  ///< a few samples x coordinates and x channels; NaN: not used
    Eigen::ArrayXf rms;               ///< of the errors per channel; NaN: none used
    Eigen::ArrayXf torque2;           ///< mean square of the torque per channel
    Eigen::ArrayXf velocity2;         ///< mean square of the velocity per coordinate
  };

  std::vector<Window> windows_;
};

}  // namespace heft
#pragma GCC visibility pop
