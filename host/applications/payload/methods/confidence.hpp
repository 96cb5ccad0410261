// Confidence of an answer from a sensor or joint torques: intervals of mass and center of mass, and
// the parameters that the prior determines.
#pragma once

#include <functional>

#include "methods.hpp"

namespace heft::payload {

/// Least squares without a prior, and their errors.
struct DataAlone {
  BodyParameters x = BodyParameters::Zero();
  std::array<bool, 10> open = {};  ///< parameters that the data do not determine
  std::function<double(const BodyParameters& w)> error_of;  ///< standard error of w'x
  double quantile = 0;  ///< of the error's distribution, for a central 95 % interval
  BodyParameters shrunk_by = BodyParameters::Zero();  ///< correction of the attenuation of x by
                                                      ///< noise of the motion
  std::function<double(const BodyParameters& w)> error_if_shrunk;  ///< of w'(x + shrunk_by); empty:
                                                                   ///< same as of w'x
};

struct AnswerIntervals {
  PayloadInterval mass;                ///< [kg]
  std::array<PayloadInterval, 3> com;  ///< [m]
  bool prior_disagrees = false;  ///< the answer lies far outside the interval of the data alone
};

/// Returns the hull of `answer` and of the 95 % interval of the data alone. A mass cannot be
/// negative, and a mass that may be zero leaves the center of mass undetermined; undetermined
/// quantities have infinite intervals.
AnswerIntervals intervals_about(const DataAlone& data, const BodyParameters& answer);

/// Returns the names of parameters that the prior determines by more than half (kSetByPrior);
/// `weight`: of that prior.
std::vector<std::string> set_by_prior(const ConvexAnswer& answer, double weight);

}  // namespace heft::payload
