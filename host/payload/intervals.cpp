#include "intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random_stream.hpp"
#include "heft/signal/smoother.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "rows.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft::payload {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDraws = 200;            // flipped copies
constexpr Eigen::Index kLong = 20000;  // samples of a log whose ends do not count
constexpr double kAlike = 0.05;        // an autocorrelation below this is none
constexpr double kRankCut = 1e-12;     // of eigenvalues, which rounding leaves of nothing

/// 1 + 2 sum of the autocorrelation of a channel of one segment.
double correlation_length(const Eigen::Ref<const Eigen::ArrayXd>& residual) {
  const Eigen::Index n = residual.size();
  const double power = residual.square().sum();
  if (n < 4 || !(power > 0)) return 1;
  double length = 1;
  for (Eigen::Index lag = 1; lag < n / 4; ++lag) {
    const double share = (residual.head(n - lag) * residual.tail(n - lag)).sum() / power;
    if (share < kAlike) break;
    length += 2 * share;
  }
  return length;
}

/// Of the channel where it is largest, mean of the segments.
double largest_correlation_length(const Eigen::ArrayXXd& residuals, const WrenchSamples& samples) {
  double largest = 1;
  for (int c = 0; c < 6; ++c) {
    double sum = 0;
    for (const WrenchSamples::Segment& segment : samples.segments)
      sum += static_cast<double>(segment.size) *
             correlation_length(residuals.col(c).segment(segment.begin, segment.size));
    largest = std::max(largest, sum / static_cast<double>(samples.size()));
  }
  return largest;
}

/// A copy of the residuals whose blocks of `length` samples have signs by chance, all channels together.
Eigen::ArrayXXd flipped(const Eigen::ArrayXXd& residuals, const WrenchSamples& samples, Eigen::Index length,
                        RandomStream& random) {
  Eigen::ArrayXXd copy = residuals;
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const Eigen::Index end = segment.begin + segment.size;
    // the first block is cut by chance, so that no sample is always at an edge
    auto size = 1 + static_cast<Eigen::Index>(random.uniform() * static_cast<double>(length));
    for (Eigen::Index at = segment.begin; at < end; at += size, size = length) {
      size = std::min(size, end - at);
      if (random.uniform() < 0.5) copy.middleRows(at, size) *= -1;
    }
  }
  return copy;
}

/// Covariance of the error of least squares over flipped residuals; `inverse` is A^-1.
Result<Matrix10d> sign_flip_covariance(const AutomaticFit& fit, const WrenchSamples& raw, BiasKind bias,
                                       const Vector6d& weights, const Matrix10d& inverse) {
  WrenchSamples noise = raw;
  const Eigen::ArrayXXd residuals = residuals_of(raw, bias, fit.answer.x);
  const double alike = largest_correlation_length(residuals, raw);
  const auto length = static_cast<Eigen::Index>(alike > 1.5 ? std::ceil(2 * alike) : 1);
  RandomStream random(1);
  Matrix10d covariance = Matrix10d::Zero();
  for (int draw = 0; draw < kDraws; ++draw) {
    noise.wrench = flipped(residuals, raw, length, random);
    WrenchSamples filtered = noise;
    if (fit.lowpass_hz > 0) {
      HEFT_TRY(passed, low_passed(noise, fit.lowpass_hz));
      filtered = std::move(passed);
    }
    const BodyParameters error = inverse * normal_equations(sums_of(filtered, bias), weights).b;
    covariance += error * error.transpose() / kDraws;
  }
  return covariance;
}

/// What noise of the motion that is left after the low-pass does to least squares, A^-1 E[dY' W dY] x towards the truth: the noise
/// is as strong per hertz below the cut-off as above it, where it was taken away.
BodyParameters shrinkage(const AutomaticFit& fit, const WrenchSamples& raw, const Vector6d& weights,
                         const Matrix10d& inverse) {
  if (!raw.moves || !(fit.lowpass_hz > 0) || fit.samples.size() != raw.size()) return BodyParameters::Zero();
  WrenchSamples removed = raw;
  removed.motion -= fit.samples.motion;
  const double left = 1 / fit.filter_samples, share = left < 1 ? left / (1 - left) : 0;
  return share * (inverse * (normal_equations(sums_of(removed, BiasKind::none), weights).G * fit.answer.x));
}

