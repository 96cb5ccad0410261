// The alternative to every fault: bodies that deviate further from the robot's file than the prior
// allows. With a strong prior, a center of mass with an error of one centimeter looks like a wrong
// joint zero; a fault is rejected if bodies under a weaker prior predict held-out
// logs equally well.
//
// Tests 1/10, 1/100 and 1/1000 of the prior's weight and takes the one that predicts the held-out
// logs best, or the training logs if there are none. With rss_c its residual and rss_c' the
// residual with the fault undone under the full prior, the fault is better by
//
//   sum_c N_c / (2 kappa_c) log(rss_c / rss_c')        [nats]
#pragma once

#include <optional>

#include "judged_fault.hpp"

namespace heft {

class WeakerPrior {
 public:
  /// The profile must outlive this object.
  explicit WeakerPrior(const Profile& profile) : profile_(profile) {}

  /// Returns by how many nats a fault explains the deciding logs better than bodies under a weaker
  /// prior, with the noise of `noise`, which is the same for all compared faults. Errors: those of
  /// the backend.
  Result<double> surpassed_by(const Fault& fault, const Judged& judged, const Gains& noise);

 private:
  Result<Done> free();

  const Profile& profile_;
  std::optional<Explained> best_;  ///< computed on first use
  Residuals left_;
};

}  // namespace heft
