// Weighs what a robot carries by the torques of its joints: the robot was identified without it,
// and its error bars enter the payload's. FORMULAS 8.
//
// The payload is one more body on a link. With theta the robot's base quantities and R x what ten
// parameters x on that link add to them, a log of the loaded robot has
//
//   tau = Y (theta + R x) + e
//
// and the robot's identification knew theta with information K (inverse of a covariance, of full
// rank or not). Eliminating theta from the least squares of both leaves a problem in x alone,
//
//   S x = g       S = R' K (A + K)^-1 A R       g = R' [K (A + K)^-1 b - A (A + K)^-1 K theta_K]
//
// A = Y'Y, b = Y'tau weighted by what the channels leave over and by how many rows are worth one.
// Of it the ten parameters are taken as of a sensor's rows: possible bodies only, near the shape
// where the log does not tell.
//
// Torque scales of the joints have the relative standard deviation sd =
// PayloadOptions::torque_scale_sd. Joint c contributes c_c to x = sum_c c_c, which is as wrong as
// its scale: sd^2 sum_c c_c c_c' adds to the covariance of x. Threads: any number of threads may
// call, each with objects of its own; what is const may be shared.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "heft/payload/payload.hpp"
#include "heft/training/training_data.hpp"
#include "heft/uncertainty/uncertainty.hpp"
#include "payload/stretch_times.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A robot as an identification left it.
struct KnownRobot {
  PlanPtr plan;
  Eigen::VectorXd parameters;    ///< of the plan's layout
  Eigen::VectorXd residual_rms;  ///< of every channel [N m] or [N]; 0: not known
  BaseQuantities quantities;     ///< Q of them
  /// Q x Q and Q: ErrorBars::information, and that times ErrorBars::estimate. Empty: `parameters`
  /// are taken for exact.
  Eigen::MatrixXd information;
  Eigen::VectorXd information_times_estimate;
  ChannelParts channel_parts;  ///< of the information; empty: not known
  std::string no_intervals;    ///< why the identification has no error bars, if it said so
};

/// The link that carries the payload.
struct CarryingLink {
  std::string name;
  int body = 0;  ///< of the layout, which it is or is fixed to
  Eigen::Isometry3d X_body_link = Eigen::Isometry3d::Identity();
};

/// From a log of the loaded robot, conditioned as the identification's, on the same plan. Methods:
/// auto, wls, cone and metric. The result is in the link's frame; SensorOptions::tool, in that
/// frame, is taken for part of the robot. Errors: a payload that is clearly negative, no torque
/// that depends on it, another method, data of another plan, a tool of another frame.
Result<PayloadResult> weigh_by_torques(const KnownRobot& robot, const CarryingLink& link,
                                       const TrainingData& data, const PayloadOptions& options,
                                       const PayloadShape& shape,
                                       const std::vector<PayloadMethod>& methods = {
                                           PayloadMethod::automatic});

/// When another body hangs on the link, as numbers of the samples that are summed before, in order:
/// where two bodies on one robot leave at most half of the squares that one leaves and gain sixty
/// times what noise would, and mass or center of mass differ by what matters. Between about fifty
/// places of a log; none of several logs, of compact data, and of logs that are too short.
std::vector<std::int64_t> changes_by_torques(const KnownRobot& robot, const CarryingLink& link,
                                             const TrainingData& data);

/// Part of a log of the loaded robot in which one body is on the link.
struct LoadedStretch {
  StretchTimes times;
  TrainingData data;
};

/// One body a stretch; the answer is that of the last, PayloadResult::stretches has all. Errors as
/// above.
Result<PayloadResult> weigh_stretches_by_torques(
    const KnownRobot& robot, const CarryingLink& link, const std::vector<LoadedStretch>& stretches,
    const PayloadOptions& options, const PayloadShape& shape,
    const std::vector<PayloadMethod>& methods = {PayloadMethod::automatic});

}  // namespace heft
#pragma GCC visibility pop
