// Estimates one body from its sums, by the methods of options.hpp. FORMULAS 8.
#pragma once

#include "convex_limits.hpp"
#include "heft/payload/payload.hpp"
#include "sums/sums.hpp"

namespace heft::payload {

/// x = ten parameters, the layout of the payload in the files below.
const ParameterLayout& payload_layout();

struct PayloadLeastSquares {
  BodyParameters x = BodyParameters::Zero();
  Vector6d rms = Vector6d::Zero();  ///< s_c after the last pass
  Eigen::MatrixXd unseen;           ///< directions of x that the rows do not determine
};

/// Least squares with every channel weighted by 1 / s_c^2, after `passes` from unweighted
/// residuals.
Result<PayloadLeastSquares> least_squares_of(const Sums& sums, int passes = 4);

inline constexpr double kFirstWeight = 1e-2;  ///< weight of the metric prior, tuned for plentiful
                                              ///< data
inline constexpr double kSpread = 600;        ///< w = kSpread / rows: J is within 4 % of the prior

inline Vector6d inverse_squares(const Vector6d& rms) {
  return rms.cwiseAbs2().cwiseInverse();
}

struct ConvexAnswer {
  BodyParameters x = BodyParameters::Zero();
  double objective = 0;
  double residual_cost = 0;  ///< 1/N sum_c |e_c|^2 / s_c^2
  Certificate certificate;   ///< if requested
  WeightedSums sums;
  BodyParameters reference = BodyParameters::Zero();  ///< of the prior
};

struct ConvexOptions {
  PriorKind kind = PriorKind::metric;
  double weight = kFirstWeight;
  Constraints constraints;  ///< with their margin
  bool certifies = true;
};

/// Solves min 1/N sum_c |e_c|^2 / s_c^2 + prior over physically consistent bodies, with a
/// certificate if requested. Errors: those of make_prior, make_problem and solve; no solution.
Result<ConvexAnswer> solve_convex(const WeightedSums& sums, const BodyParameters& reference,
                                  const ConvexOptions& options);

/// Returns whether the parameters are finite and their pseudo-inertia is positive definite.
bool is_possible(const BodyParameters& x);

void put(const ConvexAnswer& convex, PayloadAnswer& answer);

/// Returns `reference` as make_prior modifies it: thin bodies get a minimum extent.
Result<BodyParameters> invertible(const BodyParameters& reference);

/// Converts a solution of the problem without limits to the form of solve_convex. Empty if it
/// violates a limit (if it satisfies all, it is also optimal with limits) or if a certificate is
/// required and missing.
std::optional<ConvexAnswer> answer_of(const OneBodyProblem& problem, const BodyParameters& x,
                                      const Eigen::Matrix4d& multiplier, double objective,
                                      const ConvexOptions& options);

/// Prior of an answer, as used by the files below.
Result<Prior> prior_of(const ConvexAnswer& answer, const ConvexOptions& options);

/// tr(J0^-1 J) - log det J, the prior of geo; nan if J is not positive definite.
double entropic_value(const BodyParameters& x, const BodyParameters& reference);

/// Returns the prior inertia for a mass: of a ball about `com`, or of the shape if there is one.
BodyParameters reference_of(const PayloadShape& shape, double mass, const Eigen::Vector3d& com);

/// Returns the center of mass; zero for a massless body.
Eigen::Vector3d com_of(const BodyParameters& x);

/// Returns the mass to which the prior is scaled: the known one, or the ratio of force and u; if
/// force does not follow u, the smallest detectable mass. Error: a mass clearly below zero.
Result<double> mass_of_log(const Sums& sums, const PayloadOptions& options);

}  // namespace heft::payload
