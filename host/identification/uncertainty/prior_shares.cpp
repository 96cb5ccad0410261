// Computes the share of the prior in every parameter, and the effect of an error of the prior.
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <vector>

#include "heft/uncertainty/uncertainty.hpp"
#include "linalg/factorizations.hpp"
#include "prior_curvatures.hpp"
#include "solve/prior_term.hpp"
#include "solve/wide_product.hpp"

namespace heft {

namespace {

using Matrix10 = PriorTerm::Matrix10d;

Matrix10 belief_curvature(const Prior& prior, int body) {
  if (prior.bodies.empty()) return Matrix10::Zero();
  return prior.bodies[static_cast<std::size_t>(body)].weight *
         metric_curvature(prior.references[body]);
}

}  // namespace

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
    const bool is_gain = layout.columns[static_cast<std::size_t>(k)].effect == ColumnEffect::gain;
    const double ridge = is_gain ? 0 : prior.ridge * data(index, index);
    W(index, index) = ridge + belief_of(layout, prior, k).weight;
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

namespace {

/// Returns L^-1 of a matrix L L': its inverse is the product of the transpose and this.
Eigen::MatrixXd inverse_factor(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
  matrix.llt().matrixL().solveInPlace(result);
  return result;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix) {
  return matrix.llt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

/// Returns the end of the diagonal block that begins at `first`; beside blocks all is zero.
Eigen::Index end_of_block(const Eigen::MatrixXd& matrix, Eigen::Index first) {
  Eigen::Index end = first + 1;
  for (Eigen::Index column = first; column < end; ++column)
    for (Eigen::Index row = matrix.rows() - 1; row >= end; --row)
      if (matrix(row, column) != 0) end = row + 1;
  return end;
}

}  // namespace

Eigen::SparseMatrix<double> inverse_of_blocks(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols());
  for (Eigen::Index first = 0, end = 0; first < matrix.rows(); first = end) {
    end = end_of_block(matrix, first);
    const auto block = Eigen::seq(first, end - 1);
    result(block, block) = inverse(matrix(block, block));
  }
  return result.sparseView();
}

namespace {

const Error kNotDefinite{"prior shares", "the prior is not positive definite",
                         "check the reference inertias"};

}  // namespace

Result<Eigen::VectorXd> prior_shares(const ParameterLayout& layout,
                                     const NormalEquations& equations, const Prior& prior) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  if (!prior.has_weight()) return Eigen::VectorXd(Eigen::VectorXd::Zero(layout.num_parameters()));
  const Eigen::VectorXd of_prior = inverse_of_blocks(curvature.prior).diagonal();
  const Eigen::VectorXd of_both =
      inverse_factor(curvature.both).colwise().squaredNorm().transpose();
  const Eigen::VectorXd ratio = of_both.cwiseQuotient(of_prior);
  if (!ratio.allFinite()) return kNotDefinite;
  Eigen::VectorXd shares = Eigen::VectorXd::Ones(layout.num_parameters());
  for (std::size_t i = 0; i < curvature.free.size(); ++i)
    shares[curvature.free[i]] = std::clamp(ratio[static_cast<Eigen::Index>(i)], 0.0, 1.0);
  return shares;
}

namespace {

constexpr double kDegreesOfAll = 1;  ///< weight of all bodies in the variance of one

auto ten_of(const FreeBody& at) {
  return Eigen::seqN(at.first, Eigen::Index{core::kNumParameters});
}

}  // namespace

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

Eigen::VectorXd distance_from_prior(const ParameterLayout& layout, const Curvatures& curvature,
                                    const Prior& prior, const Eigen::VectorXd& parameters) {
  Eigen::VectorXd away = parameters;  // the prior of a column is zero unless configured
  for (int k = 0; k < layout.num_columns(); ++k)
    away[layout.column_index(k)] -= belief_of(layout, prior, k).value;
  for (int b = 0; b < layout.num_bodies(); ++b)
    away.segment<core::kNumParameters>(layout.index(b, core::kMass)) -= prior.references[b];
  return away(curvature.free).cwiseQuotient(curvature.scale);
}

