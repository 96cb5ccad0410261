// One body from its sums: the methods of options.hpp. FORMULAS 8.
#pragma once

#include "convex_limits.hpp"
#include "heft/payload/payload.hpp"
#include "sums/sums.hpp"

namespace heft::payload {

/// x = ten parameters: the layout in which the files below see the payload.
const ParameterLayout& payload_layout();

struct PayloadLeastSquares {
  BodyParameters x = BodyParameters::Zero();
  Vector6d rms = Vector6d::Zero();  ///< s_c after the last pass
  Eigen::MatrixXd unseen;           ///< directions of x that the rows leave open
};

/// Least squares with every channel weighted by 1 / s_c^2, after `passes` from unweighted.
Result<PayloadLeastSquares> least_squares_of(const Sums& sums, int passes = 4);

inline constexpr double kFirstWeight = 1e-2;  ///< of the metric prior: right where data are plenty
inline constexpr double kSpread = 600;        ///< w = kSpread / rows: J is within 4 % of the prior

inline Vector6d inverse_squares(const Vector6d& rms) {
  return rms.cwiseAbs2().cwiseInverse();
}

struct ConvexAnswer {
  BodyParameters x = BodyParameters::Zero();
  double objective = 0;
  double residual_cost = 0;  ///< 1/N sum_c |e_c|^2 / s_c^2
  Certificate certificate;   ///< if asked for
  WeightedSums sums;
  BodyParameters reference = BodyParameters::Zero();  ///< that the prior was about
};

struct ConvexOptions {
  PriorKind kind = PriorKind::metric;
  double weight = kFirstWeight;
  Constraints constraints;  ///< and their margin
  bool certifies = true;
};

/// min 1/N sum_c |e_c|^2 / s_c^2 + prior over possible bodies, with a certificate if options ask
/// for it. Errors: those of make_prior, make_problem and solve; no solution.
Result<ConvexAnswer> solve_convex(const WeightedSums& sums, const BodyParameters& reference,
                                  const ConvexOptions& options);

/// Whether a body of these parameters can be: finite, and its pseudo-inertia positive definite.
bool is_possible(const BodyParameters& x);

void put(const ConvexAnswer& convex, PayloadAnswer& answer);

/// `reference` as make_prior has it: thin bodies are given an extent.
Result<BodyParameters> invertible(const BodyParameters& reference);

/// A solution of the problem without limits as solve_convex would answer; nothing if it breaks a
/// limit (one that keeps to them all without being told is the best of those that do) or, where
/// that is asked, has no certificate.
std::optional<ConvexAnswer> answer_of(const OneBodyProblem& problem, const BodyParameters& x,
                                      const Eigen::Matrix4d& multiplier, double objective,
                                      const ConvexOptions& options);

/// The prior of an answer, as the files below have it.
Result<Prior> prior_of(const ConvexAnswer& answer, const ConvexOptions& options);

/// tr(J0^-1 J) - log det J, the prior of geo; nan if J is not positive definite.
double entropic_value(const BodyParameters& x, const BodyParameters& reference);

/// The believed inertia of a mass: of a ball about `com`, else where the shape lies.
BodyParameters reference_of(const PayloadShape& shape, double mass, const Eigen::Vector3d& com);

/// Center of mass; zero of a body without mass.
Eigen::Vector3d com_of(const BodyParameters& x);

/// The mass that the prior is scaled to: the known one, or the ratio of force and u; of a force
/// that does not follow u the least mass that would show. Error: a mass clearly below zero.
Result<double> mass_of_log(const Sums& sums, const PayloadOptions& options);

}  // namespace heft::payload
