#include "band_fit.hpp"

#include "rows.hpp"

namespace heft::payload {

namespace {

constexpr int kManyWindows = 5;  // enough to estimate the scatter of errors

using Vectors = Eigen::Matrix<double, Eigen::Dynamic, 10>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// sum of v v' about their mean, of `count` that are independent.
Matrix10d scatter(const Vectors& vectors) {
  const auto count = static_cast<double>(vectors.rows());
  if (count < 2) return Matrix10d::Zero();
  const Vectors about = vectors.rowwise() - vectors.colwise().mean();
  return count / (count - 1) * about.transpose() * about;
}

/// Sums of Y_k'W e_k, one row per window.
Vectors window_scores(const Band& band, const Eigen::ArrayXXd& residuals, const Vector6d& weights,
                      int num_windows) {
  Vectors scores = Vectors::Zero(num_windows, 10);
  for (Eigen::Index k = 0; k < band.size(); ++k)
    scores.row(band.windows[static_cast<std::size_t>(k)]) +=
        (rows_of(band.rows.row(k)).transpose() *
         weights.cwiseProduct(residuals.row(k).matrix().transpose()))
            .transpose();
  return scores;
}

/// Covariance of a coefficient's six channels, and weights of the channels before one of them
/// counts as noisier where it is fitted.
struct Noise {
  Matrix6 S = Matrix6::Zero();
  Vector6d weights = Vector6d::Zero();
};

/// Covariance of the residual of x. `free`: degrees of freedom of a channel.
Noise noise_of(const Bands& bands, const BodyParameters& x, double free, const Vector6d& least) {
  const Eigen::MatrixXd fitted = bands.fitted.residuals(x).matrix(),
                        beside = bands.beside.residuals(x).matrix();
  Noise noise;
  noise.S = (fitted.transpose() * fitted + beside.transpose() * beside) /
            (free + static_cast<double>(bands.beside.size()));
  noise.S.diagonal() = noise.S.diagonal().cwiseMax(least);
  noise.weights = noise.S.diagonal().cwiseInverse();
  const Vector6d alone = fitted.colwise().squaredNorm().transpose() / free;
  const Vector6d larger = alone.cwiseProduct(noise.weights).cwiseMax(1).cwiseSqrt();
  noise.S = (larger.asDiagonal() * noise.S * larger.asDiagonal()).eval();
  return noise;
}

/// A^-1 (sum Y_k'W S W Y_k) A^-1, or the scatter of the windows' scores if larger.
Matrix10d covariance_of(const Bands& bands, const BandFit& fit, const Matrix6& S) {
  const Matrix6 WSW = fit.weights.asDiagonal() * S * fit.weights.asDiagonal();
  Matrix10d of_scores = Matrix10d::Zero();
  for (Eigen::Index k = 0; k < bands.fitted.size(); ++k) {
    const payload::Rows Y = rows_of(bands.fitted.rows.row(k));
    of_scores += Y.transpose() * WSW * Y;
  }
  const Matrix10d& inverse = fit.inverse.value;
  const Matrix10d covariance = inverse * of_scores * inverse;
  if (bands.num_windows < kManyWindows) return covariance;
  const Matrix10d of_windows = inverse *
                               scatter(window_scores(bands.fitted, bands.fitted.residuals(fit.x),
                                                     fit.weights, bands.num_windows)) *
                               inverse;
  const BodyParameters more = of_windows.diagonal()
                                  .cwiseQuotient(covariance.diagonal().cwiseMax(1e-300))
                                  .cwiseMax(1)
                                  .cwiseSqrt();
  return more.asDiagonal() * covariance * more.asDiagonal();
}

/// dY_k'W dY_k x of the coefficients beside, one a row, times how many as strong ones are fitted.
Vectors shrinking(const Bands& bands, const Vector6d& weights, double num_fitted,
                  const BodyParameters& x) {
  const Band& beside = bands.beside;
  Vectors terms(beside.size(), 10);
  for (Eigen::Index k = 0; k < beside.size(); ++k) {
    const payload::Rows dY = rows_of(beside.rows.row(k));
    terms.row(k) = (dY.transpose() * weights.cwiseProduct(dY * x)).transpose();
  }
  return num_fitted / static_cast<double>(beside.size()) * terms;
}

}  // namespace

std::optional<BandFit> fit_bands(const WrenchSamples& samples, BiasKind bias, double band_hz,
                                 const BodyParameters& start, const BodyParameters& answer) {
  constexpr int kPasses = 4;
  constexpr double kLeast = 1e-13;  // of a channel's power: below, residuals are rounding
  const auto bands = bands_of(samples, bias, band_hz);
  if (!bands) return {};
  const Sums sums = bands->fitted.sums();
  const auto num_fitted = static_cast<double>(bands->fitted.size() - bands->num_offsets);
  const Vector6d least = (kLeast / num_fitted * sums.wrench2).cwiseMax(1e-300);
  BandFit fit{.x = start};
  fit.inverse.rank = 10;
  Noise noise;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double free = num_fitted - fit.inverse.rank / 6.0;
    if (!(free >= 1)) return {};
    noise = noise_of(*bands, fit.x, free, least);
    fit.weights = noise.weights;
    fit.degrees = 6 * (free + static_cast<double>(bands->beside.size()));
    const NormalEquations equations = normal_equations(sums, fit.weights);
    fit.inverse = inverse_of(equations);
    fit.x = fit.inverse.value * equations.b;
  }
  if (!fit.x.allFinite()) return {};
  fit.covariance = covariance_of(*bands, fit, noise.S);
  const Vectors terms = shrinking(*bands, fit.weights, num_fitted, answer);
  fit.shrunk_by = fit.inverse.value * terms.colwise().sum().transpose();
  fit.covariance_if_shrunk =
      fit.covariance + fit.inverse.value * scatter(terms) * fit.inverse.value;
  return fit;
}

}  // namespace heft::payload