/// Inverse of the information over what the rows see, and which parameters lie in directions that they leave open.
struct Inverse {
  Matrix10d value = Matrix10d::Zero();
  std::array<bool, 10> open = {};
};

Inverse inverse_of(const NormalEquations& equations) {
  const Eigen::VectorXd scale =
      equations.G.diagonal().unaryExpr([](double g) { return g > 0 ? 1 / std::sqrt(g) : 0.0; });
  const Matrix10d scaled = scale.asDiagonal() * equations.G * scale.asDiagonal();
  const SymmetricEigen<Eigen::Dynamic> eigen(scaled);
  Inverse inverse;
  BodyParameters open = BodyParameters::Zero();
  for (int k = 0; k < 10; ++k) {
    const double value = eigen.eigenvalues()[k];
    const BodyParameters v = eigen.eigenvectors().col(k);
    if (value > kRankCut * eigen.eigenvalues()[9])
      inverse.value += v * v.transpose() / value;
    else
      open += v.cwiseAbs2();
  }
  inverse.value = (scale.asDiagonal() * inverse.value * scale.asDiagonal()).eval();
  for (std::size_t k = 0; k < 10; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    inverse.open[k] = open[at] > 1e-6 || scale[at] == 0;
  }
  return inverse;
}

/// How an error of least squares is distributed: covariance, by how much its size is uncertain, and the quantile to take.
struct ErrorModel {
  Matrix10d covariance = Matrix10d::Zero();
  double spread = kInfinity, quantile = 0;

  double error_of(double variance) const {
    return std::isfinite(spread) ? std::sqrt(spread * std::max(variance, 0.0)) : kInfinity;
  }
};

/// t n / (n - p) A^-1, with t = `alike`.
ErrorModel student_model(const AutomaticFit& fit, double alike, const Inverse& inverse) {
  const double independent = fit.sums.num_rows() / alike;
  const double unknowns = 10 + 6 * fit.sums.num_groups - static_cast<double>(fit.data.unseen.cols());
  const double freedom = independent - unknowns;
  ErrorModel model{.covariance = alike * inverse.value};
  if (!(freedom > 0)) return model;
  model.spread = independent / freedom;
  model.quantile = student_quantile(0.975, std::max(freedom, 1.0));
  return model;
}

Intervals intervals_by(const AutomaticFit& fit, const Inverse& inverse, const ErrorModel& model,
                       const BodyParameters& shrunk_by) {
  const DataAlone data{
      .x = fit.data.x,
      .open = inverse.open,
      .error_of = [&](const BodyParameters& w) { return model.error_of(w.dot(model.covariance * w)); },
      .quantile = model.quantile,
      .shrunk_by = shrunk_by};
  return {intervals_about(data, fit.answer.x), {}};
}

/// A^-1 sum Y'W: what an offset that is not fitted does to least squares.
Eigen::Matrix<double, 10, 6> offset_effect(const AutomaticFit& fit, const Vector6d& weights,
                                           const Inverse& inverse) {
  return inverse.value *
         rows_of(Eigen::VectorXd(fit.samples.motion.colwise().sum().transpose())).transpose() *
         weights.asDiagonal();
}

/// Mass and first moment, of the error of least squares that a tool and its bias bring.
Matrix10d tool_covariance(const KnownTool& tool, const Eigen::Matrix<double, 10, 6>& effect) {
  Matrix10d map = Matrix10d::Zero();
  map.topLeftCorner<4, 4>().setIdentity();
  map.rightCols<6>() = effect;
  return map * tool.covariance * map.transpose();
}

