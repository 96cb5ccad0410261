#include "intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sums/band_fit.hpp"
#include "sums/rows.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft::payload {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Eigen::Index kLong = 20000;  // samples of a log whose noise of the motion does not count
constexpr double kAlike = 0.05;        // smaller autocorrelations count as zero

/// 1 + 2 sum of the autocorrelation of a channel of one segment.
double autocorrelation_time(const Eigen::Ref<const Eigen::ArrayXd>& residual) {
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

/// The largest value over the channels, averaged over the segments.
double largest_autocorrelation_time(const Eigen::ArrayXXd& residuals,
                                    const WrenchSamples& samples) {
  double largest = 1;
  for (int c = 0; c < 6; ++c) {
    double sum = 0;
    for (const WrenchSamples::Segment& segment : samples.segments)
      sum += static_cast<double>(segment.size) *
             autocorrelation_time(residuals.col(c).segment(segment.begin, segment.size));
    largest = std::max(largest, sum / static_cast<double>(samples.size()));
  }
  return largest;
}

/// Least squares without a prior, and their error distribution: covariance, uncertainty of its
/// scale, and quantile.
struct DataFit {
  BodyParameters x = BodyParameters::Zero(), shrunk_by = BodyParameters::Zero();
  Vector6d weights = Vector6d::Zero();
  InformationInverse inverse;
  Matrix10d covariance = Matrix10d::Zero(), covariance_if_shrunk = Matrix10d::Zero();
  double spread = kInfinity, quantile = 0;

  bool is_sure() const { return std::isfinite(spread); }
  double error_of(double variance) const {
    return is_sure() ? std::sqrt(spread * std::max(variance, 0.0)) : kInfinity;
  }
};

/// Channels are weighted by their own scatter, which few samples determine poorly: upper bound of
/// the factor by which the variance of a mean of three exceeds the value from its weights [Meier
/// 1953]. `freedom`: of a channel.
double weights_spread(double freedom) {
  constexpr double kThreeAlike = 4 * 2.0 / 3;
  return freedom > kThreeAlike ? 1 + kThreeAlike / freedom : 1;
}

/// t n / (n - p) A^-1, with t = `autocorrelation`.
DataFit fit_by_sums(const AutomaticFit& fit, double autocorrelation) {
  DataFit data{.x = fit.data.x, .weights = inverse_squares(fit.data.rms)};
  data.inverse = inverse_of(normal_equations(fit.sums, data.weights));
  data.covariance = data.covariance_if_shrunk = autocorrelation * data.inverse.value;
  const double independent = fit.sums.num_rows() / autocorrelation;
  const double unknowns =
      10 + 6 * fit.sums.num_offsets - static_cast<double>(fit.data.unseen.cols());
  const double freedom = independent - unknowns;
  if (!(freedom > 0)) return data;
  data.spread = independent / freedom;
  // few samples share a weight
  if (fit.data.rms[0] != fit.data.rms[1])
    data.spread *= weights_spread(independent / 6 - fit.sums.num_offsets - 1);
  data.quantile = student_quantile(0.975, std::max(freedom, 1.0));
  return data;
}

/// Uses bands for short logs with motion, otherwise sums.
DataFit fit_of_data(const AutomaticFit& fit, const WrenchSamples& raw, BiasKind bias) {
  constexpr double kBand = 5;  // [Hz] of a log that is not low-passed
  const double band = fit.lowpass_hz > 0 ? fit.lowpass_hz : kBand;
  if (raw.moves && raw.size() < kLong)
    if (const auto bands = fit_bands(raw, bias, band, fit.data.x, fit.answer.x))
      return {bands->x,
              bands->shrunk_by,
              bands->weights,
              bands->inverse,
              bands->covariance,
              bands->covariance_if_shrunk,
              1,
              student_quantile(0.975, bands->degrees)};
  return fit_by_sums(fit, autocorrelation_samples(fit, bias));
}

Intervals intervals_by(const AutomaticFit& fit, const DataFit& data) {
  const DataAlone alone{
      .x = data.x,
      .open = data.inverse.open,
      .error_of =
          [&](const BodyParameters& w) { return data.error_of(w.dot(data.covariance * w)); },
      .quantile = data.quantile,
      .shrunk_by = data.shrunk_by,
      .error_if_shrunk =
          [&](const BodyParameters& w) {
            return data.error_of(w.dot(data.covariance_if_shrunk * w));
          }};
  return {intervals_about(alone, fit.answer.x), {}};
}

/// A^-1 sum Y'W over all samples: sensitivity of least squares to an offset that is not fitted.
/// `motion`: the sum of all rows of motion.
Eigen::Matrix<double, 10, 6> offset_effect(const Eigen::VectorXd& motion, const DataFit& data) {
  return data.inverse.value * rows_of(motion).transpose() * data.weights.asDiagonal();
}

/// Error of mass and first moment in least squares due to a tool and its bias.
Matrix10d tool_covariance(const KnownTool& tool, const Eigen::Matrix<double, 10, 6>& effect) {
  Matrix10d map = Matrix10d::Zero();
  map.topLeftCorner<4, 4>().setIdentity();
  map.rightCols<6>() = effect;
  return map * tool.covariance * map.transpose();
}

/// Adds the uncertainty of a known tool; that of its bias only if no other bias is fitted.
void add_tool_error(const PayloadOptions& options, const Eigen::Matrix<double, 10, 6>& effect,
                    DataFit& data) {
  if (!options.sensor.tool) return;
  const double share = options.bias == BiasKind::none ? 1 : 0;
  const Matrix10d of_tool = tool_covariance(*options.sensor.tool, share * effect) / data.spread;
  data.covariance += of_tool;
  data.covariance_if_shrunk += of_tool;
}

struct MeanRows {
  Rows rows;
  double num_samples = 0;
};

/// Sums of the samples that share the bias at the end of a log.
MeanRows mean_rows_of_last_group(const WrenchSamples& samples, BiasKind bias) {
  const std::vector<int> groups = bias_groups(samples, bias);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(WrenchSamples::kNumMotion);
  MeanRows mean;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (groups[k] != groups.back()) continue;
    const WrenchSamples::Segment& segment = samples.segments[k];
    sum +=
        samples.motion.middleRows(segment.begin, segment.size).colwise().sum().matrix().transpose();
    mean.num_samples += static_cast<double>(segment.size);
  }
  mean.rows = rows_of(Eigen::VectorXd(sum / mean.num_samples));
  return mean;
}

