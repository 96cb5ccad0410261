#include "external_torque.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "heft/log/log.hpp"
#include "heft/signal/butterworth.hpp"
#include "rows/momentum.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

constexpr double kNormal = 1.482602218505602;  ///< standard deviation over median size, of normal noise

constexpr double kSettled = 2;   ///< periods of its bandwidth before the observer says anything of a segment
constexpr int kUnknownEnds = 4;  ///< periods of the filter at both ends of a segment of which it says nothing
constexpr double kHold = 0.1;  ///< [s] that an alarm stays: a residual that swings through zero is one alarm

using Sink = std::function<void(double time, const Eigen::VectorXd& external)>;

/// Conditioning in which every torque counts, at the full rate.
ConditioningOptions all_of(ConditioningOptions options) {
  options.keep_every = 1;
  options.dead_band.clear();
  options.torque_limit.clear();
  options.rows = "torque";
  return options;
}

/// The causal observer: second-order low-pass, sample after sample of a segment.
class CausalObserver {
 public:
  CausalObserver(const RegressorPlan& plan, const Eigen::VectorXd& parameters, double lowpass_hz)
      : plan_(plan), parameters_(parameters), lowpass_hz_(lowpass_hz) {}

  Result<Done> push(int segment, const Samples& block, const Sink& sink) {
    if (block.size() < 2) return Done{};
    if (segment != segment_) {
      segment_ = segment;
      num_seen_ = 0;
      const double step =
          (block.time[block.size() - 1] - block.time[0]) / static_cast<double>(block.size() - 1);
      step_ = step;
      if (!(lowpass_hz_ * step < 0.5))
        return Error{"--observer-hz", "is above half the rate of the log", "choose a lower one"};
      filter_ = butterworth_lowpass(2, lowpass_hz_ * step).front();
    }
    HEFT_TRY(balance, momentum_balance(plan_, block, parameters_));
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      const Eigen::ArrayXd momentum = balance.momentum.row(i),
                           rest = balance.rest.row(i) - block.torque.row(i);
      const Eigen::ArrayXd is_measured = (block.weight.row(i) != 0).cast<double>();
      if (num_seen_++ == 0) {
        start(momentum, rest);
      } else {
        // between the two samples: the difference of the momentum, the mean of the rest
        advance(is_measured * ((momentum - momentum_) / step_ + 0.5 * (rest + rest_)));
        momentum_ = momentum, rest_ = rest;
      }
      // the velocity of a sample is known one sample later, when the next position is
      if (static_cast<double>(num_seen_) * step_ * lowpass_hz_ > kSettled)
        sink(block.time[i] + step_, filtered_.matrix());
    }
    return Done{};
  }

 private:
  void start(const Eigen::ArrayXd& momentum, const Eigen::ArrayXd& rest) {
    momentum_ = momentum, rest_ = rest;
    filtered_ = first_ = second_ = Eigen::ArrayXd::Zero(momentum.size());
  }

  /// The filter's transposed direct form II.
  void advance(const Eigen::ArrayXd& input) {
    filtered_ = filter_.b0 * input + first_;
    first_ = filter_.b1 * input - filter_.a1 * filtered_ + second_;
    second_ = filter_.b2 * input - filter_.a2 * filtered_;
  }

  const RegressorPlan& plan_;
  const Eigen::VectorXd& parameters_;
  double lowpass_hz_;
  int segment_ = -1;
  std::int64_t num_seen_ = 0;
  double step_ = 0;
  Biquad filter_;
  Eigen::ArrayXd momentum_, rest_, filtered_, first_, second_;
};

/// Forward and backward through the torque's filter: what momentum rows leave over.
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
    external.col(c) = (block.weight.col(c) != 0).cast<double>() *
                      signal(Eigen::seqN(motion.first, block.size(), motion.step));
  }
  const Eigen::Index reach = kUnknownEnds * motion.lowpass.nan_radius(), last = motion.samples.size() - 1;
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    const Eigen::Index at = motion.first + i * motion.step;
    if (at >= reach && at <= last - reach) sink(block.time[i], external.row(i).matrix());
  }
  return Done{};
}

}  // namespace

Result<ExternalTorque> ExternalTorque::observe(const IdentifiedModel& model, const std::string& log_path,
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
  HEFT_TRY(summary, condition_log(log_path, plan.robot, plan.channels, model.configuration.log, conditioning,
                                  model.model.derived, on_block, [&](double read) { fraction = read; }));
  result.period_ = summary.sample_period_s;
  result.find_thresholds(model, options.threshold);
  return result;
}

void ExternalTorque::find_thresholds(const IdentifiedModel& model, double factor) {
  thresholds_.resize(static_cast<Eigen::Index>(channels_.size()));
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    const auto channel = static_cast<Eigen::Index>(k);
    std::vector<double> sizes;
    for (const Eigen::VectorXd& torque : torque_) sizes.push_back(std::abs(torque[channel]));
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    const double noise = sizes.empty() ? 0 : kNormal * *middle;
    thresholds_[channel] = factor * std::max(model.residual_rms[channels_[k]], noise);
  }
}

ExternalTorque::Reading ExternalTorque::at(double t) {
  for (; next_ < time_.size() && time_[next_] <= t + 1e-9; ++next_)
    if ((torque_[next_].cwiseAbs().array() > thresholds_.array()).any()) last_alarm_ = time_[next_];
  if (next_ == 0 || t - time_[next_ - 1] > 2 * period_) return {};
  return {torque_[next_ - 1], t - last_alarm_ <= kHold};
}

}  // namespace heft