/// The answer as what a later run knows to be on the sensor. `own`: covariance of x without what a tool brings.
std::optional<KnownTool> tool_of(const AutomaticFit& fit, const PayloadOptions& options, const Matrix10d& own,
                                 const Inverse& inverse, const Eigen::Matrix<double, 10, 6>& effect) {
  if (inverse.open[0] || inverse.open[1] || inverse.open[2] || inverse.open[3] || !own.allFinite()) return {};
  KnownTool tool = options.sensor.tool.value_or(KnownTool{});
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();
  covariance.topLeftCorner<4, 4>() = own.topLeftCorner<4, 4>();
  if (options.bias == BiasKind::none) {
    const Eigen::Matrix<double, 6, 6> of_bias = tool.covariance.bottomRightCorner<6, 6>();
    const Eigen::Matrix<double, 4, 6> M = effect.topRows<4>();
    covariance.topLeftCorner<4, 4>() += M * of_bias * M.transpose();
    covariance.topRightCorner<4, 6>() = -M * of_bias;
    covariance.bottomRightCorner<6, 6>() = of_bias;
  } else {
    const Eigen::ArrayXXd biases = biases_of(fit.samples, options.bias, fit.answer.x);
    tool.bias += biases.bottomRows(1).transpose().matrix();
    tool.has_bias = true;
    const Rows mean = rows_of(Eigen::VectorXd(fit.samples.motion.colwise().mean().transpose()));
    covariance.topRightCorner<4, 6>() = -own.topRows<4>() * mean.transpose();
    covariance.bottomRightCorner<6, 6>() = mean * own * mean.transpose();
    const double independent = fit.sums.num_samples / correlation_samples(fit, options.bias);
    covariance.bottomRightCorner<6, 6>().diagonal() += fit.data.rms.cwiseAbs2() / independent;
  }
  covariance.bottomLeftCorner<6, 4>() = covariance.topRightCorner<4, 6>().transpose();
  tool.parameters += fit.answer.x;
  tool.covariance = covariance;
  return tool;
}

}  // namespace

double filter_samples(const WrenchSamples& samples, double lowpass_hz) {
  const auto smoother = Smoother::make({}, lowpass_hz, filter_rate(samples), "");
  if (!smoother) return 1;
  const int n = 2 * smoother->reach() + smoother->min_samples();
  Eigen::ArrayXd impulse = Eigen::ArrayXd::Zero(n), scratch;
  impulse[n / 2] = 1;
  smoother->apply(impulse, scratch);
  return std::max(1.0, 1 / impulse.square().sum());
}

double correlation_samples(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x) {
  return largest_correlation_length(residuals_of(samples, bias, x), samples);
}

double correlation_samples(const AutomaticFit& fit, BiasKind bias) {
  if (!fit.samples.moves) return 1;
  return std::max(correlation_samples(fit.samples, bias, fit.data.x), fit.filter_samples);
}

Intervals student_intervals(const AutomaticFit& fit, double alike) {
  const Inverse inverse = inverse_of(normal_equations(fit.sums, inverse_squares(fit.data.rms)));
  return intervals_by(fit, inverse, student_model(fit, alike, inverse), BodyParameters::Zero());
}

Intervals intervals_of(const AutomaticFit& fit, const WrenchSamples& raw, const PayloadOptions& options) {
  const BiasKind bias = options.bias;
  const Vector6d weights = inverse_squares(fit.data.rms);
  const Inverse inverse = inverse_of(normal_equations(fit.sums, weights));
  ErrorModel model = student_model(fit, correlation_samples(fit, bias), inverse);
  if (raw.moves && raw.size() < kLong && std::isfinite(model.spread))
    if (const auto found = sign_flip_covariance(fit, raw, bias, weights, inverse.value))
      model = {*found, 1, normal_quantile(0.975)};  // there are many residuals before the low-pass
  std::optional<KnownTool> as_tool;
  if (std::isfinite(model.spread)) {
    const Eigen::Matrix<double, 10, 6> effect = offset_effect(fit, weights, inverse);
    as_tool = tool_of(fit, options, model.spread * model.covariance, inverse, effect);
    if (options.sensor.tool)
      model.covariance +=
          tool_covariance(*options.sensor.tool, (bias == BiasKind::none ? 1.0 : 0.0) * effect) / model.spread;
  }
  Intervals intervals = intervals_by(fit, inverse, model, shrinkage(fit, raw, weights, inverse.value));
  intervals.as_tool = as_tool;
  return intervals;
}

}  // namespace heft::payload
