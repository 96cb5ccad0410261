#include "fault.hpp"

namespace heft {

namespace {

/// Faults of the log itself.
constexpr FaultMaker kOfLogs[] = {torque_scales, torque_delays, torque_lowpasses,
                                  clock_drifts,  joint_zeros,   clock_ratios};
/// Faults of the robot's description: irrelevant if the residual is only noise.
constexpr FaultMaker kOfRobots[] = {gravity_directions, other_kinematics, coupled_joints};

}  // namespace

ChannelRows Fault::undone_rows(const Samples& stretch, int channel, double size,
                               Eigen::Index step) const {
  const Samples changed = undone(stretch, size);
  const auto rows = Eigen::seq(0, changed.size() - 1, step);
  return {changed.torque.col(channel)(rows), changed.weight.col(channel)(rows)};
}

Faults faults_of(const HypothesisInput& input) {
  Faults faults;
  for (const FaultMaker make : kOfLogs) make(input, faults);
  if (input.leaves_more_than_noise)
    for (const FaultMaker make : kOfRobots) make(input, faults);
  return faults;
}

std::string joint_of_channel(const RegressorPlan& plan, int channel) {
  if (channel < 0) return {};
  const int coordinate = plan.channels[static_cast<std::size_t>(channel)].coordinate;
  return coordinate < 0 ? std::string()
                        : plan.robot.coordinates[static_cast<std::size_t>(coordinate)].name;
}

}  // namespace heft
