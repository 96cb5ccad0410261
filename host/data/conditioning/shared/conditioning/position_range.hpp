// Where the joints of a log were: positions that are degrees, though they are taken for radians,
// leave the joints' limits far behind.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Whether positions from `low` to `high`, taken for radians, must be degrees: they do not fit
/// between the joint's limits by far and would if they were. Joints without limits turn as often as
/// they like.
bool are_evidently_degrees(double low, double high, const Coordinate& coordinate);

/// Least and largest position of every coordinate, block by block.
class PositionRange {
 public:
  /// `position`: samples x coordinates.
  void add(const Eigen::ArrayXXd& position);

  /// Error where the positions of two joints, or of the only one, are evidently degrees and
  /// format.angle_unit is "auto".
  Result<Done> check(const LogFormat& format, const Robot& robot, const std::string& path) const;

 private:
  Eigen::ArrayXd low_, high_;
};

}  // namespace heft
#pragma GCC visibility pop
