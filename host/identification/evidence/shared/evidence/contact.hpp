// Looks for stretches in which something else touches the robot: errors far above the usual that
// are those of one force at one point of one link.
//
//   e_k = z_k . ((p - o_k) x f)  of a joint that turns about z_k at o_k, z_k . f of one that
//                                slides,
//
// with f constant in the axes of the base and p fixed to the link. Linear in f for a given p, and
// in p for a given f.
#pragma once

#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/log/log.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Windows of a quarter of a second, of each a few postures and errors. A stretch is a run of
/// windows in which the errors of two joints or more are several times the median window's, and a
/// share of the torque that shows; it is a contact if one force explains most of them, there are
/// twice as many as a force at a point has numbers, and the drives could bear it. Windows in which
/// all joints rest are left aside: what stiction holds there looks like a force.
class ContactRecorder {
 public:
  /// The samples that follow and what is predicted for them, num_samples x num_channels.
  void push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// The longest of every log that has one. `logs`: what the segments are of, in their order. A
  /// base that floats has none.
  std::vector<Contact> by_log(const std::vector<LogSummary>& logs, bool held_out,
                              const RegressorPlan& plan) const;

 private:
  struct Window {
    int segment;
    double from_s, to_s;
    Eigen::ArrayXXf position, error;  ///< a few samples x coordinates, x channels; NaN: not used
    Eigen::ArrayXf rms;               ///< of the errors by channel; NaN: none used
    Eigen::ArrayXf torque2;           ///< mean square of the torque by channel
    Eigen::ArrayXf velocity2;         ///< mean square of the velocity by coordinate
  };

  std::vector<Window> windows_;
};

}  // namespace heft
#pragma GCC visibility pop
