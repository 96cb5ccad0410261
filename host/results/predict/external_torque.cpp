#include "external_torque.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/median.hpp"
#include "config/nominal_voltage.hpp"
#include "heft/log/log.hpp"
#include "heft/signal/smoother.hpp"
#include "rows/momentum.hpp"
#include "rows/unfiltered_motion.hpp"
#include "setup/match_clocks.hpp"

namespace heft {

namespace {

constexpr double kSettled = 2;  ///< periods of its bandwidth before the observer says anything of a
                                ///< segment
constexpr int kUnknownEnds = 4;  ///< periods of the filter at both ends of a segment of which it
                                 ///< says nothing
constexpr double kRaised = 3;    ///< times the identification's residual: this log's own is worth a
                                 ///< word
constexpr double kHold = 0.1;  ///< [s] that an alarm stays: a residual that swings through zero is
                               ///< one alarm

using Sink = std::function<void(double time, const Eigen::VectorXd& external)>;

/// Conditioning that keeps every torque at the full rate.
ConditioningOptions all_of(ConditioningOptions options) {
  options.keep_every = 1;
  options.dead_band.clear();
  options.torque_limit.clear();
  options.rows = "torque";
  return options;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The causal observer: second-order low-pass, sample after sample of a segment. A channel whose
/// torque is missing starts again when it comes back.
class CausalObserver {
 public:
  CausalObserver(const RegressorPlan& plan, const Eigen::VectorXd& parameters, double lowpass_hz)
      : plan_(plan), parameters_(parameters), lowpass_hz_(lowpass_hz) {}

  Result<Done> push(int segment, const Samples& block, const Sink& sink) {
    if (block.size() < 2) return Done{};
    if (segment != segment_) {
      segment_ = segment;
      segment_begins_ = block.time[0];
      num_seen_.setZero(plan_.num_channels());
      step_ =
          (block.time[block.size() - 1] - block.time[0]) / static_cast<double>(block.size() - 1);
      if (!(lowpass_hz_ * step_ < 0.5))
        return Error{"--observer-hz",
                     fmt::format("{:.3g} Hz is not below half the rate of the log, {:.3g} Hz",
                                 lowpass_hz_, 1 / step_),
                     "choose a lower cutoff; stamps that are not in seconds need log.time_scale"};
      filter_ = butterworth_lowpass(2, lowpass_hz_ * step_).front();
      start(plan_.num_channels());
    }
    HEFT_TRY(balance, momentum_balance(plan_, block, parameters_));
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      advance(balance.momentum.row(i), balance.rest.row(i) - block.torque.row(i),
              block.weight.row(i) != 0);
      // the velocity of a sample is known one sample later, when the next position is
      if ((block.time[i] - segment_begins_) * lowpass_hz_ > kSettled)
        sink(block.time[i] + step_, has_settled().select(filtered_, kNan).matrix());
    }
    return Done{};
  }

 private:
  using Values = Eigen::ArrayXd;
  using Flags = Eigen::Array<bool, Eigen::Dynamic, 1>;

  void start(Eigen::Index num_channels) {
    momentum_ = rest_ = filtered_ = first_ = second_ = Values::Zero(num_channels);
  }

  /// Whether each channel's torque has been available long enough.
  Flags has_settled() const { return num_seen_ * step_ * lowpass_hz_ > kSettled; }

  void advance(const Values& momentum, const Values& rest, const Flags& is_measured) {
    // between the two samples: the difference of the momentum, the mean of the rest
    const Flags goes_on = is_measured && num_seen_ > 0;
    const Values input = goes_on.select((momentum - momentum_) / step_ + 0.5 * (rest + rest_),
                                        Values::Zero(rest.size()));
    momentum_ = momentum, rest_ = rest;
    // the filter's transposed direct form II; where nothing goes on it is at rest
    filtered_ = goes_on.select(filter_.b0 * input + first_, 0.0);
    first_ = goes_on.select(filter_.b1 * input - filter_.a1 * filtered_ + second_, 0.0);
    second_ = goes_on.select(filter_.b2 * input - filter_.a2 * filtered_, 0.0);
    num_seen_ = is_measured.select(num_seen_ + 1, 0.0);
  }

  const RegressorPlan& plan_;
  const Eigen::VectorXd& parameters_;
  double lowpass_hz_;
  int segment_ = -1;
  double segment_begins_ = 0, step_ = 0;
  Values num_seen_;  ///< samples with torque, one after the other, by channel
  Biquad filter_;
  Values momentum_, rest_, filtered_, first_, second_;
};

/// False within `reach` samples of a weight that is zero.
Eigen::Array<bool, Eigen::Dynamic, 1> far_from_missing(
    const Eigen::Ref<const Eigen::ArrayXd>& weight, Eigen::Index reach) {
  Eigen::Array<bool, Eigen::Dynamic, 1> far =
      Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(weight.size(), true);
  Eigen::Index settled = 0;  // samples before this one are marked already
  for (Eigen::Index i = 0; i < weight.size(); ++i) {
    if (weight[i] != 0) continue;
    const Eigen::Index first = std::max(settled, i - reach),
                       end = std::min(weight.size(), i + reach + 1);
    if (end > first) far.segment(first, end - first) = false;
    settled = end;
  }
  return far;
}

/// Filters forward and backward with the torque's filter: the residual of momentum rows.
Result<Done> push_zero_phase(const RegressorPlan& plan, const Eigen::VectorXd& parameters,
                             const Samples& block, const Sink& sink) {
  const UnfilteredMotion& motion = *block.unfiltered;
  HEFT_TRY(balance, momentum_balance(plan, motion.samples, parameters));
  const double step = (motion.samples.time[motion.samples.size() - 1] - motion.samples.time[0]) /
                      static_cast<double>(motion.samples.size() - 1);
  Eigen::ArrayXXd external(block.size(), plan.num_channels());
  Eigen::ArrayXd signal, scratch;
  for (int c = 0; c < plan.num_channels(); ++c) {
    differentiate(balance.momentum.col(c), step, signal);
    signal += balance.rest.col(c) - motion.samples.torque.col(c);
    motion.lowpass.apply(signal, scratch);
    const Eigen::ArrayXd kept = signal(Eigen::seqN(motion.first, block.size(), motion.step));
    external.col(c) =
        far_from_missing(block.weight.col(c), motion.lowpass.nan_radius()).select(kept, kNan);
  }
  const Eigen::Index reach = kUnknownEnds * motion.lowpass.nan_radius(),
                     last = motion.samples.size() - 1;
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    const Eigen::Index at = motion.first + i * motion.step;
    if (at >= reach && at <= last - reach) sink(block.time[i], external.row(i).matrix());
  }
  return Done{};
}

/// Error of an observer without output for a log.
Error never_settles(const ExternalTorqueOptions& options, double duration_s) {
  const std::string log_is = fmt::format("the log is {:.3g} s long", duration_s);
  if (options.mode == ObserverMode::causal)
    return Error{"--observer-hz",
                 fmt::format("leaves no output: the observer needs {:.3g} s to settle, and {}",
                             kSettled / options.lowpass_hz, log_is),
                 fmt::format("choose more than {:.3g} Hz, or a longer log", kSettled / duration_s)};
  return Error{
      "--external-torque=zero_phase",
      "leaves no output: its filter needs more time on both sides of a sample, and " + log_is,
      "use a longer log, or the causal observer"};
}

}  // namespace

