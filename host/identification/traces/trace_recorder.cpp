#include "traces/trace_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "base/parallel_for.hpp"

namespace heft {

namespace {

constexpr int kDrawnParts = 3;            ///< measured, predicted, residual
constexpr int kBinsOfAllChannels = 6000;  ///< at most twice as many are drawn: what keeps the page
                                          ///< small
constexpr int kMinBins = 64, kMaxBins = 2048;
constexpr int kHistogramBins = 41;     ///< odd: one around zero
constexpr double kHistogramReach = 5;  ///< to either side, in rms errors
constexpr int kPostures = 48;
constexpr int kPointsOfAllChannels = 4200;  ///< of friction
constexpr int kMinPoints = 150, kMaxPoints = 600;
constexpr int kNumbersPerPoint = 3;  ///< speed, torque, fit

int num_bins(const RegressorPlan& plan, const FootSeries& feet) {
  const int num_drawn = plan.num_channels() + feet.num_series() / kDrawnParts;
  return std::clamp(kBinsOfAllChannels / std::max(1, num_drawn), kMinBins, kMaxBins);
}

int num_points(const RegressorPlan& plan) {
  return std::clamp(kPointsOfAllChannels / std::max(1, plan.num_channels()), kMinPoints,
                    kMaxPoints);
}

bool is_of_base(const Channel& channel) {
  return channel.coordinate < 0 && !channel.is_sensor;
}

}  // namespace

TraceRecorder::TraceRecorder(const RegressorPlan& plan, const Eigen::VectorXd& parameters,
                             const std::vector<double>& rms_errors, Backend& backend,
                             std::vector<FootSignals> feet)
    : plan_(plan),
      backend_(backend),
      contributions_(plan, parameters),
      feet_(std::move(feet)),
      envelopes_(plan.num_channels() * num_series_per_channel() + feet_.num_series(),
                 num_bins(plan, feet_)),
      spectrum_(plan.num_channels()),
      postures_(kPostures),
      friction_(num_points(plan)) {
  for (const double rms_error : rms_errors) {
    const double scale = rms_error > 0 ? rms_error : 1;
    histograms_.push_back({2 * kHistogramReach * scale / (kHistogramBins - 2),
                           std::vector<long long>(kHistogramBins, 0)});
  }
}

int TraceRecorder::num_series_per_channel() const {
  return kDrawnParts + static_cast<int>(contributions_.names().size()) + 1;
}

Result<Done> TraceRecorder::push(int segment, const Samples& block,
                                 const Eigen::ArrayXXd& predicted) {
  HEFT_TRY(parts, contributions_.split(block, predicted, backend_));
  const int stride = num_series_per_channel();
  const auto used = block.weight != 0;
  const Eigen::ArrayXXd nothing = Eigen::ArrayXXd::Constant(
      block.size(), plan_.num_channels(), std::numeric_limits<double>::quiet_NaN());
  const Eigen::ArrayXXd residual = used.select(block.torque - predicted, nothing);
  const Eigen::ArrayXXd known = block.known_torque.size() > 0
                                    ? block.known_torque
                                    : Eigen::ArrayXXd::Zero(block.size(), plan_.num_channels());
  has_known_torque_ = has_known_torque_ || block.known_torque.size() > 0;

  Eigen::ArrayXXd of_bodies = parts.front();  // the prediction without contacts
  for (std::size_t k = 1; k < parts.size(); ++k) of_bodies += parts[k];
  Eigen::ArrayXXd series(block.size(), plan_.num_channels() * stride + feet_.num_series());
  for (int c = 0; c < plan_.num_channels(); ++c) {
    Eigen::Index column = static_cast<Eigen::Index>(c) * stride;
    const bool is_base = is_of_base(plan_.channels[c]);
    // feet are known torques of the base, or contacts: what they exert against what bodies need
    const Eigen::ArrayXd added =
        is_base ? (of_bodies.col(c) - predicted.col(c)).eval() : known.col(c).eval();
    series.col(column++) = used.col(c).select(block.torque.col(c) + added, nothing.col(c));
    series.col(column++) = predicted.col(c) + added;
    series.col(column++) = residual.col(c);
    for (const Eigen::ArrayXXd& part : parts) series.col(column++) = part.col(c);
    series.col(column).setZero();
    if (!is_base) series.col(column) = known.col(c);
  }
  const Eigen::ArrayXXd of_feet = feet_.of(block, block.torque - of_bodies);
  series.rightCols(feet_.num_series()) = of_feet;
  const std::function<void()> recorders[] = {
      [&] { envelopes_.push(segment, block.time, series); },
      // a row that was not used has no residual; zero neither adds nor takes power
      [&] { spectrum_.push(segment, block.time, used.select(residual, 0 * predicted)); },
      [&] {
        count_residuals(residual);
        postures_.push(block.size(), [&](Eigen::Index i) {
          Eigen::RowVectorXd posture(block.position.cols() + 3 * feet_.num_feet());
          posture << block.position.row(i).matrix(), feet_.forces(of_feet.row(i)).matrix();
          return posture;
        });
        keep_friction(block, residual, parts);
      }};
  parallel_for(std::ssize(recorders), backend_.num_threads(),
               [&](std::int64_t k, int) { recorders[k](); });
  return Done{};
}

void TraceRecorder::keep_friction(const Samples& block, const Eigen::ArrayXXd& residual,
                                  const std::vector<Eigen::ArrayXXd>& parts) {
  const std::vector<std::string>& names = contributions_.names();
  const auto part = std::find(names.begin(), names.end(), Contributions::kFriction) - names.begin();
  if (part == std::ssize(names)) return;
  const Eigen::ArrayXXd& fit = parts[static_cast<std::size_t>(part)];
  friction_.push(block.size(), [&](Eigen::Index i) {
    Eigen::RowVectorXd points(kNumbersPerPoint * plan_.num_channels());
    for (int c = 0; c < plan_.num_channels(); ++c) {
      const int coordinate = plan_.channels[c].coordinate;
      points[kNumbersPerPoint * c] =
          coordinate < 0 ? std::numeric_limits<double>::quiet_NaN() : block.velocity(i, coordinate);
      points[kNumbersPerPoint * c + 1] = residual(i, c) + fit(i, c);
      points[kNumbersPerPoint * c + 2] = fit(i, c);
    }
    return points;
  });
}

FrictionPoints TraceRecorder::friction_of(int channel) const {
  FrictionPoints points;
  for (const Eigen::RowVectorXd& row : friction_.rows()) {
    const auto point = row.segment<kNumbersPerPoint>(kNumbersPerPoint * channel);
    if (!point.allFinite()) continue;
    points.speed.push_back(static_cast<float>(point[0]));
    points.torque.push_back(static_cast<float>(point[1]));
    points.fit.push_back(static_cast<float>(point[2]));
  }
  return points;
}

void TraceRecorder::count_residuals(const Eigen::ArrayXXd& residual) {
  for (int c = 0; c < plan_.num_channels(); ++c) {
    Histogram& histogram = histograms_[c];
    const double reach = kHistogramBins / 2;  // whole bins to either side of the middle one
    for (Eigen::Index i = 0; i < residual.rows(); ++i) {
      const double bins = residual(i, c) / histogram.bin_width;
      if (!std::isfinite(bins)) continue;
      ++histogram.counts[static_cast<std::size_t>(std::lround(std::clamp(bins, -reach, reach)) +
                                                  kHistogramBins / 2)];
    }
  }
}

Traces TraceRecorder::traces(bool held_out) {
  Traces traces{.held_out = held_out};
  envelopes_.write_axis(traces);
  traces.parts = contributions_.names();
  if (has_known_torque_) traces.parts.push_back("known torque");
  spectrum_.finish();
  traces.frequency_hz = spectrum_.frequencies();
  for (int c = 0; c < plan_.num_channels(); ++c) {
    int series = c * num_series_per_channel();
    ChannelTraces channel{.channel = plan_.channels[c].name,
                          .unit = plan_.channels[c].unit,
                          .is_base = is_of_base(plan_.channels[c])};
    channel.measured = envelopes_.envelope(series++);
    channel.predicted = envelopes_.envelope(series++);
    channel.residual = envelopes_.envelope(series++);
    for (std::size_t p = 0; p < traces.parts.size(); ++p)
      channel.parts.push_back(envelopes_.envelope(series++));
    channel.residuals = histograms_[c];
    channel.amplitude_density = spectrum_.density(c);
    channel.friction = friction_of(c);
    traces.channels.push_back(channel);
  }
  traces.feet = feet();
  traces.postures = postures(traces);
  return traces;
}

std::vector<FootTraces> TraceRecorder::feet() const {
  std::vector<FootTraces> feet;
  int series = plan_.num_channels() * num_series_per_channel();
  for (int foot = 0; foot < feet_.num_feet(); ++foot) {
    feet.push_back(feet_.description(foot));
    for (std::size_t k = 0; k < feet.back().components.size(); ++k)
      feet.back().wrench.push_back(envelopes_.envelope(series++));
    if (feet.back().is_measured) continue;
    feet.back().in_contact = envelopes_.envelope(series++);
    feet.back().in_contact_unwidened = envelopes_.envelope(series++);
  }
  return feet;
}

std::vector<Posture> TraceRecorder::postures(const Traces& traces) const {
  std::vector<Posture> postures;
  const Eigen::Index num_coordinates = plan_.robot.num_coordinates();
  for (std::size_t k = 0; k < postures_.rows().size(); ++k) {
    const Eigen::RowVectorXd& row = postures_.rows()[k];
    Posture posture{
        traces.time_s[static_cast<std::size_t>(postures_.index(k) / traces.samples_per_bin)],
        row.head(num_coordinates)};
    for (int foot = 0; foot < feet_.num_feet(); ++foot)
      posture.forces.emplace_back(row.segment<3>(num_coordinates + 3 * foot).transpose());
    postures.push_back(std::move(posture));
  }
  return postures;
}

}  // namespace heft
