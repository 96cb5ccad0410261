#include "better_reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "changes.hpp"
#include "methods/methods.hpp"

namespace heft::payload {

namespace {

constexpr double kWell = 0.01;            // share of the power that a correctly read log may leave
constexpr double kHardlyAnything = 0.03;  // of many readings, one may fit by chance
constexpr double kBetterReading = 0.25;   // relative to the residual of the configured reading

/// The unexplained share of force or torque power, whichever is larger, after biases; 1 if the mass
/// is negative.
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
  std::string words, yaml, id = "wrench-frame";
};

/// Readings with the transposed orientation or another quaternion order, with either sign of the
/// wrench.
void add_orientations(const SensorOptions& given, LoggedRotation rotation,
                      std::vector<Reading>& readings) {
  if (rotation == LoggedRotation::none) return;
  for (const OrientationKind kind :
       {OrientationKind::sensor_to_world, OrientationKind::world_to_sensor})
    for (const QuaternionOrder order : {QuaternionOrder::xyzw, QuaternionOrder::wxyz})
      for (const double sign : {given.sign, -given.sign}) {
        const bool is_transposed = kind != given.orientation,
                   is_reordered = order != given.quaternion;
        if (!is_transposed && !is_reordered) continue;
        if (is_reordered && rotation != LoggedRotation::quaternion) continue;
        Reading reading{given, "", "", "orientation-transposed"};
        reading.sensor.orientation = kind, reading.sensor.quaternion = order,
        reading.sensor.sign = sign;
        if (is_transposed) {
          reading.words =
              kind == OrientationKind::world_to_sensor
                  ? "the orientation is world to sensor, the transpose of the expected one"
                  : "the orientation is sensor to world";
          reading.yaml = std::string("payload.orientation: ") + enum_name(kind);
        }
        if (is_reordered) {
          reading.words += std::string(is_transposed ? ", and " : "") +
                           "the columns of the quaternion hold " + enum_name(order);
          reading.yaml +=
              std::string(is_transposed ? ", " : "") + "payload.quaternion: " + enum_name(order);
        }
        if (sign != given.sign) {
          reading.words += ", and the wrench is the one that the payload exerts on the sensor";
          reading.yaml += std::string(", payload.sign: ") + (sign > 0 ? "1" : "-1");
        }
        readings.push_back(std::move(reading));
      }
}

std::vector<Reading> others(const SensorOptions& given, LoggedRotation rotation) {
  std::vector<Reading> readings;
  add_orientations(given, rotation, readings);
  const std::pair<WrenchFrame, const char*> frames[] = {
      {WrenchFrame::sensor, "the wrench is in the sensor's axes"},
      {WrenchFrame::base, "the wrench is in the axes of the base"},
      {WrenchFrame::base_origin,
       "the wrench is in the axes of the base, and its torque about the base's origin"}};
  for (const auto& [frame, words] : frames) {
    if (frame == given.wrench_frame) continue;  // refuse_hopeless handles a wrong sign alone
    for (const double sign : {given.sign, -given.sign}) {
      Reading reading{given, words, std::string("payload.wrench_frame: ") + enum_name(frame)};
      reading.sensor.wrench_frame = frame, reading.sensor.sign = sign;
      if (sign != given.sign) {
        reading.words += ", and is the one that the payload exerts on the sensor";
        reading.yaml += std::string(", payload.sign: ") + (sign > 0 ? "1" : "-1");
      }
      readings.push_back(std::move(reading));
    }
  }
  static const char* const kAxes = "xyz";
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {1, -1}) {
      const Eigen::Vector3d down = -sign * Eigen::Vector3d::Unit(axis);
      if (std::abs(down.dot(given.down)) > 0.5)
        continue;  // gravity reversed is equivalent to a reversed sensor
      std::string yaml = "payload.down: [";
      for (int k = 0; k < 3; ++k)
        yaml += std::string(k > 0 ? ", " : "") + (k == axis ? (sign > 0 ? "-1" : "1") : "0");
      Reading reading{given,
                      std::string("the ") + (sign > 0 ? "" : "negative ") + kAxes[axis] +
                          " axis of the world frame of r11..r33 points up",
                      yaml + "]", "gravity-axis"};
      reading.sensor.down = down;
      readings.push_back(std::move(reading));
    }
  return readings;
}

/// Calls visit(samples, "gz, gy, -gx") for all 46 permutations and sign changes of the gravity
/// columns except the identity and the full reversal, which is equivalent to a reversed sensor.
template <class Visit>
void for_mixed_gravities(const WrenchSamples& samples, const Visit& visit) {
  if (!samples.moves || samples.gravity.rows() != samples.size()) return;
  WrenchSamples mixed = samples;
  std::array<Eigen::Index, 3> order = {0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      std::string columns;
      for (Eigen::Index k = 0; k < 3; ++k) {
        const Eigen::Index from = order[static_cast<std::size_t>(k)];
        const bool is_negative = (signs >> k & 1) != 0;
        mixed.gravity.col(k) = (is_negative ? -1.0 : 1.0) * samples.gravity.col(from);
        columns += std::string(k > 0 ? ", " : "") + (is_negative ? "-g" : "g") + "xyz"[from];
      }
      mixed.motion.leftCols<3>() = samples.motion.leftCols<3>() + samples.gravity - mixed.gravity;
      if (columns != "gx, gy, gz" && columns != "-gx, -gy, -gz") visit(mixed, columns);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

/// The beginning of a long log, which suffices to determine the direction of gravity.
WrenchSamples beginning_of(const WrenchSamples& samples) {
  constexpr Eigen::Index kEnough = 10000;
  if (samples.size() <= kEnough || samples.segments.back().log != samples.segments.front().log)
    return samples;
  return samples_between(samples, samples.time[0], samples.time[kEnough]);
}

}  // namespace

std::optional<PayloadDoubt> better_reading(const WrenchSamples& samples,
                                           const PayloadOptions& options, LoggedRotation rotation,
                                           const ReadAs& read) {
  const double now = left_of(samples, options);
  if (now < kWell) return {};
  WrenchSamples reversed = samples;
  reversed.wrench = -reversed.wrench;
  // refuse_hopeless handles a wrong sign alone
  double least = std::min({kBetterReading * now, kBetterReading * left_of(reversed, options), 0.5});
  std::optional<PayloadDoubt> best;
  const auto look_at = [&](const WrenchSamples& other, const std::string& id,
                           const std::string& words, const std::string& remedy) {
    const double left = left_of(other, options);
    if (!(left < least)) return;
    least = left;
    best = PayloadDoubt{id, true,
                        words + ": with this reading a body explains all but " +
                            number_text(100 * std::sqrt(left), 2) +
                            " %, with the configured one all but " +
                            number_text(100 * std::sqrt(now), 2) + " %",
                        remedy};
  };
  for (const Reading& reading : others(options.sensor, rotation))
    if (const auto other = read(reading.sensor))
      look_at(*other, reading.id, reading.words, "set " + reading.yaml);
  if (best) return best;
  least = std::min(least, kHardlyAnything);
  for_mixed_gravities(
      beginning_of(samples), [&](const WrenchSamples& mixed, const std::string& columns) {
        look_at(mixed, "gravity-axis", "the axes of gx,gy,gz seem to be swapped or reversed",
                "write " + columns + " as gx, gy, gz, or write the orientation r11..r33 instead");
      });
  return best;
}

}  // namespace heft::payload