namespace {

/// Squared distance of an estimate from its prior in excess of noise, and its expected value for a
/// prior error of variance 1.
struct Distance {
  double square = 0, expected = 0;
};

/// Variance of each body's prior error: its own, shrunk toward that of all bodies where one body
/// has little information.
std::vector<double> error_variances(const std::vector<Distance>& distances) {
  double square = 0, expected = 0;
  for (const Distance& distance : distances) {
    square += distance.square;
    expected += distance.expected;
  }
  const double of_all = expected > 0 ? square / expected : 0;
  std::vector<double> variances;
  for (const Distance& distance : distances)
    variances.push_back((distance.square + kDegreesOfAll * of_all) /
                        (distance.expected + kDegreesOfAll));
  return variances;
}

/// How an error of the prior moves the estimate, over the free parameters, scaled.
struct ErrorModel {
  Eigen::MatrixXd gain, S;
  Eigen::MatrixXd covariance;  ///< of the error: bodies independent of each other
  double degrees = 0;
};

/// Distances of all free bodies, minus the part that noise explains.
std::vector<Distance> distances_of(const std::vector<FreeBody>& bodies, const Eigen::MatrixXd& W,
                                   const ErrorModel& model, const Eigen::VectorXd& scaled,
                                   double noise_share) {
  const Eigen::MatrixXd seen = Eigen::MatrixXd::Identity(W.rows(), W.cols()) - model.S;
  const Eigen::MatrixXd by_prior = seen * inverse_of_blocks(W);
  std::vector<Distance> distances;
  for (const FreeBody& at : bodies) {
    const auto ten = ten_of(at);
    const Eigen::MatrixXd rows = seen(ten, Eigen::all);
    const Matrix10 expected = by_prior(ten, Eigen::all) * rows.transpose(),
                   noise = noise_share * rows * model.gain(Eigen::all, ten);
    const auto weigh = [&](const Matrix10& covariance) {
      return W(ten, ten).cwiseProduct(covariance).sum();
    };
    distances.push_back({std::max(0.0, scaled(ten).dot(W(ten, ten) * scaled(ten)) - weigh(noise)),
                         weigh(expected)});
  }
  return distances;
}

/// Share of the data in a direction below which it shows more noise than distance from the prior.
constexpr double kSmallestShare = 0.01;

/// Distance of columns from their prior before the prior shrank it, over the free parameters: in
/// a direction of the columns of which the data see the share s, the estimate is s times as far
/// away, with the variance s (1 - s) noise_share.
Eigen::VectorXd distance_before_shrinkage(const Eigen::MatrixXd& gain,
                                          const std::vector<Eigen::Index>& columns,
                                          const Eigen::VectorXd& scaled, double noise_share) {
  Eigen::VectorXd before = Eigen::VectorXd::Zero(scaled.size());
  if (columns.empty()) return before;
  // the prior's curvature of these columns is one
  const auto count = static_cast<Eigen::Index>(columns.size());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> seen(
      Eigen::MatrixXd::Identity(count, count) - gain(columns, columns));
  Eigen::VectorXd along = seen.eigenvectors().transpose() * scaled(columns);
  for (Eigen::Index k = 0; k < count; ++k) {
    const double share = std::clamp(seen.eigenvalues()[k], kSmallestShare, 1.0);
    const double noise = share * (1 - share) * noise_share;
    const double excess = std::sqrt(std::max(along[k] * along[k] - noise, 0.0)) / share;
    along[k] = std::copysign(std::max(std::abs(along[k]), excess), along[k]);
  }
  before(columns) = seen.eigenvectors() * along;
  return before;
}

/// Adds the errors of columns. The prior shifts columns toward zero, or their configured value, by
/// a known amount; the error of a gain has its own standard deviation.
void add_errors_of_columns(const ParameterLayout& layout, const Curvatures& curvature,
                           const Eigen::VectorXd& scaled, double noise_share, ErrorModel& model) {
  std::vector<Eigen::Index> columns;
  for (std::size_t i = 0; i < curvature.free.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const int column = curvature.free[i] - layout.column_index(0);
    if (column < 0) continue;
    if (layout.columns[static_cast<std::size_t>(column)].effect == ColumnEffect::gain)
      model.covariance(k, k) += kGainWeight / curvature.prior(k, k);
    else
      columns.push_back(k);
  }
  const Eigen::VectorXd known = distance_before_shrinkage(model.gain, columns, scaled, noise_share);
  model.covariance += known * known.transpose();
}

ErrorModel error_model(const ParameterLayout& layout, const Curvatures& curvature,
                       const Prior& prior, const Eigen::VectorXd& parameters, double noise_share) {
  const Eigen::VectorXd scaled = distance_from_prior(layout, curvature, prior, parameters);
  const Eigen::MatrixXd& W = curvature.prior;
  const Eigen::MatrixXd factor = inverse_factor(curvature.both);
  ErrorModel model{.gain = wide_product(RowMajorMatrix(factor), factor),
                   .S = {},
                   .covariance = Eigen::MatrixXd::Zero(W.rows(), W.cols())};
  model.S = model.gain * W.sparseView();
  const std::vector<FreeBody> bodies = free_bodies(layout, curvature);
  const std::vector<Distance> distances = distances_of(bodies, W, model, scaled, noise_share);
  const std::vector<double> variances = error_variances(distances);
  double all_degrees = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    model.covariance(ten_of(bodies[i]), ten_of(bodies[i])) =
        variances[i] * error_covariance(layout, curvature, prior, parameters, bodies[i]);
    all_degrees += distances[i].expected;
  }
  // a body's variance follows its own distance or that of all bodies: harmonic mean of their
  // degrees
  const double own_degrees =
      all_degrees / std::max(1.0, static_cast<double>(bodies.size())) + kDegreesOfAll;
  model.degrees = 2 / (1 / own_degrees + 1 / std::max(own_degrees, all_degrees));
  add_errors_of_columns(layout, curvature, scaled, noise_share, model);
  return model;
}

}  // namespace

