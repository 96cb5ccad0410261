// How sure mass and centre of mass are, whatever the prior was.
#pragma once

#include "methods.hpp"

namespace heft::payload {

struct Intervals {
  Interval mass;
  std::array<Interval, 3> com;
  bool prior_disagrees = false;  ///< the answer lies far outside what the data alone allow
};

/// The hull of the answer and of the 95 % interval of weighted least squares, which knows no prior: a wrong shape moves the
/// answer, but not what the interval holds. Its covariance is
///
///   C = t q (sum_c Y_c'Y_c / s_c^2)^-1
///
/// with t the samples over which residuals are alike (the sum of their autocorrelation up to where it vanishes, mean of the
/// channels), and q = n / (n - p) for n rows that are independent, of p unknowns. Directions that the rows leave open make the
/// interval infinite.
Intervals intervals_of(const AutomaticFit& fit, BiasKind bias);

}  // namespace heft::payload
