#include "readings.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "methods.hpp"

namespace heft::payload {

namespace {

constexpr double kWell = 0.01;           // share of the power that may be left of a log that is read rightly
constexpr double kBetterReading = 0.25;  // of what is left as it was read

/// The larger share of force's and torque's power that no body explains, biases apart; 1 if even the mass is negative.
double left_of(const WrenchSamples& all, const PayloadOptions& options) {
  WrenchSamples samples = all;
  if (samples.moves && options.lowpass_hz > 0)
    if (auto passed = low_passed(all, options.lowpass_hz)) samples = std::move(*passed);
  const auto fit = least_squares_of(sums_of(samples, options.bias));
  if (!fit || !(fit->x[core::kMass] > 0)) return 1;
  const Eigen::ArrayXXd left = residuals_of(samples, options.bias, fit->x);
  const Eigen::ArrayXXd whole = residuals_of(samples, options.bias, BodyParameters::Zero());
  double largest = 0;
  for (int part = 0; part < 2; ++part) {
    const double power = whole.middleCols(3 * part, 3).square().sum();
    if (power > 0) largest = std::max(largest, left.middleCols(3 * part, 3).square().sum() / power);
  }
  return largest;
}

struct Reading {
  SensorOptions sensor;
  std::string words, yaml;
};

std::vector<Reading> others(const SensorOptions& given) {
  std::vector<Reading> readings;
  const std::pair<WrenchFrame, const char*> frames[] = {
      {WrenchFrame::sensor, "the wrench is in the sensor's axes"},
      {WrenchFrame::base, "the wrench is in the axes of the base"},
      {WrenchFrame::base_origin,
       "the wrench is in the axes of the base, and its torque about the base's origin"}};
  for (const auto& [frame, words] : frames)
    for (const double sign : {given.sign, -given.sign}) {
      if (frame == given.wrench_frame && sign == given.sign) continue;
      Reading reading{given, words, std::string("payload.wrench_frame: ") + enum_name(frame)};
      reading.sensor.wrench_frame = frame, reading.sensor.sign = sign;
      if (sign != given.sign) {
        reading.words += ", and what the payload exerts on the sensor";
        reading.yaml += std::string(", payload.sign: ") + (sign > 0 ? "1" : "-1");
      }
      if (frame != given.wrench_frame) readings.push_back(std::move(reading));
    }
  return readings;
}

}  // namespace

std::optional<PayloadDoubt> better_reading(const WrenchSamples& samples, const PayloadOptions& options,
                                           const ReadAs& read) {
  const double now = left_of(samples, options);
  if (now < kWell) return {};
  double least = std::min(kBetterReading * now, 0.5);
  std::optional<PayloadDoubt> best;
  for (const Reading& reading : others(options.sensor)) {
    const auto other = read(reading.sensor);
    if (!other) continue;
    const double left = left_of(*other, options);
    if (!(left < least)) continue;
    least = left;
    best = PayloadDoubt{"wrench-frame", true,
                        reading.words + ": a body explains it then but for " +
                            number_text(100 * std::sqrt(left), 2) + " %, as it was read but for " +
                            number_text(100 * std::sqrt(now), 2) + " %",
                        "set " + reading.yaml};
  }
  return best;
}

}  // namespace heft::payload
