// The alternative to every fault: bodies that are further from the robot's file than the prior lets
// them be. A center of mass that is a centimeter off looks like a zero that is off, as long as a
// heavy prior holds it; what bodies predict as well on logs that chose nothing is no fault of the
// log.
//
// Of the prior's weight times 1/10, 1/100 and 1/1000 that one counts which predicts the held-out
// logs best, or, without them, the training logs. With rss_c what its answer leaves there and
// rss_c' what is left with the fault undone under the prior as it is, the fault is better by
//
//   sum_c N_c / (2 kappa_c) log(rss_c / rss_c')        [nats]
#pragma once

#include <optional>

#include "judged_fault.hpp"

namespace heft {

class FreerBodies {
 public:
  /// The profile outlives it.
  explicit FreerBodies(const Profile& profile) : profile_(profile) {}

  /// Nats by which the logs that decide are better explained by a fault than by freer bodies, in
  /// noise as it is where `noise` is from: the same for all faults that are compared. Errors: the
  /// backend's.
  Result<double> surpassed_by(const Fault& fault, const Judged& judged, const Gains& noise);

 private:
  Result<Done> free();

  const Profile& profile_;
  std::optional<Explained> best_;  ///< once it was asked for
  Residuals left_;
};

}  // namespace heft
