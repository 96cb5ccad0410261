// Interpretations that a joint's logged positions allow, by its limits and by integers.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "column_scan.hpp"
#include "position_readings.hpp"

namespace heft::check {

constexpr int kAsTold = -1;

/// Range of a joint's logged positions that are finite.
Extremes logged_range(const LogFacts& log, int coordinate);

struct ReadJoint {
  int coordinate = 0, channel = 0;
  bool is_angle = true;
  bool is_beyond = false;  ///< cannot be radians or meters, by the limits
  bool is_whole = false;
  std::vector<PositionReading> readings;  ///< consistent with its numbers

  int index_of(const std::string& unit) const {
    const auto found = std::find_if(readings.begin(), readings.end(),
                                    [&](const auto& one) { return one.unit == unit; });
    return found == readings.end() ? kAsTold : static_cast<int>(found - readings.begin());
  }
};

using ReadingChoice = std::vector<int>;  ///< by joint: index of a reading, or kAsTold

/// `by_torque_alone`: includes readings that only torques can confirm.
ReadJoint readable_joint(const LogFacts& log, const JointLog& one, bool by_torque_alone);

/// Converts a coordinate of samples to radians or meters.
std::function<void(Samples&)> read_as(int coordinate, const PositionReading& reading);

}  // namespace heft::check
