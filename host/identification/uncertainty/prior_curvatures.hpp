// Curvatures of data and prior about the prior, and the distance of an estimate from the prior.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"
#include "solve/prior_term.hpp"

namespace heft {

/// Data and prior as quadratics about the prior, over the parameters with prior curvature; the
/// others (held bodies, columns without rows) are fixed.
struct Curvatures {
  std::vector<int> free;
  Eigen::VectorXd scale;        ///< makes the diagonal of the prior's curvature one
  Eigen::MatrixXd prior, both;  ///< of the free parameters, scaled
};

/// Errors: those of prior_shares.
Result<Curvatures> curvatures(const ParameterLayout& layout, const NormalEquations& equations,
                              const Prior& prior);

/// Returns the inverse of a prior's curvature, in which bodies and columns do not meet.
Eigen::SparseMatrix<double> inverse_of_blocks(const Eigen::MatrixXd& matrix);

/// A body's ten parameters in the list of free ones.
struct FreeBody {
  int body = 0;
  Eigen::Index first = 0;
};

std::vector<FreeBody> free_bodies(const ParameterLayout& layout, const Curvatures& curvature);

/// Covariance of the ten parameters of a body for a unit covariance of U^-1 dJ U^-T, with U U' = J.
/// Its inverse is the metric curvature; unlike that, it also exists for singular J.
PriorTerm::Matrix10d metric_covariance(const BodyParameters& parameters);

/// Covariance of a body's prior error per unit of variance, scaled: that of the prior or, for the
/// metric prior, its mean with that of the estimate, since either may be far too small.
Eigen::MatrixXd error_covariance(const ParameterLayout& layout, const Curvatures& curvature,
                                 const Prior& prior, const Eigen::VectorXd& parameters,
                                 const FreeBody& at);

/// The distance of an estimate from its prior, over the free parameters, scaled.
Eigen::VectorXd distance_from_prior(const ParameterLayout& layout, const Curvatures& curvature,
                                    const Prior& prior, const Eigen::VectorXd& parameters);

}  // namespace heft
