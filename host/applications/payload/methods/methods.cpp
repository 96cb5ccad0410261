#include "methods.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "automatic.hpp"
#include "heft/charts/distance.hpp"
#include "heft/solve/least_squares.hpp"
#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "point_mass_fit.hpp"
#include "shape/shape_parts.hpp"

namespace heft {

namespace payload {

namespace {

constexpr double kGapOfMethods = 1e-12;  // ten numbers: a few more steps to all digits
constexpr double kFewSamples = 50;
constexpr double kPublishedShare = 1e-5;  // gamma over tr(Y'Y) [Lee, Wensing, Park 2020]

}  // namespace

const ParameterLayout& payload_layout() {
  static const ParameterLayout layout{.bodies = {"payload"}, .body_index = {0}, .columns = {}};
  return layout;
}

namespace {

/// Least squares by Cholesky where the columns, scaled to one, are far from dependent; false: a
/// rank has to be decided.
bool solve_well_conditioned(const WeightedSums& sums, BodyParameters& x) {
  constexpr double kLeastPivot = 1e-6;  // squared
  if (!(sums.G.diagonal().array() > 0).all()) return false;
  const BodyParameters scale = sums.G.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Matrix10d> factor(Matrix10d(scale.asDiagonal() * sums.G * scale.asDiagonal()));
  if (factor.info() != Eigen::Success ||
      factor.matrixLLT().diagonal().minCoeff() < std::sqrt(kLeastPivot))
    return false;
  x = scale.cwiseProduct(factor.solve(scale.cwiseProduct(sums.b)));
  return x.allFinite();
}

/// One solution of weighted least squares and its undetermined directions.
Result<Done> solve_least_squares(const WeightedSums& sums, PayloadLeastSquares& fit) {
  if (solve_well_conditioned(sums, fit.x)) {
    fit.unseen.resize(core::kNumParameters, 0);
    return Done{};
  }
  HEFT_TRY(least, least_squares(payload_layout(), {sums.G, sums.b, sums.tau2, sums.num_rows}));
  fit.x = least.x;
  fit.unseen = least.unseen;
  return Done{};
}

}  // namespace

std::optional<ConvexAnswer> answer_of(const OneBodyProblem& problem, const BodyParameters& x,
                                      const Eigen::Matrix4d& multiplier, double objective,
                                      const ConvexOptions& options) {
  if (!keeps_to(options.constraints, x)) return {};
  ConvexAnswer answer{
      .x = x, .objective = objective, .sums = problem.sums, .reference = problem.reference};
  answer.residual_cost = problem.sums.cost(x);
  if (!options.certifies) return answer;
  answer.certificate = certify_one_body(problem, x, multiplier);
  if (!answer.certificate.certified) return {};
  return answer;
}

Result<BodyParameters> invertible(const BodyParameters& reference) {
  constexpr double kClearlyThick = 1e-5;  // of the largest eigenvalue of the covariance; make_prior
                                          // repairs at 1e-6
  constexpr double kLength = 1e-3;        // [m], and at 1e-4
  const double mass = reference[core::kMass];
  const Eigen::Vector3d h = reference.segment<3>(core::kMcx);
  const Eigen::Matrix3d covariance =
      pseudo_inertia(reference).topLeftCorner<3, 3>() - h * h.transpose() / mass;
  const double least = std::max(kClearlyThick * covariance.trace(), mass * kLength * kLength);
  if (mass > 0 &&
      Eigen::LLT<Eigen::Matrix3d>(Eigen::Matrix3d(covariance - least * Eigen::Matrix3d::Identity()))
              .info() == Eigen::Success)
    return reference;
  HEFT_TRY(prior, make_prior(payload_layout(), {reference}));
  return prior.references.front();
}

Result<PayloadLeastSquares> least_squares_of(const Sums& sums, int passes) {
  PayloadLeastSquares fit;
  Vector6d weights = Vector6d::Ones();
  for (int pass = 0; pass <= passes; ++pass) {
    HEFT_CHECK(solve_least_squares(weighted(sums, weights), fit));
    fit.rms = residual_rms(sums, fit.x);
    if (sums.num_samples < kFewSamples) {  // too few to distinguish channels
      fit.rms.head<3>().setConstant(fit.rms.head<3>().norm() / std::sqrt(3.0));
      fit.rms.tail<3>().setConstant(fit.rms.tail<3>().norm() / std::sqrt(3.0));
    }
    weights = inverse_squares(fit.rms);
  }
  return fit;
}

Result<ConvexAnswer> solve_convex(const WeightedSums& sums, const BodyParameters& given,
                                  const ConvexOptions& options) {
  HEFT_TRY(reference, invertible(given));
  if (options.kind == PriorKind::metric) {
    const OneBodyProblem one{sums, reference, options.weight, options.constraints.margin};
    const OneBodySolution found = solve_one_body(one);
    if (found.converged)
      if (auto alone = answer_of(one, found.x, found.multiplier, found.objective, options))
        return *std::move(alone);
  }
  ConvexAnswer answer{.sums = sums, .reference = reference};
  HEFT_TRY(prior, prior_of(answer, options));
  HEFT_TRY(problem, make_problem(payload_layout(), {sums.G, sums.b, sums.tau2, sums.num_rows},
                                 prior, options.constraints));
  HEFT_TRY(solution, solve(problem, {.method = SolveMethod::interior_point,
                                     .gap_tolerance = kGapOfMethods,
                                     .violation_tolerance = kGapOfMethods}));
  if (solution.x.size() < 10 || !solution.x.allFinite())
    return Error{"payload", "the solver found no solution: " + solution.reason,
                 "check the units of the log; a known mass must be close to the mass of "
                 "the load, and limits of density and position must allow a body"};
  answer.x = solution.x.head<10>();
  answer.objective = solution.objective;
  answer.residual_cost = sums.cost(answer.x);
  if (options.certifies) answer.certificate = certify(problem, solution);
  return answer;
}

Result<Prior> prior_of(const ConvexAnswer& answer, const ConvexOptions& options) {
  return make_prior(payload_layout(), {answer.reference},
                    {.kind = options.kind, .weight = options.weight, .ridge = 0});
}

double entropic_value(const BodyParameters& x, const BodyParameters& reference) {
  const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(x)), prior(pseudo_inertia(reference));
  if (factor.info() != Eigen::Success) return std::nan("");
  return prior.solve(pseudo_inertia(x)).trace() -
         2 * factor.matrixLLT().diagonal().array().log().sum();
}

BodyParameters reference_of(const PayloadShape& shape, double mass, const Eigen::Vector3d& com) {
  BodyParameters unit = shape.unit;
  if (shape.kind == PayloadShape::Kind::nothing)
    unit = transformed(Eigen::Isometry3d(Eigen::Translation3d(com)), unit);
  return mass * unit;
}

Result<double> mass_of_log(const Sums& sums, const PayloadOptions& options) {
  constexpr double kNoWeight = -0.3;  // correlation of force and a - g that is still none, not a
                                      // reversed sign
  if (options.limits.known_mass > 0) return options.limits.known_mass;
  const double mass = sums.mass_guess(), power = sums.wrench2.head<3>().sum();
  if (mass > 0) return mass;
  // nothing on the sensor: a mass within the noise of the force
  if (sums.u_dot_u > 0 && power > 0 &&
      sums.force_dot_u > kNoWeight * std::sqrt(sums.u_dot_u * power))
    return std::sqrt(power / sums.u_dot_u / (3 * sums.num_samples));
  return Error{"payload", "the log does not give a positive mass",
               "check payload.sign and that gravity points down; one pose with an "
               "unknown bias does not determine the mass: take two or more, or set "
               "payload.bias: none for a sensor without offset; and check that the "
               "controller did not subtract a configured payload from the wrench"};
}

Eigen::Vector3d com_of(const BodyParameters& x) {
  return x[core::kMass] > 0 ? Eigen::Vector3d(x.segment<3>(core::kMcx) / x[core::kMass])
                            : Eigen::Vector3d::Zero();
}

bool is_possible(const BodyParameters& x) {
  return x.allFinite() && Eigen::LLT<Eigen::Matrix4d>(pseudo_inertia(x)).info() == Eigen::Success;
}

void put(const ConvexAnswer& convex, PayloadAnswer& answer) {
  answer.parameters = convex.x;
  answer.objective = convex.objective;
  answer.certificate = convex.certificate;
  answer.is_possible = is_possible(convex.x);
}

namespace {

/// Smallest singular vector of [Y w] over the columns that the rows determine.
Result<BodyParameters> total_least_squares(const Sums& sums) {
  Eigen::Matrix<double, 11, 11> gram = Eigen::Matrix<double, 11, 11>::Zero();
  for (int c = 0; c < 6; ++c) {
    gram.topLeftCorner<10, 10>() += sums.G[c];
    gram.topRightCorner<10, 1>() += sums.b[c];
    gram(10, 10) += sums.wrench2[c];
  }
  gram.bottomLeftCorner<1, 10>() = gram.topRightCorner<10, 1>().transpose();
  const SymmetricEigen<Eigen::Dynamic> eigen(gram);
  const Eigen::Matrix<double, 11, 1> v = eigen.eigenvectors().col(0);
  if (!(std::abs(v[10]) > 1e-9))
    return Error{"tls", "total least squares needs a log that determines all ten parameters",
                 "record motion about three axes, or use another method"};
  return BodyParameters(-v.head<10>() / v[10]);
}

double sum_of_squares(const Sums& sums, const BodyParameters& x) {
  return sums.num_rows() * weighted(sums, Vector6d::Ones()).cost(x);
}

/// Unweighted least squares with a prior of the published weight.
Result<Done> fit_published(const Sums& sums, const PayloadOptions& options,
                           const BodyParameters& reference, const Constraints& constraints,
                           PayloadAnswer& answer) {
  const double gamma = options.gamma.value_or(kPublishedShare * sums.regressor_norm2),
               rows = sums.num_rows();
  if (answer.method == PayloadMethod::geo) {
    HEFT_TRY(convex, solve_convex(weighted(sums, Vector6d::Ones()), reference,
                                  {.kind = PriorKind::entropic,
                                   .weight = gamma / rows,
                                   .constraints = constraints}));
    put(convex, answer);
    answer.objective = sum_of_squares(sums, convex.x) + gamma * entropic_value(convex.x, reference);
    return Done{};
  }
  // pullback: no cone, so it is a linear system, in coordinates in which the prior is 1
  const Eigen::Matrix4d L = pseudo_inertia(reference).llt().matrixL();
  Matrix10d to_parameters;  // columns: the parameters of L E L', E a unit of symmetric matrices
  int k = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++k) {
      Eigen::Matrix4d unit = Eigen::Matrix4d::Zero();
      unit(i, j) = unit(j, i) = i == j ? 1 : std::sqrt(0.5);
      to_parameters.col(k) = body_parameters(L * unit * L.transpose());
    }
  const WeightedSums equations = weighted(sums, Vector6d::Ones());
  Matrix10d H = to_parameters.transpose() * equations.G * to_parameters;
  H.diagonal().array() += gamma;
  BodyParameters right = to_parameters.transpose() * equations.b;
  right += gamma * to_parameters.partialPivLu().solve(reference);
  answer.parameters = to_parameters * H.ldlt().solve(right);
  HEFT_TRY(distance, pullback_divergence(answer.parameters, reference));
  answer.objective = sum_of_squares(sums, answer.parameters) + gamma * distance.value;
  return Done{};
}

/// Solves the problem of `metric` with independent code, on the manifold of mass, center of mass,
/// axes and square roots of moments.
Result<Done> fit_on_manifold(const WeightedSums& sums, const BodyParameters& given, double weight,
                             PayloadAnswer& answer) {
  HEFT_TRY(reference, invertible(given));
  HEFT_TRY(prior, prior_of({.reference = reference}, {.weight = weight}));
  HEFT_TRY(problem,
           make_problem(payload_layout(), {sums.G, sums.b, sums.tau2, sums.num_rows}, prior));
  HEFT_TRY(solution, solve_on_chart(problem, {.chart = ChartKind::manifold}));
  if (!solution.converged)
    return Error{"manifold", "found no optimum: " + solution.reason,
                 "use the metric method, whose result is certified"};
  answer.parameters = solution.x.head<core::kNumParameters>();
  answer.objective = solution.objective;
  return Done{};
}

}  // namespace

}  // namespace payload

