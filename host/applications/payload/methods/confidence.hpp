// How sure an answer is, by sensor or by joint torques: the intervals of mass and center of mass,
// and what the prior decides.
#pragma once

#include <functional>

#include "methods.hpp"

namespace heft::payload {

/// Least squares without any prior, and how wrong they may be.
struct DataAlone {
  BodyParameters x = BodyParameters::Zero();
  std::array<bool, 10> open = {};  ///< parameters that the data do not tell
  std::function<double(const BodyParameters& w)> error_of;  ///< standard error of w'x
  double quantile = 0;  ///< of its distribution, for 95 % in the middle
  BodyParameters shrunk_by = BodyParameters::Zero();  ///< towards the truth, where noise of the
                                                      ///< motion shrinks x
  std::function<double(const BodyParameters& w)> error_if_shrunk;  ///< of w'(x + shrunk_by); empty:
                                                                   ///< as of w'x
};

struct AnswerIntervals {
  PayloadInterval mass;                ///< [kg]
  std::array<PayloadInterval, 3> com;  ///< [m]
  bool prior_disagrees = false;        ///< the answer lies far outside what the data alone allow
};

/// The hull of `answer` and of the 95 % interval of the data alone. A mass cannot be negative, and
/// one that may be nothing leaves the center of mass open; what is open has an infinite interval.
AnswerIntervals intervals_about(const DataAlone& data, const BodyParameters& answer);

/// Names of parameters of which the prior of an answer decides more than half (kSetByPrior);
/// `weight`: of that prior.
std::vector<std::string> set_by_prior(const ConvexAnswer& answer, double weight);

}  // namespace heft::payload
