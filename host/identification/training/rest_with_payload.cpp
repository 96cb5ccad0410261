#include "training/rest_with_payload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft {

namespace {

constexpr double kLeastSpeed = 0.005;        ///< [rad/s]
constexpr double kLeastLinearSpeed = 0.001;  ///< [m/s]
/// [s] A joint that reverses is slower than kLeastSpeed for less, unless it accelerates by less
/// than a third of a rad/s^2.
constexpr double kRest = 0.03;
constexpr double kAfter = 0.1;  ///< [s] after a rest, in which the filter of the torque remembers
                                ///< it
constexpr double kMoves = std::numeric_limits<double>::infinity();

}  // namespace

std::string at_rest_with_payload(const std::string& joint) {
  return joint + " at rest with a payload";
}

RestWithPayload::RestWithPayload(const RegressorPlan& plan, const std::vector<int>& channels) {
  for (const int channel : channels) {
    const Channel& found = plan.channels[static_cast<std::size_t>(channel)];
    if (found.coordinate < 0) continue;
    const bool is_angle =
        plan.robot.coordinates[static_cast<std::size_t>(found.coordinate)].is_angle;
    joints_.push_back({channel, found.coordinate, is_angle ? kLeastSpeed : kLeastLinearSpeed,
                       kMoves, -kMoves, at_rest_with_payload(found.name)});
  }
}

void RestWithPayload::exclude(int segment, Samples& block) {
  if (segment != segment_)
    for (Joint& joint : joints_) joint.rests_from_s = kMoves, joint.excluded_to_s = -kMoves;
  segment_ = segment;
  for (Joint& joint : joints_)
    for (Eigen::Index row = 0; row < block.size(); ++row) {
      const double time = block.time[row];
      const bool is_slow = std::abs(block.velocity(row, joint.coordinate)) < joint.least_speed;
      joint.rests_from_s = is_slow ? std::min(joint.rests_from_s, time) : kMoves;
      if (time - joint.rests_from_s >= kRest) joint.excluded_to_s = time + kAfter;
      double& weight = block.weight(row, joint.channel);
      if (!(time <= joint.excluded_to_s) || weight == 0) continue;
      weight = 0;
      block.torque(row, joint.channel) = 0;
      ++dropped_[joint.reason];
    }
}

}  // namespace heft
