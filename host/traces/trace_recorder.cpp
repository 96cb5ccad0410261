#include "traces/trace_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft {

namespace {

constexpr int kDrawnParts = 3;             ///< measured, predicted, residual
constexpr int kBinsOfAllChannels = 12000;  ///< at most twice as many are drawn: what keeps the page small
constexpr int kMinBins = 64, kMaxBins = 2048;
constexpr int kHistogramBins = 41;     ///< odd: one around zero
constexpr double kHistogramReach = 5;  ///< to either side, in rms errors

int num_bins(const RegressorPlan& plan) {
  return std::clamp(kBinsOfAllChannels / std::max(1, plan.num_channels()), kMinBins, kMaxBins);
}

}  // namespace

TraceRecorder::TraceRecorder(const RegressorPlan& plan, const Eigen::VectorXd& parameters,
                             const std::vector<double>& rms_errors, Backend& backend)
    : plan_(plan),
      backend_(backend),
      contributions_(plan, parameters),
      envelopes_(plan.num_channels() * num_series_per_channel(), num_bins(plan)),
      spectrum_(plan.num_channels()) {
  for (const double rms_error : rms_errors) {
    const double scale = rms_error > 0 ? rms_error : 1;
    histograms_.push_back(
        {2 * kHistogramReach * scale / (kHistogramBins - 2), std::vector<long long>(kHistogramBins, 0)});
  }
}

int TraceRecorder::num_series_per_channel() const {
  return kDrawnParts + static_cast<int>(contributions_.names().size()) + 1;
}

Result<Done> TraceRecorder::push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted) {
  HEFT_TRY(parts, contributions_.split(block, predicted, backend_));
  const int stride = num_series_per_channel();
  const auto used = block.weight != 0;
  const Eigen::ArrayXXd nothing =
      Eigen::ArrayXXd::Constant(block.size(), plan_.num_channels(), std::numeric_limits<double>::quiet_NaN());
  const Eigen::ArrayXXd residual = used.select(block.torque - predicted, nothing);
  const Eigen::ArrayXXd known = block.known_torque.size() > 0
                                    ? block.known_torque
                                    : Eigen::ArrayXXd::Zero(block.size(), plan_.num_channels());
  has_known_torque_ = has_known_torque_ || block.known_torque.size() > 0;

  Eigen::ArrayXXd series(block.size(), plan_.num_channels() * stride);
  for (int c = 0; c < plan_.num_channels(); ++c) {
    Eigen::Index column = static_cast<Eigen::Index>(c) * stride;
    series.col(column++) = used.col(c).select(block.torque.col(c) + known.col(c), nothing.col(c));
    series.col(column++) = predicted.col(c) + known.col(c);
    series.col(column++) = residual.col(c);
    for (const Eigen::ArrayXXd& part : parts) series.col(column++) = part.col(c);
    series.col(column) = known.col(c);
  }
  envelopes_.push(segment, block.time, series);
  // a row that was not used has no residual; zero neither adds nor takes power
  spectrum_.push(segment, block.time, used.select(residual, 0 * predicted));
  count_residuals(residual);
  return Done{};
}

void TraceRecorder::count_residuals(const Eigen::ArrayXXd& residual) {
  for (int c = 0; c < plan_.num_channels(); ++c) {
    Histogram& histogram = histograms_[c];
    for (Eigen::Index i = 0; i < residual.rows(); ++i) {
      const double bins = residual(i, c) / histogram.bin_width;
      if (!std::isfinite(bins)) continue;
      const double reach = kHistogramBins / 2;  // whole bins to either side of the middle one
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
    ChannelTraces channel{.channel = plan_.channels[c].name, .unit = plan_.channels[c].unit};
    channel.measured = envelopes_.envelope(series++);
    channel.predicted = envelopes_.envelope(series++);
    channel.residual = envelopes_.envelope(series++);
    for (std::size_t p = 0; p < traces.parts.size(); ++p)
      channel.parts.push_back(envelopes_.envelope(series++));
    channel.residuals = histograms_[c];
    channel.amplitude_density = spectrum_.density(c);
    traces.channels.push_back(channel);
  }
  return traces;
}

}  // namespace heft
