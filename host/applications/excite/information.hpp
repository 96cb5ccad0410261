// What a motion would add to what is known (FORMULAS 9), in the structural columns of a plan. With
// G of the rows of the motion, Y = Y_s W, and M0 the information that exists about all parameters,
//
//   M = M0 + W' G W        V = W M0^-1 W'
//   log det M = log det M0 + log det V + log det(G + V^-1)
//
// so that only as many unknowns as structural columns are optimized over; W has full row rank.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/excite/options.hpp"
#include "heft/model/regressor_plan.hpp"

namespace heft::excite {

struct Information {
  PlanPtr plan;
  Eigen::MatrixXd known;       ///< M0, all parameters
  Eigen::MatrixXd covariance;  ///< M0^-1
  Eigen::MatrixXd variance;    ///< V, structural columns
  Eigen::MatrixXd precision;   ///< V^-1
  double log_det_known = 0;    ///< log det M0
  double log_det_offset = 0;   ///< log det M0 + log det V
  Eigen::VectorXd rate;        ///< r_eff / s_c^2 of every channel: information a second
  Eigen::VectorXd believed;    ///< of all parameters
  Eigen::VectorXd reference;   ///< structural values of what is believed: torques are rows times
                               ///< these
};

/// Robot, prior and noise of the options. Errors: a covariance that is not positive definite; those
/// of SignalColumns::make.
Result<Information> make_information(PlanPtr plan, const Beliefs& beliefs);

}  // namespace heft::excite
