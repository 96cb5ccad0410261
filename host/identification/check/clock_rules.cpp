// Rules about the clock of a log.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "conditioning/sample_shifts.hpp"
#include "log_facts.hpp"
#include "readers/pause.hpp"

namespace heft::check {

namespace {

// count of the rows at which `is_odd(step)`, and the line of the first
struct Odd {
  long long count = 0;
  std::int64_t line = 1;
  double largest = 0;
};

template <class Test>
Odd odd_steps(const RawLog& raw, const Test& is_odd) {
  Odd odd;
  for (Eigen::Index k = 1; k < raw.num_rows(); ++k) {
    const double step = raw.time[k] - raw.time[k - 1];
    if (!is_odd(step)) continue;
    if (odd.count++ == 0) odd.line = raw.line[static_cast<std::size_t>(k)];
    odd.largest = std::max(odd.largest, std::abs(step));
  }
  return odd;
}

}  // namespace

MaybeLogEvidence rows_foreign(const LogFacts& log) {
  const ForeignRows& foreign = log.raw.foreign;
  if (foreign.rows.empty()) return {};
  const auto rows = static_cast<double>(foreign.count),
             share = rows / (rows + static_cast<double>(log.raw.num_rows()));
  const bool is_zero =
      foreign.rows.size() == 1 && (foreign.rows[0] == 0 || foreign.rows[0].isNaN()).all();
  LogEvidence evidence{
      fmt::format(
          "{} of {} rows come from another source: {} in every column but the time, while the rows "
          "around them agree with each other",
          foreign.count, foreign.count + log.raw.num_rows(),
          is_zero ? "they are 0" : "they repeat the same numbers"),
      rows,
      "1",
      "log only one publisher; or add to the configuration: log: {drop_damaged: true}",
      foreign.first_line,
      share};
  evidence.fix.yaml = "log: {drop_damaged: true}\n";
  return evidence;
}

MaybeLogEvidence time_missing(const LogFacts& log) {
  for (Eigen::Index k = 0; k < log.raw.num_rows(); ++k)
    if (std::isnan(log.raw.time[k]))
      return LogEvidence{"a row without a time", 0, "s", "correct or delete the line",
                         log.raw.line[static_cast<std::size_t>(k)]};
  return {};
}

MaybeLogEvidence time_backwards(const LogFacts& log) {
  const Odd odd = odd_steps(log.raw, [](double step) { return step < 0; });
  if (odd.count == 0) return {};
  return LogEvidence{
      fmt::format("time goes backwards at {} of the steps, by up to {:.3g} s", odd.count,
                  odd.largest),
      odd.largest, "s",
      "if a second recording starts there, split the file; otherwise the stamps come from two "
      "clocks or were rounded when written: log the controller's time",
      odd.line};
}

MaybeLogEvidence time_repeated(const LogFacts& log) {
  const Odd odd = odd_steps(log.raw, [](double step) { return step == 0; });
  if (odd.count == 0) return {};
  return LogEvidence{fmt::format("{} stamps repeat the previous row and are not used", odd.count),
                     static_cast<double>(odd.count), "1",
                     "write stamps with more decimals, or log every sample once", odd.line};
}

MaybeLogEvidence time_quantized(const LogFacts& log) {
  const ClockReport& clock = log.raw.clock;
  if (clock.state != ClockState::uncertain) return {};
  const std::string rate = fmt::format("{:.4g}", 1 / clock.period_s);
  LogEvidence evidence{
      fmt::format(
          "stamps are multiples of {:.3g} ms, but rows arrive every {:.3g} ms, and no uniform "
          "clock fits them: rows are lost, and the stamps do not show which",
          1e3 * clock.step_s, 1e3 * clock.period_s),
      clock.step_s, "s",
      fmt::format(
          "log stamps in float64 or integer nanoseconds; if few rows are lost, set log.rate_hz: {} (the "
          "controller's rate) to count rows instead",
          rate),
      std::max<std::int64_t>(clock.line, 1)};
  evidence.fix.yaml = fmt::format("log: {{rate_hz: {}}}\n", rate);
  return evidence;
}

/// Whether stamps are 0, 1, 2, .. without a gap, as of row numbers or of a log of 1 kHz in ms.
bool is_counter(const Eigen::ArrayXd& stamps) {
  const Eigen::Index steps = stamps.size() - 1;
  return (stamps.tail(steps) - stamps.head(steps) == 1).all();
}

MaybeLogEvidence time_in_milliseconds(const LogFacts& log) {
  constexpr double kLongest = 0.5;  // [s] between samples of a log worth the name
  const double step = log.raw.median_step;
  const std::string& named = log.options.log.time_unit;
  double scale = log.options.log.time_scale;
  if (!(step >= kLongest)) return {};
  struct Unit {
    const char *words, *name;
    double seconds;
  };
  constexpr Unit kUnits[] = {
      {"milliseconds", "ms", 1e-3}, {"microseconds", "us", 1e-6}, {"nanoseconds", "ns", 1e-9}};
  // the stamps may be scaled already: what counts is what one unit of them is
  const char* const rest = scale == 1 ? "" : " and remove log.time_scale";
  for (const Unit& unit : kUnits)
    if (named == unit.name) scale *= unit.seconds;
  for (const Unit& unit : kUnits)
    if (step / scale * unit.seconds < kLongest) {
      const bool may_count_rows = step / scale == 1 && is_counter(log.raw.time / scale);
      LogEvidence evidence{
          fmt::format("a sample every {:.3g} s: the stamps are in {}{}", step, unit.words,
                      may_count_rows ? ", or count the rows" : ""),
          step, "s",
          fmt::format("set log.time_unit: {}{}{}", unit.name, rest,
                      may_count_rows
                          ? "; or, if they count the rows, log.rate_hz to the rows per second"
                          : "")};
      if (*rest == 0) evidence.fix.yaml = fmt::format("log: {{time_unit: {}}}\n", unit.name);
      return evidence;
    }
  return LogEvidence{fmt::format("a sample every {:.3g} s", step), step, "s",
                     "set log.time_scale to the seconds of one unit of the time column"};
}

MaybeLogEvidence time_gap(const LogFacts& log) {
  const Odd odd =
      odd_steps(log.raw, [&](double step) { return step > kPauseInSteps * log.raw.median_step; });
  if (odd.count == 0) return {};
  return LogEvidence{
      fmt::format("{} gap{}, the longest {:.3g} s, with a sample every {:.3g} ms", odd.count,
                  odd.count == 1 ? "" : "s", odd.largest, 1e3 * log.raw.median_step),
      odd.largest, "s", "only the rows around a gap are lost; check for a full buffer", odd.line};
}

// Steps that are a whole number of periods are lost samples; what is in between is jitter.
MaybeLogEvidence time_jitter(const LogFacts& log) {
  constexpr double kOff = 0.1, kShare = 0.02;  // of a period; of the steps
  const double period = log.raw.median_step;
  const Odd odd = odd_steps(log.raw, [&](double step) {
    return step > 0 && step <= kPauseInSteps * period &&
           std::abs(step / period - std::round(step / period)) > kOff;
  });
  const double share = static_cast<double>(odd.count) / static_cast<double>(log.raw.num_rows());
  if (!(share > kShare)) return {};
  return LogEvidence{
      fmt::format("{:.0f} % of the steps are off the period of {:.3g} ms by more than {:.0f} %, "
                  "up to {:.3g} ms",
                  100 * share, 1e3 * period, 100 * kOff, 1e3 * odd.largest),
      share, "1",
      fmt::format("log the controller's own clock; or set conditioning.resample_hz: {:.0f}",
                  1 / period),
      odd.line};
}

namespace {

/// Whether the noise of the accelerations that is left below the cutoff shows beside a motion of
/// the same velocity.
bool shows_below(double cutoff_hz, const CommonShift& common) {
  constexpr double kShows = 0.15;  // [1/s], of an acceleration over a velocity
  const double below_cutoff = common.rms * std::sqrt(std::min(1.0, 2 * cutoff_hz * common.period));
  const double omega = 2 * std::numbers::pi * cutoff_hz;
  return below_cutoff * omega * omega / std::sqrt(5.0) > kShows;
}

}  // namespace

// Noise of the positions that one time shift a row explains in all joints at once.
MaybeLogEvidence stamps_late(const LogFacts& log) {
  if (log.options.log.retime != Retiming::none) return {};
  std::vector<int> moving;
  for (const JointLog& joint : log.joints)
    if (joint.moves) moving.push_back(joint.joint);
  Eigen::ArrayXXd position(log.raw.num_rows(), std::ssize(moving));
  for (Eigen::Index k = 0; k < position.cols(); ++k)
    position.col(k) = log.raw.position(moving[static_cast<std::size_t>(k)]);
  const auto common = find_common_shift(log.raw.time, position);
  if (!common || !common->is_found() || !shows_below(log.options.conditioning.lowpass_hz, *common))
    return {};
  LogEvidence evidence{
      fmt::format(
          "rows were not sampled at the times of their stamps: one time shift per row, {:.2g} ms "
          "rms (a latency from 0 to {:.2g} ms, with a row every {:.3g} ms), explains {:.0f} % "
          "or more of the noise in the positions of {} of {} joints",
          1e3 * common->rms, 1e3 * std::sqrt(12.0) * common->rms, 1e3 * common->period,
          std::floor(100 * common->least_explained()), common->num_agreeing, common->num_joints),
      common->rms, "s",
      "add to the configuration: log: {retime: auto}, or a lower conditioning.lowpass_hz (auto chooses "
      "one); "
      "better, log the controller's own time of each sample"};
  evidence.fix.yaml = "log: {retime: auto}\n";
  return evidence;
}

MaybeLogEvidence rate_low(const LogFacts& log) {
  const double rate = 1 / log.raw.median_step;
  if (!(rate < 50) || time_in_milliseconds(log)) return {};
  return LogEvidence{fmt::format("{:.3g} samples per second: accelerations need more", rate), rate,
                     "Hz", "log at 100 Hz or more"};
}

MaybeLogEvidence log_short(const LogFacts& log) {
  const double duration = log.raw.time.maxCoeff() - log.raw.time.minCoeff();
  if (!(duration < 3)) return {};
  return LogEvidence{fmt::format("{:.2g} s of data", duration), duration, "s",
                     "log ten seconds or more of varied motion"};
}

MaybeLogEvidence log_cut(const LogFacts& log) {
  if (!log.raw.is_cut) return {};
  const auto num_rows = static_cast<double>(log.raw.num_rows());
  return LogEvidence{
      fmt::format("only the first {} rows are examined for gaps, spikes and similar faults",
                  log.raw.num_rows()),
      num_rows, "1", "split the log to examine all of it", log.raw.line.back()};
}

}  // namespace heft::check
