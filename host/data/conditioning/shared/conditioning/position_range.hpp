// Range of the logged positions, to detect degrees that are read as radians and therefore far
// exceed the joint limits.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns whether positions from `low` to `high`, read as radians, must be degrees: they exceed
/// the joint limits by far and would fit as degrees. Joints without limits may turn any number of
/// times.
bool are_evidently_degrees(double low, double high, const Coordinate& coordinate);

/// Smallest and largest position of every coordinate, updated block by block.
class PositionRange {
 public:
  /// Adds positions, samples x coordinates.
  void add(const Eigen::ArrayXXd& position);

  /// Error: the positions of two joints, or of the only joint, are clearly degrees and
  /// format.angle_unit is "auto".
  Result<Done> check(const LogFormat& format, const Robot& robot, const std::string& path) const;

 private:
  Eigen::ArrayXd low_, high_;
};

}  // namespace heft
#pragma GCC visibility pop