Result<PayloadAnswer> fit_payload(const WrenchSamples& samples, const PayloadOptions& options,
                                  const PayloadShape& shape, PayloadMethod method) {
  using namespace payload;
  HEFT_CHECK(refuse_limits(method, options.limits));
  PayloadAnswer answer{.method = method};
  if (method == PayloadMethod::automatic) {
    AutomaticFitter fitter(options);
    HEFT_TRY(fit, fitter.fit(samples, shape));
    put(fit->answer, answer);
    return answer;
  }
  const Sums sums = sums_of(samples, options.bias);
  if (method == PayloadMethod::pmd || method == PayloadMethod::pmd_weighted) {
    HEFT_TRY(data, least_squares_of(sums));
    HEFT_CHECK(fit_point_masses(samples, options, shape, data, answer));
  } else if (method == PayloadMethod::tls) {
    HEFT_TRY(x, total_least_squares(sums));
    answer.parameters = x;
  } else if (method == PayloadMethod::ols || method == PayloadMethod::wls) {
    HEFT_TRY(fit, least_squares_of(sums, method == PayloadMethod::ols ? 0 : 4));
    answer.parameters = fit.x;
  } else {
    HEFT_TRY(mass, mass_of_log(sums, options));
    HEFT_TRY(data, least_squares_of(sums));
    HEFT_TRY(constraints, constraints_of(options, shape));
    const BodyParameters reference = reference_of(
        shape.parts.empty() ? shape
                            : with_matched_parts(shape, weighted(sums, inverse_squares(data.rms))),
        mass, com_of(data.x));
    if (method == PayloadMethod::geo || method == PayloadMethod::pullback) {
      HEFT_CHECK(fit_published(sums, options, reference, constraints, answer));
    } else {
      const double weight =
          options.metric_weight.value_or(std::max(kFirstWeight, kSpread / sums.num_rows()));
      const WeightedSums equations = weighted(sums, inverse_squares(data.rms));
      if (method == PayloadMethod::manifold) {
        HEFT_CHECK(fit_on_manifold(equations, reference, weight, answer));
        answer.is_possible = is_possible(answer.parameters);
        return answer;
      }
      HEFT_TRY(convex, solve_convex(equations, reference,
                                    {.kind = method == PayloadMethod::cone ? PriorKind::none
                                                                           : PriorKind::metric,
                                     .weight = weight,
                                     .constraints = constraints}));
      put(convex, answer);
    }
  }
  answer.is_possible = is_possible(answer.parameters);
  return answer;
}

}  // namespace heft