/// The result as the known tool of later runs. `own`: covariance of x without the contribution of a
/// tool.
std::optional<KnownTool> tool_of(const AutomaticFit& fit, const PayloadOptions& options,
                                 const Matrix10d& own, const InformationInverse& inverse,
                                 const Eigen::Matrix<double, 10, 6>& effect) {
  if (options.bias == BiasKind::drift)
    return {};  // a drifting offset cannot be reused in later runs
  if (inverse.open[0] || inverse.open[1] || inverse.open[2] || inverse.open[3] || !own.allFinite())
    return {};
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
    const MeanRows last = mean_rows_of_last_group(fit.samples, options.bias);
    covariance.topRightCorner<4, 6>() = -own.topRows<4>() * last.rows.transpose();
    covariance.bottomRightCorner<6, 6>() = last.rows * own * last.rows.transpose();
    const double independent = last.num_samples / autocorrelation_samples(fit, options.bias);
    covariance.bottomRightCorner<6, 6>().diagonal() += fit.data.rms.cwiseAbs2() / independent;
  }
  covariance.bottomLeftCorner<6, 4>() = covariance.topRightCorner<4, 6>().transpose();
  tool.parameters += fit.answer.x;
  tool.covariance = covariance;
  return tool;
}

}  // namespace

double autocorrelation_samples(const WrenchSamples& samples, BiasKind bias,
                               const BodyParameters& x) {
  return largest_autocorrelation_time(residuals_of(samples, bias, x), samples);
}

double autocorrelation_samples(const WrenchSamples& samples, const Eigen::ArrayXXd& residuals) {
  return largest_autocorrelation_time(residuals, samples);
}

double autocorrelation_samples(const AutomaticFit& fit, BiasKind bias) {
  if (!fit.samples.moves) return 1;
  return std::max(autocorrelation_samples(fit.samples, bias, fit.data.x),
                  fit.filter_autocorrelation);
}

Intervals student_intervals(const AutomaticFit& fit, const Eigen::VectorXd& motion,
                            double autocorrelation, const PayloadOptions& options) {
  DataFit data = fit_by_sums(fit, autocorrelation);
  if (data.is_sure()) add_tool_error(options, offset_effect(motion, data), data);
  return intervals_by(fit, data);
}

Intervals intervals_of(const AutomaticFit& fit, const WrenchSamples& raw,
                       const PayloadOptions& options) {
  DataFit data = fit_of_data(fit, raw, options.bias);
  std::optional<KnownTool> as_tool;
  if (data.is_sure()) {
    const Eigen::VectorXd motion = raw.motion.colwise().sum().matrix().transpose();
    const Eigen::Matrix<double, 10, 6> effect = offset_effect(motion, data);
    as_tool = tool_of(fit, options, data.spread * data.covariance_if_shrunk, data.inverse, effect);
    add_tool_error(options, effect, data);
  }
  Intervals intervals = intervals_by(fit, data);
  intervals.as_tool = as_tool;
  return intervals;
}

}  // namespace heft::payload