Result<ExternalTorque> ExternalTorque::observe(const IdentifiedModel& model, const Log& log,
                                               const ExternalTorqueOptions& options,
                                               const Progress& progress) {
  const RegressorPlan& plan = *model.model.plan;
  ExternalTorque result;
  for (int c = 0; c < plan.num_channels(); ++c)
    if (plan.channels[c].coordinate >= 0) result.channels_.push_back(c);
  const Sink sink = [&](double time, const Eigen::VectorXd& external) {
    result.time_.push_back(time);
    result.torque_.emplace_back(external(result.channels_));
  };
  ConditioningOptions conditioning = all_of(model.configuration.conditioning);
  const bool is_causal = options.mode == ObserverMode::causal;
  if (is_causal) {
    conditioning.filter = FilterKind::none;
    conditioning.trim.reset();
    conditioning.filter_rows = false;
  } else {
    conditioning.rows = "momentum";
    conditioning.filter_rows = true;
  }
  CausalObserver observer(plan, model.parameters, options.lowpass_hz);
  double fraction = 0;
  const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
    HEFT_CHECK(report_progress(progress, "observing momentum", fraction));
    return is_causal ? observer.push(segment, block, sink)
                     : push_zero_phase(plan, model.parameters, block, sink);
  };
  HEFT_TRY(matched,
           match_clocks({log}, plan.robot, plan.channels, model.configuration.log, conditioning));
  HEFT_TRY(logs, config::at_nominal_voltage(model.configuration, plan.robot, plan.channels,
                                            std::move(matched.logs)));
  const DerivedSignals derived = model.model.derived_of(log.name());
  HEFT_TRY(summary, condition_log(
                        logs.front(),
                        {plan.robot, plan.channels, model.configuration.log, conditioning, derived},
                        on_block, [&](double read) { fraction = read; }));
  if (result.time_.empty()) return never_settles(options, summary.duration_s);
  result.period_ = summary.sample_period_s;
  result.find_thresholds(model, options.threshold);
  return result;
}

void ExternalTorque::find_thresholds(const IdentifiedModel& model, double factor) {
  thresholds_.resize(static_cast<Eigen::Index>(channels_.size()));
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    const auto channel = static_cast<Eigen::Index>(k);
    std::vector<double> sizes;
    for (const Eigen::VectorXd& torque : torque_)
      if (!std::isnan(torque[channel])) sizes.push_back(std::abs(torque[channel]));
    const double noise = kDeviationOverMad * median(std::move(sizes));
    const double residual = model.residual_rms[channels_[k]];
    thresholds_[channel] = factor * std::max(residual, noise);
    if (noise > kRaised * residual) raised_.emplace_back(channels_[k], noise / residual);
  }
}

ExternalTorque::Reading ExternalTorque::at(double t) {
  for (; next_ < time_.size() && time_[next_] <= t + 1e-9; ++next_)
    if ((torque_[next_].cwiseAbs().array() > thresholds_.array()).any()) last_alarm_ = time_[next_];
  if (next_ == 0 || t - time_[next_ - 1] > 2 * period_) return {};
  return {torque_[next_ - 1], t - last_alarm_ <= kHold};
}

}  // namespace heft