Result<PriorError> prior_error(const ParameterLayout& layout, const NormalEquations& equations,
                               const Prior& prior, const Eigen::VectorXd& parameters,
                               double rows_worth_one) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  const Eigen::Index P = layout.num_parameters();
  PriorError error{Eigen::MatrixXd::Zero(P, P), Eigen::VectorXd::Zero(P), 0};
  if (!prior.has_weight()) return error;
  const ErrorModel model =
      error_model(layout, curvature, prior, parameters, rows_worth_one / equations.num_rows);
  // S times the covariance
  const Eigen::MatrixXd moved = wide_product(model.S.transpose(), model.covariance);
  const Eigen::VectorXd variance = moved.cwiseProduct(model.S).rowwise().sum();
  if (!variance.allFinite()) return kNotDefinite;
  error.degrees = model.degrees;
  error.deviation(curvature.free) = curvature.scale.cwiseProduct(variance.cwiseMax(0).cwiseSqrt());
  error.per_score(curvature.free, curvature.free) =
      curvature.scale.asDiagonal() * model.gain * curvature.scale.asDiagonal() / equations.num_rows;
  return error;
}

Result<PriorOfFunctions> prior_of_functions(const ParameterLayout& layout,
                                            const NormalEquations& equations, const Prior& prior,
                                            const Eigen::VectorXd& parameters,
                                            double rows_worth_one, const Eigen::MatrixXd& rows) {
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  PriorOfFunctions result{Eigen::VectorXd::Zero(rows.rows()), Eigen::VectorXd::Zero(rows.rows())};
  if (!prior.has_weight()) return result;
  const Eigen::MatrixXd scaled = rows(Eigen::all, curvature.free) * curvature.scale.asDiagonal();
  const ErrorModel model =
      error_model(layout, curvature, prior, parameters, rows_worth_one / equations.num_rows);
  result.degrees = model.degrees;
  const Eigen::SparseMatrix<double> spread = inverse_of_blocks(curvature.prior);
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const Eigen::VectorXd c = scaled.row(k).transpose(), moved = model.S.transpose() * c;
    const double before = c.dot(spread * c);
    // a function of held parameters only is the prior's
    result.shares[k] = before > 0 ? std::clamp(c.dot(model.gain * c) / before, 0.0, 1.0) : 1;
    result.deviations[k] = std::sqrt(std::max(0.0, moved.dot(model.covariance * moved)));
  }
  if (!result.shares.allFinite() || !result.deviations.allFinite()) return kNotDefinite;
  return result;
}

}  // namespace heft
