#include "uncertainty/prior_of_whole.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "linalg/factorizations.hpp"
#include "prior_curvatures.hpp"
#include "solve/wide_product.hpp"
#include "uncertainty/variance_components.hpp"

namespace heft {

namespace {

/// Data relative to the prior below which a direction shows more of the constraints than of the
/// prior's error.
constexpr double kLeastSeen = 0.01;
constexpr double kStatedVariance = 0.05;  ///< of bodies, at the start of the iteration only
constexpr double kStatedDegrees = 2;      ///< of the stated standard deviations of sensor errors
constexpr double kKnown = 100;  ///< variance of other columns over the square of their estimate

/// A kind of sensor error by how the definition of its columns begins.
struct SensorKind {
  std::string_view definition, unit;
  double deviation;
};

constexpr std::array kKinds = {
    SensorKind{"bias of wrench component ", "N", SensorErrors::kForce},
    SensorKind{"bias of wrench component ", "N m", SensorErrors::kTorque},
    SensorKind{"base gyro bias ", "rad/s", SensorErrors::kGyroscope},
    SensorKind{"base accel bias ", "m/s^2", SensorErrors::kAccelerometer},
    SensorKind{"base rotation ", "rad", SensorErrors::kRotation},
};

const SensorKind* kind_of(const Column& column) {
  const auto found = std::ranges::find_if(kKinds, [&](const SensorKind& kind) {
    return column.unit == kind.unit && column.definition.starts_with(kind.definition);
  });
  return found == kKinds.end() ? nullptr : &*found;
}

/// A ball with the mass, the center of mass and the radius of gyration of a body.
BodyParameters ball_like(const BodyParameters& body) {
  const double mass = body[core::kMass];
  const Eigen::Vector3d com = body.segment<3>(core::kMcx) / mass;
  Eigen::Matrix4d J = pseudo_inertia(body);
  const Eigen::Matrix3d shift = mass * com * com.transpose();
  const double second_moment = (J.topLeftCorner<3, 3>() - shift).trace() / 3;
  J.topLeftCorner<3, 3>() = second_moment * Eigen::Matrix3d::Identity() + shift;
  return body_parameters(J);
}

/// A source of the prior's error, over the free parameters, scaled.
struct ErrorSource {
  Eigen::SparseMatrix<double> covariance;
  double stated = 1, degrees = 0;
};

using Entries = std::vector<Eigen::Triplet<double>>;

void put(const Eigen::MatrixXd& block, Eigen::Index first, Entries& entries) {
  for (Eigen::Index i = 0; i < block.rows(); ++i)
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      entries.emplace_back(static_cast<int>(first + i), static_cast<int>(first + j), block(i, j));
}

Eigen::SparseMatrix<double> sparse_square(const Entries& entries, std::size_t size) {
  const auto count = static_cast<Eigen::Index>(size);
  Eigen::SparseMatrix<double> matrix(count, count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Errors of the file's inertias: by the metric, and in proportion to the size of bodies.
void add_bodies(const ParameterLayout& layout, const Curvatures& curvature, const Prior& prior,
                const Eigen::VectorXd& parameters, std::vector<ErrorSource>& sources) {
  Entries by_metric, by_size;
  for (const FreeBody& at : free_bodies(layout, curvature)) {
    const double share = prior.weight > 0 ? prior.weight_of(at.body) / prior.weight : 1;
    const Eigen::VectorXd unit =
        curvature.scale.segment<core::kNumParameters>(at.first).cwiseInverse();
    put(prior.weight * error_covariance(layout, curvature, prior, parameters, at), at.first,
        by_metric);
    const BodyParameters& reference = prior.references[static_cast<std::size_t>(at.body)];
    if (!(reference[core::kMass] > 0) || !(share > 0)) continue;
    put(unit.asDiagonal() * metric_covariance(ball_like(reference)) * unit.asDiagonal() / share,
        at.first, by_size);
  }
  for (const Entries* entries : {&by_metric, &by_size})
    if (!entries->empty())
      sources.push_back({sparse_square(*entries, curvature.free.size()), kStatedVariance});
}

/// Calls visit(place among the free parameters, column) for all free columns.
template <class Visit>
void for_free_columns(const ParameterLayout& layout, const Curvatures& curvature,
                      const Visit& visit) {
  for (std::size_t i = 0; i < curvature.free.size(); ++i)
    if (const int column = curvature.free[i] - layout.column_index(0); column >= 0)
      visit(static_cast<Eigen::Index>(i), layout.columns[static_cast<std::size_t>(column)]);
}

/// Constant errors of sensors, by their kind.
void add_sensors(const ParameterLayout& layout, const Curvatures& curvature,
                 std::vector<ErrorSource>& sources) {
  std::array<Entries, kKinds.size()> entries;
  for_free_columns(layout, curvature, [&](Eigen::Index at, const Column& column) {
    if (const auto deviation = stated_sensor_error(column))
      entries[static_cast<std::size_t>(kind_of(column) - kKinds.data())].emplace_back(
          static_cast<int>(at), static_cast<int>(at),
          std::pow(*deviation / curvature.scale[at], 2));
  });
  for (const Entries& of_kind : entries)
    if (!of_kind.empty())
      sources.push_back({sparse_square(of_kind, curvature.free.size()), 1, kStatedDegrees});
}

/// Shifts of other columns: their size, and the variance of gains.
struct OtherColumns {
  Eigen::VectorXd shift, variance;
};

OtherColumns other_columns(const ParameterLayout& layout, const Curvatures& curvature,
                           const Eigen::VectorXd& away) {
  OtherColumns others{Eigen::VectorXd::Zero(away.size()), Eigen::VectorXd::Zero(away.size())};
  for_free_columns(layout, curvature, [&](Eigen::Index at, const Column& column) {
    if (column.effect == ColumnEffect::gain)
      others.variance[at] = kGainWeight / curvature.prior(at, at);
    else if (!kind_of(column))
      others.shift[at] = away[at];
  });
  return others;
}

/// Variances of the sources from the distance between estimate and prior. `noise`: k above.
VarianceEstimate variances_of(const Curvatures& curvature, const std::vector<ErrorSource>& sources,
                              const OtherColumns& others, const Eigen::VectorXd& away,
                              double noise) {
  const Eigen::LLT<Eigen::MatrixXd> L(curvature.prior);
  Eigen::MatrixXd relative = curvature.both - curvature.prior;
  L.matrixL().solveInPlace(relative);
  relative.transposeInPlace();
  L.matrixL().solveInPlace(relative);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(relative);
  const Eigen::Index count = (solver.eigenvalues().array() >= kLeastSeen).count();
  const Eigen::VectorXd seen = solver.eigenvalues().tail(count);
  const Eigen::MatrixXd upper = L.matrixU();
  const Eigen::MatrixXd seen_of = (seen / noise).cwiseSqrt().asDiagonal() *
                                  (solver.eigenvectors().rightCols(count).transpose() * upper);
  const Eigen::VectorXd z =
      (1 + seen.array().inverse()).matrix().asDiagonal() * Eigen::VectorXd(seen_of * away);
  // what the other columns change may be anything
  const Eigen::VectorXd known = kKnown * others.shift.cwiseAbs2() + others.variance;
  Eigen::MatrixXd K = seen_of * known.asDiagonal() * seen_of.transpose();
  K.diagonal().array() += 1;
  const Eigen::LLT<Eigen::MatrixXd> root(K);
  const Eigen::MatrixXd whitened = root.matrixL().solve(seen_of);
  std::vector<VarianceComponent> components;
  for (const ErrorSource& source : sources) {
    const Eigen::MatrixXd moved = whitened * source.covariance;
    components.push_back(
        {wide_product(moved.transpose(), whitened.transpose()), source.stated, source.degrees});
  }
  return estimate_variances(root.matrixL().solve(z), components);
}

}  // namespace

std::optional<double> stated_sensor_error(const Column& column) {
  const SensorKind* kind = kind_of(column);
  return kind ? std::optional(kind->deviation) : std::nullopt;
}

Result<PriorOfFunctions> prior_of_whole(const ParameterLayout& layout,
                                        const NormalEquations& equations, const Prior& prior,
                                        const Eigen::VectorXd& parameters, double rows_worth_one,
                                        const Eigen::MatrixXd& rows) {
  HEFT_TRY(result, prior_of_functions(layout, equations, prior, parameters, rows_worth_one, rows));
  const double noise = rows_worth_one / equations.num_rows;
  if (!prior.has_weight() || !std::isfinite(noise) || !(noise > 0)) return result;
  HEFT_TRY(curvature, curvatures(layout, equations, prior));
  const Eigen::VectorXd away = distance_from_prior(layout, curvature, prior, parameters);
  std::vector<ErrorSource> sources;
  add_bodies(layout, curvature, prior, parameters, sources);
  add_sensors(layout, curvature, sources);
  const OtherColumns others = other_columns(layout, curvature, away);
  const auto [variances, spread] = variances_of(curvature, sources, others, away, noise);
  if (!variances.allFinite()) return result;
  const Eigen::MatrixXd scaled =
      curvature.scale.asDiagonal() * rows(Eigen::all, curvature.free).transpose();
  // S'c = W (D + W)^-1 c
  const Eigen::MatrixXd moved = curvature.prior * curvature.both.llt().solve(scaled);
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const Eigen::VectorXd of_error = moved.col(k);
    Eigen::VectorXd effect(variances.size());
    for (Eigen::Index i = 0; i < effect.size(); ++i)
      effect[i] = of_error.dot(sources[static_cast<std::size_t>(i)].covariance * of_error);
    const double estimated = effect.dot(variances), uncertain = effect.dot(spread * effect);
    const double known =
        std::pow(of_error.dot(others.shift), 2) + of_error.cwiseAbs2().dot(others.variance);
    result.deviations[k] = std::sqrt(std::max(estimated + known, 0.0));  // NaN stays NaN
    // degrees of a variance whose estimate has this variance
    if (!(uncertain > 0)) continue;
    const double degrees = 2 * estimated * estimated / uncertain;
    result.degrees = k == 0 ? degrees : std::min(result.degrees, degrees);
  }
  return result;
}

}  // namespace heft
