#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "model/units.hpp"
#include "position_readings.hpp"

namespace heft::check {

namespace {

constexpr double kWholeTurn = 2 * std::numbers::pi;
constexpr int kFewestBits = 10, kMostBits = 20;  ///< of an encoder within one turn
constexpr double kServoAngle = 300 * kDegree;    ///< over which some servos count 0 to 1023
constexpr double kMostTurns = 16;                ///< that an encoder counts on beyond the first

/// Ticks and percent, in both directions.
void add_both_ways(const PositionReading& reading, double zero_of_reversed,
                   std::vector<PositionReading>& readings) {
  readings.push_back(reading);
  PositionReading reversed = reading;
  reversed.scale = -reading.scale;
  reversed.zero = zero_of_reversed;
  readings.push_back(std::move(reversed));
}

void add_ticks(std::vector<PositionReading>& readings) {
  const auto add = [&](const std::string& unit, double scale, double zero, double lowest,
                       double highest) {
    add_both_ways({.rule = "position-ticks",
                   .unit = unit,
                   .scale = scale,
                   .zero = zero,
                   .lowest = lowest,
                   .highest = highest,
                   .is_whole = true},
                  zero, readings);
  };
  for (int bits = kFewestBits; bits <= kMostBits; ++bits) {
    const double counts = std::ldexp(1, bits);
    add(fmt::format("encoder ticks, {:.0f} per turn with zero at 0", counts), kWholeTurn / counts,
        0, -kMostTurns * counts, kMostTurns * counts);
    add(fmt::format("encoder ticks, {:.0f} per turn with zero at {:.0f}", counts, counts / 2),
        kWholeTurn / counts, counts / 2, 0, counts);
  }
  add("servo ticks, 1024 over 300 degrees with zero at 512", kServoAngle / 1024, 512, 0, 1023);
}

void add_percent(const Coordinate& joint, std::vector<PositionReading>& readings) {
  const double range = joint.upper - joint.lower, middle = (joint.upper + joint.lower) / 2;
  if (!std::isfinite(range) || !(range > 0)) return;
  const auto add = [&](const char* unit, double scale, double zero, double zero_of_reversed,
                       double lowest) {
    add_both_ways({.rule = "position-percent",
                   .unit = unit,
                   .scale = scale,
                   .zero = zero,
                   .lowest = lowest,
                   .highest = 100},
                  zero_of_reversed, readings);
  };
  const double of_half = range / 200, of_whole = range / 100;
  add("percent of the joint's range, -100 to 100", of_half, -middle / of_half, middle / of_half,
      -100);
  add("percent of the joint's range, 0 to 100", of_whole, -joint.lower / of_whole,
      joint.upper / of_whole, 0);
}

}  // namespace

std::vector<PositionReading> position_readings(const Coordinate& coordinate, bool is_beyond) {
  std::vector<PositionReading> readings;
  if (!is_beyond) {
    if (coordinate.is_angle)
      readings.push_back({.rule = "position-turns",
                          .unit = "turns (2 pi)",
                          .scale = kWholeTurn,
                          .is_inconspicuous = true});
    return readings;
  }
  if (coordinate.is_angle) {
    readings.push_back({.rule = "position-in-degrees", .unit = "degrees", .scale = kDegree});
    add_ticks(readings);
  } else {
    readings.push_back({.rule = "position-millimeters", .unit = "millimeters", .scale = 1e-3});
    readings.push_back({.rule = "position-centimeters", .unit = "centimeters", .scale = 1e-2});
    readings.push_back({.rule = "position-inches", .unit = "inches", .scale = 0.0254});
  }
  add_percent(coordinate, readings);
  return readings;
}

}  // namespace heft::check
