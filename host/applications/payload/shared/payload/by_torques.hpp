// Weighs a robot's payload by the torques of its joints. The robot was identified without the
// payload, and its error bars are part of the payload's. FORMULAS 8.
//
// The payload is an additional body on a link. With theta the robot's base quantities and R x the
// change caused by ten parameters x on that link, a log of the loaded robot has
//
//   tau = Y (theta + R x) + e
//
// and the robot's identification gave theta with information K (inverse of a covariance, not
// necessarily of full rank). Eliminating theta from the combined least squares leaves a problem in
// x alone,
//
//   S x = g       S = R' K (A + K)^-1 A R       g = R' [K (A + K)^-1 b - A (A + K)^-1 K theta_K]
//
// A = Y'Y, b = Y'tau weighted by the residuals of the channels and by how many rows are worth one.
// Its ten parameters are estimated like those from a sensor's rows: restricted to physically
// consistent bodies, and near the assumed shape in directions that the log does not determine.
//
// Torque scales of the joints have the relative standard deviation sd =
// PayloadOptions::torque_scale_sd. Joint c contributes c_c to x = sum_c c_c with the relative error
// of its scale, so sd^2 sum_c c_c c_c' is added to the covariance of x. Threads: safe to call from
// several threads on separate objects; const objects may be shared.
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

/// A robot from an identification.
struct KnownRobot {
  PlanPtr plan;
  Eigen::VectorXd parameters;    ///< of the plan's layout
  Eigen::VectorXd residual_rms;  ///< per channel [N m] or [N]; 0: unknown
  BaseQuantities quantities;     ///< Q of them
  /// Q x Q and Q: ErrorBars::information, and its product with ErrorBars::estimate. Empty:
  /// `parameters` count as exact.
  Eigen::MatrixXd information;
  Eigen::VectorXd information_times_estimate;
  ChannelParts channel_parts;  ///< of the information; empty: unknown
  std::string no_intervals;    ///< why the identification has no error bars, if it gave a reason
};

/// The link that carries the payload.
struct CarryingLink {
  std::string name;
  int body = 0;  ///< body of the layout that is the link or to which it is fixed
  Eigen::Isometry3d X_body_link = Eigen::Isometry3d::Identity();
};

/// Weighs the payload from a log of the loaded robot, conditioned like that of the identification,
/// on the same plan. Methods: auto, wls, cone and metric. The result is in the link's frame;
/// SensorOptions::tool, in that frame, counts as part of the robot. Errors: a clearly negative
/// payload, no torque that depends on it, another method, data of another plan, a tool in another
/// frame.
Result<PayloadResult> weigh_by_torques(const KnownRobot& robot, const CarryingLink& link,
                                       const TrainingData& data, const PayloadOptions& options,
                                       const PayloadShape& shape,
                                       const std::vector<PayloadMethod>& methods = {
                                           PayloadMethod::automatic});

/// Returns the times at which the body on the link changes, as numbers of preceding summed samples,
/// in order. A change is detected if two bodies leave at most half of the squared errors of one
/// body, gain sixty times what noise would, and differ significantly in mass or center of mass.
/// Examines about fifty positions of a log. Empty for several logs, compact data, and logs that are
/// too short.
std::vector<std::int64_t> changes_by_torques(const KnownRobot& robot, const CarryingLink& link,
                                             const TrainingData& data);

/// Part of a log of the loaded robot during which one body is on the link.
struct LoadedStretch {
  StretchTimes times;
  TrainingData data;
};

/// Weighs one body per stretch; the result is that of the last, PayloadResult::stretches has all.
/// Errors: those of weigh_by_torques.
Result<PayloadResult> weigh_stretches_by_torques(
    const KnownRobot& robot, const CarryingLink& link, const std::vector<LoadedStretch>& stretches,
    const PayloadOptions& options, const PayloadShape& shape,
    const std::vector<PayloadMethod>& methods = {PayloadMethod::automatic});

}  // namespace heft
#pragma GCC visibility pop
