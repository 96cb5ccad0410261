// One body from its sums: the methods of options.hpp. FORMULAS 8.
#pragma once

#include "heft/payload/payload.hpp"
#include "sums.hpp"

namespace heft::payload {

/// x = ten parameters: the layout in which the rooms below see the payload.
const ParameterLayout& payload_layout();

struct PayloadLeastSquares {
  BodyParameters x = BodyParameters::Zero();
  Vector6d rms = Vector6d::Zero();  ///< s_c after the last pass
  Eigen::MatrixXd unseen;           ///< directions of x that the rows leave open
};

/// Least squares with every channel weighted by 1 / s_c^2, after `passes` from unweighted.
Result<PayloadLeastSquares> least_squares_of(const Sums& sums, int passes = 4);

struct ConvexAnswer {
  BodyParameters x = BodyParameters::Zero();
  double objective = 0;
  Certificate certificate;
  Prior prior;
  NormalEquations equations;
};

struct ConvexOptions {
  PriorKind kind = PriorKind::metric;
  double weight = 1e-2;
  double known_mass = 0;
  double margin = 1e-6;  ///< Constraints::margin
};

/// min 1/N sum_c |e_c|^2 / s_c^2 + prior over possible bodies, with a certificate. Errors: those of make_prior, make_problem and
/// solve; no solution.
Result<ConvexAnswer> solve_convex(const Sums& sums, const Vector6d& weights, const BodyParameters& reference,
                                  const ConvexOptions& options);

/// tr(J0^-1 J) - log det J, the prior of geo; nan if J is not positive definite.
double entropic_value(const BodyParameters& x, const BodyParameters& reference);

/// What `auto` arrived at, and from what: for intervals.
struct AutomaticFit {
  WrenchSamples samples;  ///< low-passed
  double lowpass_hz = 0;  ///< at which; 0: not at all
  Sums sums;
  PayloadLeastSquares data;  ///< without any prior
  ConvexAnswer answer;
};

Result<AutomaticFit> fit_automatically(const WrenchSamples& samples, const PayloadOptions& options,
                                       const PayloadShape& shape);

}  // namespace heft::payload
