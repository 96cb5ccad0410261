// Computes the share of the prior in every parameter, and what an error of the prior does to it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heft/uncertainty/uncertainty.hpp"
#include "linalg/factorizations.hpp"
#include "solve/prior_term.hpp"

namespace heft {

namespace {

using Matrix10 = PriorTerm::Matrix10d;

Matrix10 belief_curvature(const Prior& prior, int body) {
  if (prior.bodies.empty()) return Matrix10::Zero();
  return prior.bodies[static_cast<std::size_t>(body)].weight *
         metric_curvature(prior.references[body]);
}

/// Data and prior as quadratics about the prior, over the parameters with prior curvature; the
/// others (held bodies, columns without rows) are fixed.
struct Curvatures {
  std::vector<int> free;
  Eigen::VectorXd scale;        ///< makes the diagonal of the prior's curvature one
  Eigen::MatrixXd prior, both;  ///< of the free parameters, scaled
};

Result<Curvatures> curvatures(const ParameterLayout& layout, const NormalEquations& equations,
                              const Prior& prior) {
  const int P = layout.num_parameters(), nb = layout.num_bodies();
  if (equations.G.rows() != P || equations.G.cols() != P ||
      static_cast<int>(prior.references.size()) != nb || static_cast<int>(prior.held.size()) != nb)
    return Error{"prior shares", "normal equations, prior and layout have different sizes",
                 "compute all of them from one plan"};
  if (!equations.G.allFinite() || !(equations.num_rows > 0))
    return Error{"prior shares", "the normal equations are empty or not finite",
                 "check the samples"};

  const Eigen::MatrixXd data = equations.G / equations.num_rows;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
  for (int b = 0; b < nb; ++b)
    if (!prior.held[b])
      W.block<10, 10>(layout.index(b, core::kMass), layout.index(b, core::kMass)) =
          prior_term(prior.kind).curvature(prior, b) + belief_curvature(prior, b);
  for (int k = 0; k < layout.num_columns(); ++k) {
    const int index = layout.column_index(k);
    const double belief =
        prior.columns.empty() ? 0 : prior.columns[static_cast<std::size_t>(k)].weight;
    W(index, index) = prior.ridge * data(index, index) + belief;
  }
  Curvatures result;
  for (int k = 0; k < P; ++k)
    if (W(k, k) > 0) result.free.push_back(k);
  result.scale = W(result.free, result.free).diagonal().cwiseSqrt().cwiseInverse();
  const auto S = result.scale.asDiagonal();
  result.prior = S * W(result.free, result.free) * S;
  result.both = result.prior + S * data(result.free, result.free) * S;
  return result;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix) {
  return matrix.llt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

const Error kNotDefinite{"prior shares", "the prior is not positive definite",
                         "check the reference inertias"};

}  // namespace

Result<Eigen::VectorXd> prior_shares(const ParameterLayout& layout,
                                     const NormalEquations& equations, const Prior& prior) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  if (!prior.has_weight()) return Eigen::VectorXd(Eigen::VectorXd::Zero(layout.num_parameters()));
  const Eigen::VectorXd ratio =
      inverse(curvature.both).diagonal().cwiseQuotient(inverse(curvature.prior).diagonal());
  if (!ratio.allFinite()) return kNotDefinite;
  Eigen::VectorXd shares = Eigen::VectorXd::Ones(layout.num_parameters());
  for (std::size_t i = 0; i < curvature.free.size(); ++i)
    shares[curvature.free[i]] = std::clamp(ratio[static_cast<Eigen::Index>(i)], 0.0, 1.0);
  return shares;
}

namespace {

constexpr double kDegreesOfAll = 1;  ///< what one body takes over from all others

/// A body's ten parameters in the list of free ones.
struct FreeBody {
  int body = 0;
  Eigen::Index first = 0;
};

auto ten_of(const FreeBody& at) {
  return Eigen::seqN(at.first, Eigen::Index{core::kNumParameters});
}

std::vector<FreeBody> free_bodies(const ParameterLayout& layout, const Curvatures& curvature) {
  std::vector<FreeBody> bodies;
  for (std::size_t i = 0; i < curvature.free.size(); ++i)
    if (const int k = curvature.free[i];
        k < layout.column_index(0) && k % core::kNumParameters == core::kMass &&
        i + core::kNumParameters <= curvature.free.size() &&
        curvature.free[i + core::kNumParameters - 1] == k + core::kNumParameters - 1)
      bodies.push_back({k / core::kNumParameters, static_cast<Eigen::Index>(i)});
  return bodies;
}

/// Covariance of ten parameters if J -> U^-1 J U^-T, U U' = J of a body, has a unit covariance; its
/// inverse is the metric curvature, except that J may be singular.
Matrix10 metric_covariance(const BodyParameters& parameters) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> J(pseudo_inertia(parameters));
  const Eigen::Matrix4d U = J.eigenvectors() * J.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  Matrix10 directions;
  int column = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) {
      Eigen::Matrix4d unit = Eigen::Matrix4d::Zero();
      unit(i, j) = unit(j, i) = i == j ? 1 : std::sqrt(0.5);
      const Eigen::Matrix4d change = U * unit * U.transpose();
      directions.col(column++) = body_parameters(change);
    }
  return directions * directions.transpose();
}

