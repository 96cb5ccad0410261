#include "conditioning/position_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/units.hpp"

namespace heft {

bool are_evidently_degrees(double low, double high, const Coordinate& coordinate) {
  const double width = high - low, allowed = coordinate.upper - coordinate.lower;
  const double farthest = std::max(std::abs(low), std::abs(high));
  return coordinate.is_angle && std::isfinite(allowed) && width > 1.5 * allowed &&
         farthest > 2 * std::numbers::pi && width * kDegree < 1.1 * allowed;
}

void PositionRange::add(const Eigen::ArrayXXd& position) {
  if (position.rows() == 0) return;
  const Eigen::ArrayXd least = position.colwise().minCoeff(), most = position.colwise().maxCoeff();
  low_ = low_.size() > 0 ? low_.min(least).eval() : least;
  high_ = high_.size() > 0 ? high_.max(most).eval() : most;
}

Result<Done> PositionRange::check(const LogFormat& format, const Robot& robot,
                                  const std::string& path) const {
  // the unit applies to the whole log: a single joint out of range may be counted by its motor,
  // which the torques show
  Eigen::Index num_angles = 0, num_degrees = 0;
  for (Eigen::Index k = 0; k < low_.size(); ++k) {
    const Coordinate& joint = robot.coordinates[static_cast<std::size_t>(k)];
    num_angles += joint.is_angle && std::isfinite(joint.upper - joint.lower);
    num_degrees += are_evidently_degrees(low_[k], high_[k], joint);
  }
  if (num_degrees < std::min<Eigen::Index>(2, num_angles)) return Done{};
  for (Eigen::Index k = 0; k < low_.size(); ++k) {
    const Coordinate& joint = robot.coordinates[static_cast<std::size_t>(k)];
    if (format.angle_unit.of(joint.name, static_cast<int>(k)) == "auto" &&
        are_evidently_degrees(low_[k], high_[k], joint))
      return Error{
          path,
          fmt::format(
              "positions of {} from {:.4g} to {:.4g} rad: they are in degrees, or measured on the "
              "motor side of a gear",
              joint.name, low_[k], high_[k]),
          "set log.angle_unit: deg; or set log.position_scale to 1 / gear ratio (heft check --log "
          "estimates it); or set log.angle_unit: rad, if they are in radians"};
  }
  return Done{};
}

}  // namespace heft
