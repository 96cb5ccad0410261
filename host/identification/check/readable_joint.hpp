// The readings that a joint's logged positions allow, by its limits and by whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "position_readings.hpp"

namespace heft::check {

constexpr int kAsTold = -1;

/// Of a joint's positions as logged.
struct LoggedRange {
  double low = 0, high = 0;
  double width() const { return high - low; }
  double farthest() const { return std::max(std::abs(low), std::abs(high)); }
};

LoggedRange logged_range(const LogFacts& log, int coordinate);

struct ReadJoint {
  int coordinate = 0, channel = 0;
  bool is_angle = true;
  bool is_beyond = false;  ///< no radians or meters, by the limits
  bool is_whole = false;
  std::vector<PositionReading> readings;  ///< that its numbers allow

  int index_of(const std::string& unit) const {
    const auto found = std::find_if(readings.begin(), readings.end(),
                                    [&](const auto& one) { return one.unit == unit; });
    return found == readings.end() ? kAsTold : static_cast<int>(found - readings.begin());
  }
};

using ReadingChoice = std::vector<int>;  ///< by joint: index of a reading, or kAsTold

/// `by_torque_alone`: with readings that only torques can tell.
ReadJoint readable_joint(const LogFacts& log, const JointLog& one, bool by_torque_alone);

/// Reads a coordinate of samples in radians or meters.
std::function<void(Samples&)> read_as(int coordinate, const PositionReading& reading);

}  // namespace heft::check
