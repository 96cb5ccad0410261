#include "filtering.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/likely_time_unit.hpp"
#include "base/number_text.hpp"

namespace heft::payload {

double filter_rate(const WrenchSamples& samples) {
  const double rate = rate_of(samples);
  if (!(rate > 0) || !std::isfinite(rate)) return rate;
  const double digits = std::pow(10, 8 - std::floor(std::log10(rate)));
  return std::round(rate * digits) / digits;
}

namespace {

std::string remedy_of_high_cutoff(double rate_hz) {
  const std::string filter = "set payload.lowpass_hz lower, or 0 for none";
  const std::string unit = likely_time_unit(rate_hz);
  if (unit.empty()) return filter + "; time is in seconds";
  return "time is in seconds: if the stamps are in " + unit + ", divide them by " +
         number_text(units_per_second(unit)) + ", which makes the rate " +
         number_text(rate_hz * units_per_second(unit), 4) + " Hz; otherwise " + filter;
}

}  // namespace

Result<Smoother> low_pass_of(double cutoff_hz, double rate_hz) {
  auto made = Smoother::make({}, cutoff_hz, rate_hz, "payload.lowpass_hz");
  if (made) return made;
  const bool is_low = cutoff_hz < rate_hz / 2;
  const std::string hertz = number_text(cutoff_hz) + " Hz ",
                    of_log = number_text(rate_hz, 4) + " Hz";
  return Error{"payload.lowpass_hz",
               is_low ? hertz + "is too low for a log of " + of_log +
                            ": the filter would need more samples than fit in memory"
                      : hertz + "is not below half the log's rate of " + of_log,
               is_low ? "set payload.lowpass_hz higher (5 is the default), or 0 for none"
                      : remedy_of_high_cutoff(rate_hz)};
}

double filter_autocorrelation(const WrenchSamples& samples, double lowpass_hz) {
  const auto smoother = Smoother::make({}, lowpass_hz, filter_rate(samples), "");
  if (!smoother) return 1;
  const int n = 2 * smoother->reach() + smoother->min_samples();
  Eigen::ArrayXd impulse = Eigen::ArrayXd::Zero(n), scratch;
  impulse[n / 2] = 1;
  smoother->apply(impulse, scratch);
  return std::max(1.0, 1 / impulse.square().sum());
}

Result<SlowSamples> slow_samples(const WrenchSamples& samples, double lowpass_hz) {
  if (!samples.moves || !(lowpass_hz > 0)) return SlowSamples{samples};
  HEFT_TRY(passed, low_passed(samples, lowpass_hz));
  return SlowSamples{std::move(passed), filter_autocorrelation(samples, lowpass_hz)};
}

}  // namespace heft::payload