/// Covariance of a body's prior error per unit of variance, scaled: in the metric of the prior, or
/// half of it in that of the estimate, since either may be far too small.
Eigen::MatrixXd error_covariance(const ParameterLayout& layout, const Curvatures& curvature,
                                 const Prior& prior, const Eigen::VectorXd& parameters,
                                 const FreeBody& at) {
  const auto ten = ten_of(at);
  const Eigen::MatrixXd by_prior = inverse(curvature.prior(ten, ten));
  const double weight = prior.weight_of(at.body);
  if (prior.kind != PriorKind::metric || !(weight > 0)) return by_prior;
  const Eigen::VectorXd unit = curvature.scale(ten).cwiseInverse();
  const BodyParameters estimate =
      parameters.segment<core::kNumParameters>(layout.index(at.body, core::kMass));
  const Eigen::MatrixXd by_estimate =
      unit.asDiagonal() * metric_covariance(estimate) * unit.asDiagonal() / weight;
  return 0.5 * (by_prior + by_estimate);
}

/// Squared distance of an estimate from its prior beyond that of noise, and its expected value for
/// a prior error of variance 1.
struct Distance {
  double square = 0, expected = 0;
};

/// Variance of each body's prior error: its own, where one body alone says little drawn to that of
/// all, and never below it.
std::vector<double> error_variances(const std::vector<Distance>& distances) {
  double square = 0, expected = 0;
  for (const Distance& distance : distances) {
    square += distance.square;
    expected += distance.expected;
  }
  const double of_all = expected > 0 ? square / expected : 0;
  std::vector<double> variances;
  for (const Distance& distance : distances)
    variances.push_back(std::max(
        of_all, (distance.square + kDegreesOfAll * of_all) / (distance.expected + kDegreesOfAll)));
  return variances;
}

}  // namespace

Result<PriorError> prior_error(const ParameterLayout& layout, const NormalEquations& equations,
                               const Prior& prior, const Eigen::VectorXd& parameters,
                               double rows_worth_one) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  const Eigen::Index P = layout.num_parameters();
  PriorError error{Eigen::MatrixXd::Zero(P, P), Eigen::VectorXd::Zero(P), 0};
  if (!prior.has_weight()) return error;
  Eigen::VectorXd away = parameters;  // from the prior; columns have theirs at zero where nothing
                                      // is believed of them
  for (std::size_t k = 0; k < prior.columns.size(); ++k)
    away[layout.column_index(static_cast<int>(k))] -= prior.columns[k].value;
  for (int b = 0; b < layout.num_bodies(); ++b)
    away.segment<core::kNumParameters>(layout.index(b, core::kMass)) -= prior.references[b];
  const Eigen::VectorXd scaled = away(curvature.free).cwiseQuotient(curvature.scale);

  const Eigen::MatrixXd& W = curvature.prior;
  const Eigen::MatrixXd gain = inverse(curvature.both);
  const Eigen::MatrixXd S = gain * W;
  const Eigen::MatrixXd seen = Eigen::MatrixXd::Identity(S.rows(), S.cols()) - S;
  const Eigen::MatrixXd expected = seen * inverse(W) * seen.transpose();
  const Eigen::MatrixXd noise = rows_worth_one / equations.num_rows * seen * gain;
  const std::vector<FreeBody> bodies = free_bodies(layout, curvature);
  std::vector<Distance> distances;
  for (const FreeBody& at : bodies) {
    const auto ten = ten_of(at);
    const auto weigh = [&](const Eigen::MatrixXd& covariance) {
      return W(ten, ten).cwiseProduct(covariance(ten, ten)).sum();
    };
    distances.push_back({std::max(0.0, scaled(ten).dot(W(ten, ten) * scaled(ten)) - weigh(noise)),
                         weigh(expected)});
  }
  const std::vector<double> variances = error_variances(distances);
  Eigen::VectorXd variance = Eigen::VectorXd::Zero(S.rows());
  double all_degrees = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto ten = ten_of(bodies[i]);
    const Eigen::MatrixXd covariance =
        variances[i] * error_covariance(layout, curvature, prior, parameters, bodies[i]);
    const Eigen::MatrixXd pull = S(Eigen::all, ten);
    variance += (pull * covariance).cwiseProduct(pull).rowwise().sum();
    all_degrees += distances[i].expected;
  }
  // a body's variance follows its own distance or that of all bodies: harmonic mean of their
  // degrees
  const double own_degrees =
      all_degrees / std::max(1.0, static_cast<double>(bodies.size())) + kDegreesOfAll;
  error.degrees = 2 / (1 / own_degrees + 1 / std::max(own_degrees, all_degrees));
  // columns are drawn to zero, or to what is believed of them
  const auto num_inertial = std::count_if(curvature.free.begin(), curvature.free.end(),
                                          [&](int k) { return k < layout.column_index(0); });
  const auto columns = Eigen::seq(num_inertial, S.cols() - 1);
  variance += (S(Eigen::all, columns) * scaled(columns)).cwiseAbs2();
  if (!variance.allFinite()) return kNotDefinite;
  error.deviation(curvature.free) = curvature.scale.cwiseProduct(variance.cwiseMax(0).cwiseSqrt());
  error.per_score(curvature.free, curvature.free) =
      curvature.scale.asDiagonal() * gain * curvature.scale.asDiagonal() / equations.num_rows;
  return error;
}

}  // namespace heft
