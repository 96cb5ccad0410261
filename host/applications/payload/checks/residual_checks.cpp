#include "residual_checks.hpp"

#include <cmath>

#include "base/number_text.hpp"
#include "samples/filtering.hpp"
#include "sums/sums.hpp"

namespace heft::payload {

namespace {

constexpr double kMaxShareLeft = 0.25;  // of the power of a part in its residual, of any kind
constexpr double kSystematic = 0.0225;  // the same below the low-pass, where noise is weak, and for
                                        // poses, which are averages
constexpr double kMoreThanNoise = 4;
constexpr double kBand = 5;  // [Hz], if the options have no low-pass

/// Sums of squares of one part of the wrench: of the residual and of the measurement.
struct ResidualPower {
  double residual = 0, total = 0;
  double share() const { return total > 0 ? residual / total : 0; }
};

ResidualPower residual_power(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x,
                             int part) {
  return {
      residuals_of(samples, bias, x).middleCols(3 * part, 3).square().sum(),
      residuals_of(samples, bias, BodyParameters::Zero()).middleCols(3 * part, 3).square().sum()};
}

std::string percent(double share) {
  return number_text(100 * std::sqrt(share), 2) + " %";
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_residuals(const WrenchSamples& samples,
                                                 const PayloadOptions& options,
                                                 const BodyParameters& answer) {
  static const char* const kParts[] = {"force", "torque"};
  std::vector<PayloadDoubt> doubts;
  std::optional<WrenchSamples> slow;
  const double band = options.lowpass_hz > 0 ? options.lowpass_hz : kBand;
  if (samples.moves)
    if (auto passed = low_passed(samples, band)) slow = std::move(*passed);
  for (int part = 0; part < 2; ++part) {
    const ResidualPower all = residual_power(samples, options.bias, answer, part);
    bool is_systematic = !samples.moves && samples.size() > 6 && all.share() > kSystematic;
    double share = all.share();
    if (slow) {
      const ResidualPower below = residual_power(*slow, options.bias, answer, part);
      const double in_band = 1 / filter_autocorrelation(samples, band);
      const double noise =
          in_band < 1 ? std::max(all.residual - below.residual, 0.0) * in_band / (1 - in_band) : 0;
      is_systematic = below.share() > kSystematic && below.residual > kMoreThanNoise * noise;
      if (is_systematic) share = below.share();
    }
    if (!is_systematic && all.share() < kMaxShareLeft) continue;
    const std::string explained = "the payload explains only " +
                                  number_text(100 * std::max(0.0, 1 - std::sqrt(share)), 2) +
                                  " % of the " + kParts[part];
    const std::string id = std::string("unexplained-") + kParts[part];
    if (is_systematic || !slow)
      doubts.push_back({id, true, explained + ": the remaining " + percent(share) + " is not noise",
                        "check that wrench and motion have the same frame and clock, the point "
                        "that the torque refers to, the units and the direction of gravity, and "
                        "that nothing touched or changed the payload"});
    else
      doubts.push_back({id, false, explained + ": the residual looks like noise",
                        "record longer, or move more: the payload is light for this "
                        "sensor"});
  }
  return doubts;
}

}  // namespace heft::payload
