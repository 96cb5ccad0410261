#include "band_fit.hpp"

#include <algorithm>
#include <cmath>

#include "rows.hpp"

namespace heft::payload {

namespace {

constexpr int kManyWindows = 5;  // that tell by themselves how errors scatter

using Vectors = Eigen::Matrix<double, Eigen::Dynamic, 10>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// sum of v v' about their mean, of `count` that are independent.
Matrix10d scatter(const Vectors& vectors) {
  const auto count = static_cast<double>(vectors.rows());
  if (count < 2) return Matrix10d::Zero();
  const Vectors about = vectors.rowwise() - vectors.colwise().mean();
  return count / (count - 1) * about.transpose() * about;
}

/// Sums of Y_k'W e_k over every window, one a row.
Vectors window_scores(const Band& band, const Eigen::ArrayXXd& residuals, const Vector6d& weights,
                      int num_windows) {
  Vectors scores = Vectors::Zero(num_windows, 10);
  for (Eigen::Index k = 0; k < band.size(); ++k)
    scores.row(band.windows[static_cast<std::size_t>(k)]) +=
        (rows_of(band.rows.row(k)).transpose() * weights.cwiseProduct(residuals.row(k).matrix().transpose()))
            .transpose();
  return scores;
}

}  // namespace

std::optional<BandFit> fit_bands(const WrenchSamples& samples, BiasKind bias, double band_hz,
                                 const BodyParameters& start, const BodyParameters& answer) {
  constexpr int kPasses = 4;
  constexpr double kLeast = 1e-13;  // of a channel's power: below, residuals are rounding
  const auto bands = bands_of(samples, bias, band_hz);
  if (!bands) return {};
  const Band &fitted = bands->fitted, &beside = bands->beside;
  const Sums sums = fitted.sums();
  const double num_fitted = static_cast<double>(fitted.size() - bands->num_groups),
               num_beside = static_cast<double>(beside.size());
  BandFit fit{.x = start};
  fit.inverse.rank = 10;
  Matrix6 S = Matrix6::Zero();
  Eigen::ArrayXXd residuals;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double free =
        num_fitted - fit.inverse.rank / 6.0;  // coefficients of a channel that no unknown takes
    if (!(free >= 1)) return {};
    residuals = fitted.residuals(fit.x);
    const Eigen::ArrayXXd noise = beside.residuals(fit.x);
    S = (residuals.matrix().transpose() * residuals.matrix() + noise.matrix().transpose() * noise.matrix()) /
        (free + num_beside);
    S.diagonal() = S.diagonal().cwiseMax(kLeast / num_fitted * sums.wrench2).cwiseMax(1e-300);
    fit.weights = S.diagonal().cwiseInverse();
    const Vector6d alone = residuals.square().colwise().sum().transpose().matrix() / free;
    const Vector6d larger = alone.cwiseProduct(fit.weights).cwiseMax(1).cwiseSqrt();
    S = (larger.asDiagonal() * S * larger.asDiagonal()).eval();
    const NormalEquations equations = normal_equations(sums, fit.weights);
    fit.inverse = inverse_of(equations);
    fit.x = fit.inverse.value * equations.b;
    fit.degrees = 6 * (free + num_beside);
  }
  if (!fit.x.allFinite()) return {};

  const Matrix6 WSW = fit.weights.asDiagonal() * S * fit.weights.asDiagonal();
  Matrix10d of_scores = Matrix10d::Zero();
  for (Eigen::Index k = 0; k < fitted.size(); ++k) {
    const payload::Rows Y = rows_of(fitted.rows.row(k));
    of_scores += Y.transpose() * WSW * Y;
  }
  Vectors shrinking(beside.size(), 10);
  for (Eigen::Index k = 0; k < beside.size(); ++k) {
    const payload::Rows dY = rows_of(beside.rows.row(k));
    shrinking.row(k) =
        (num_fitted / num_beside * (dY.transpose() * fit.weights.cwiseProduct(dY * answer))).transpose();
  }
  const Matrix10d& inverse = fit.inverse.value;
  fit.shrunk_by = inverse * shrinking.colwise().sum().transpose();
  fit.covariance = inverse * of_scores * inverse;
  const Matrix10d of_shrinking = inverse * scatter(shrinking) * inverse;
  if (bands->num_windows >= kManyWindows) {
    const Matrix10d of_windows =
        inverse * scatter(window_scores(fitted, fitted.residuals(fit.x), fit.weights, bands->num_windows)) *
        inverse;
    const BodyParameters more = of_windows.diagonal()
                                    .cwiseQuotient(fit.covariance.diagonal().cwiseMax(1e-300))
                                    .cwiseMax(1)
                                    .cwiseSqrt();
    fit.covariance = (more.asDiagonal() * fit.covariance * more.asDiagonal()).eval();
  }
  fit.covariance_if_shrunk = fit.covariance + of_shrinking;
  return fit;
}

}  // namespace heft::payload
