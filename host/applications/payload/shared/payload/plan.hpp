// Which poses to take next, for weighing at rest: what those that were taken tell, and what each
// further one would.
//
// At rest force and torque are f = -m g + b_f and n = [g]x h + b_n of gravity g in the sensor's
// frame (FORMULAS 8): one direction tells nothing, two tell the mass, three the center of mass too.
// Further poses are chosen one by one, each so that the volume of what remains possible of m and h
// shrinks most. Threads: any number of threads may call, each with objects of its own; what is
// const may be shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/payload/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct PlanOptions {
  double force_noise = 0.1, torque_noise = 0.005;  ///< standard deviations of a reading [N], [N m]
  double mass = 1;  ///< [kg], to make a center of mass of a first moment
  double gravity = kUsualGravity;
  int num_poses = 6;  ///< to propose
};

/// What is known after a number of poses; infinite where they tell nothing.
struct PoseKnowledge {
  int num_directions = 0;                            ///< of gravity
  double mass_sd = 0;                                ///< [kg]
  Eigen::Vector3d com_sd = Eigen::Vector3d::Zero();  ///< [m]
  std::string tells;                                 ///< in words
};

struct PlannedPose {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();             ///< in the sensor's frame [m/s^2]
  Eigen::Matrix3d R_world_sensor = Eigen::Matrix3d::Identity();  ///< an orientation that has it
  Eigen::VectorXd position;  ///< of the robot, if one carries the sensor; within its limits
  /// [m] between the links that come nearest to each other, by the shapes of the robot's file; none
  /// where these were not looked at.
  std::optional<double> clearance;
  PoseKnowledge after;
};

struct PosePlan {
  PlanOptions options;
  int num_taken = 0;
  PoseKnowledge now;
  std::vector<PlannedPose> poses;
  std::vector<std::string> coordinates;  ///< names of PlannedPose::position
};

/// `taken`: poses at rest so far, may have no sample. Errors: samples of motion, a link that the
/// robot does not move, no pose asked for.
Result<PosePlan> plan_poses(const WrenchSamples& taken, const PlanOptions& options,
                            const std::optional<SensorOnLink>& robot = {},
                            const SensorOptions& sensor = {});

/// What was taken, as logs, and what they are weighed by.
struct PlanRequest {
  std::vector<Log> logs;  ///< of poses at rest; none yet: a plan from the beginning
  std::optional<SensorOnLink> on_link;
  PayloadOptions options;
  int num_poses = 6;  ///< to propose
};

/// The noise is that of PlanOptions; the mass is known, or as the poses have it. Errors besides:
/// those of read_wrench_log.
Result<PosePlan> plan_poses(const PlanRequest& request);

std::string plan_json(const PosePlan& plan);
std::string plan_summary(const PosePlan& plan);

}  // namespace heft
#pragma GCC visibility pop
