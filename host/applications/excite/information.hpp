// Information that a motion adds to prior knowledge (FORMULAS 9), in the structural columns of a
// plan. With G of the rows of the motion, Y = Y_s W, and the prior information M0 about all
// parameters,
//
//   M = M0 + W' G W        V = W M0^-1 W'
//   log det M = log det M0 + log det V + log det(G + V^-1)
//
// The optimization then has only as many unknowns as structural columns; W has full row rank.
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
  Eigen::VectorXd rate;        ///< r_eff / s_c^2 of every channel: information per second
  Eigen::VectorXd believed;    ///< prior mean of all parameters
  Eigen::VectorXd reference;  ///< structural values of the prior mean; torques are rows times these
};

/// Combines robot, prior and noise of the options. Errors: a covariance that is not positive
/// definite; those of SignalColumns::make.
Result<Information> make_information(PlanPtr plan, const Beliefs& beliefs);

}  // namespace heft::excite
