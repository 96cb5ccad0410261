#include "readable_joint.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "column_mistakes.hpp"

namespace heft::check {

namespace {

constexpr double kFarthestWithoutLimits = 25;  ///< [rad]: joints without limits hardly move as far
                                               ///< in a log
constexpr double kFewestTicks = 20;            ///< over which a joint must move
constexpr double kWholeRows = 0.99;            ///< share of rows that are whole numbers
constexpr double kSlack = 0.1;  ///< of the joint's range, by which a log may leave it
constexpr double kLeastAngle = 0.02,
                 kLeastTravel = 0.002;  ///< [rad], [m]: joints that move less are uninformative

bool are_whole(const LogFacts& log, int coordinate) {
  const Eigen::ArrayXd q = log.raw.position(coordinate);
  const auto numbers = q.isFinite();
  const auto whole = numbers && (q - q.round()).abs() < 1e-6;
  return static_cast<double>(whole.count()) >= kWholeRows * static_cast<double>(numbers.count());
}

bool is_far_beyond(const Extremes& range, const Coordinate& coordinate) {
  const double allowed = coordinate.upper - coordinate.lower;
  const double farthest_allowed = std::max(std::abs(coordinate.lower), std::abs(coordinate.upper));
  if (!std::isfinite(allowed)) return coordinate.is_angle && range.width() > kFarthestWithoutLimits;
  if (!coordinate.is_angle) return allowed > 0 && range.farthest() > 3 * farthest_allowed;
  return range.farthest() > 2 * std::numbers::pi &&
         (range.width() > 1.5 * allowed || range.farthest() > 3 * farthest_allowed);
}

bool fits(const PositionReading& reading, const Extremes& range, const Coordinate& coordinate) {
  if (range.low < reading.lowest || range.high > reading.highest) return false;
  const double a = reading.position(range.low), b = reading.position(range.high);
  const double width = std::abs(b - a), allowed = coordinate.upper - coordinate.lower;
  if (width < (coordinate.is_angle ? kLeastAngle : kLeastTravel)) return false;
  if (!std::isfinite(allowed)) return width < kFarthestWithoutLimits;
  return std::min(a, b) > coordinate.lower - kSlack * allowed &&
         std::max(a, b) < coordinate.upper + kSlack * allowed;
}

/// Whether an option sets the unit of the joint's positions.
bool is_unit_told(const LogFacts& log, int k, const Coordinate& coordinate) {
  const LogFormat& format = log.options.log;
  return format.position_scale.of(coordinate.name, k) != 1 ||
         format.position_offset.of(coordinate.name, k) != 0 ||
         (coordinate.is_angle && format.angle_unit.of(coordinate.name, k) == "deg");
}

}  // namespace

Extremes logged_range(const LogFacts& log, int coordinate) {
  return finite_extremes_of(log.raw.position(coordinate));
}

ReadJoint readable_joint(const LogFacts& log, const JointLog& one, bool by_torque_alone) {
  const Coordinate& coordinate = log.coordinate(one);
  const Extremes range = logged_range(log, one.joint);
  ReadJoint joint{.coordinate = one.joint, .channel = one.channel, .is_angle = coordinate.is_angle};
  const bool is_known = is_unit_told(log, one.joint, coordinate) || !(range.width() > 0) ||
                        log.wrapped[static_cast<std::size_t>(one.joint)];
  if (is_known) return joint;
  joint.is_beyond = is_far_beyond(range, coordinate);
  joint.is_whole = range.width() >= kFewestTicks && are_whole(log, one.joint);
  if (!joint.is_beyond && !by_torque_alone) return joint;
  for (PositionReading& reading : position_readings(coordinate, joint.is_beyond))
    if ((joint.is_whole || !reading.is_whole) && fits(reading, range, coordinate))
      joint.readings.push_back(std::move(reading));
  return joint;
}

std::function<void(Samples&)> read_as(int coordinate, const PositionReading& reading) {
  return [=](Samples& s) {
    scaled_motion(coordinate, reading.scale)(s);
    s.position.col(coordinate) -= reading.offset();
  };
}

}  // namespace heft::check
