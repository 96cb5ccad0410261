// Plans the next poses for weighing at rest, from the information of poses already taken and of
// each further one.
//
// At rest force and torque are f = -m g + b_f and n = [g]x h + b_n with gravity g in the sensor's
// frame (FORMULAS 8): one direction determines nothing, two determine the mass, three also the
// center of mass. Further poses are chosen one by one, each to minimize the remaining volume of
// uncertainty of m and h. Threads: safe to call from several threads on separate objects; const
// objects may be shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/payload/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Noise of the sensor, expected mass and number of poses of a plan.
struct PlanOptions {
  double force_noise = 0.1, torque_noise = 0.005;  ///< standard deviations of a reading [N], [N m]
  double mass = 1;  ///< [kg], converts a first moment to a center of mass
  double gravity = kUsualGravity;
  int num_poses = 6;  ///< number to propose
};

/// Uncertainty after a number of poses: standard deviations, infinite if they do not determine a
/// quantity.
struct PoseKnowledge {
  int num_directions = 0;                            ///< of gravity
  double mass_sd = 0;                                ///< [kg]
  Eigen::Vector3d com_sd = Eigen::Vector3d::Zero();  ///< [m]
  std::string tells;                                 ///< in words
};

/// A proposed pose.
struct PlannedPose {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();             ///< in the sensor's frame [m/s^2]
  Eigen::Matrix3d R_world_sensor = Eigen::Matrix3d::Identity();  ///< an orientation with that
                                                                 ///< gravity
  Eigen::VectorXd position;  ///< of the robot, if one carries the sensor; within its limits
  /// [m] between the two nearest links, by the shapes of the robot's file; empty if not checked.
  std::optional<double> clearance;
  PoseKnowledge after;
};

/// Proposed poses, in order.
struct PosePlan {
  PlanOptions options;
  int num_taken = 0;
  PoseKnowledge now;
  std::vector<PlannedPose> poses;
  std::vector<std::string> coordinates;  ///< names of PlannedPose::position
};

/// Plans poses. `taken` are the poses at rest so far; may be empty. Errors: samples of motion, a
/// link that the robot does not move, no pose requested.
Result<PosePlan> plan_poses(const WrenchSamples& taken, const PlanOptions& options,
                            const std::optional<SensorOnLink>& robot = {},
                            const SensorOptions& sensor = {});

/// Poses taken so far, as logs, with the options for weighing them.
struct PlanRequest {
  std::vector<Log> logs;  ///< of poses at rest; empty: a plan from the beginning
  std::optional<SensorOnLink> on_link;
  PayloadOptions options;
  int num_poses = 6;  ///< number to propose
};

/// Plans poses with the noise of PlanOptions; the mass is the known one, or that of the poses.
/// Errors: those of plan_poses above and of read_wrench_log.
Result<PosePlan> plan_poses(const PlanRequest& request);

/// Returns the plan as JSON.
std::string plan_json(const PosePlan& plan);
/// Returns the plan as text for the terminal.
std::string plan_summary(const PosePlan& plan);

}  // namespace heft
#pragma GCC visibility pop
