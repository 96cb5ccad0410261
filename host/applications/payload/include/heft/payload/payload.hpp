// Weighs one rigid body on a force-torque sensor: estimates mass, center of mass and tensor from
// samples of motion and wrench, or from logs, by every requested method, with prediction errors on
// held-out data; weighs many payloads at once; writes files for people, programs and controllers.
// Threads: safe to call from several threads on separate objects; const objects may be shared. A
// batch creates `num_threads` threads. Two calls must not write to the same folder.
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

class Executor;

/// The assumed shape of a payload: a tensor, to be scaled by a mass.
struct PayloadShape {
  /// Source of the tensor, which determines its weight in auto (FORMULAS 8).
  enum class Kind { nothing, primitive, parameters, points, mesh };

  Kind kind = Kind::nothing;
  BodyParameters unit = BodyParameters::Zero();  ///< for 1 kg; for kind `nothing`, a ball whose
                                                 ///< center the log determines
  std::optional<Ellipsoid> bounds;               ///< smallest ellipsoid around mesh or primitive
  Eigen::Matrix3Xd corners;  ///< vertices of the mesh's triangles, three columns per triangle, in
                             ///< the sensor's frame
  Eigen::Matrix3Xd points;   ///< evenly distributed within mesh or primitive, or as given, in the
                             ///< sensor's frame
  Eigen::VectorXd volumes;   ///< volume that each point represents [m^3]
  double volume = 0;         ///< [m^3]; 0: unknown
  /// Part of a shape of several parts. The log determines the parts' masses; before that, `unit` of
  /// the shape is an initial guess. Empty: a shape of one part.
  struct Part {
    BodyParameters unit = BodyParameters::Zero();  ///< for 1 kg
    double least_mass = 0, largest_mass = std::numeric_limits<double>::infinity();
  };
  std::vector<Part> parts;
  std::vector<PayloadDoubt> doubts;  ///< about the mesh
  std::string words;                 ///< description: "mesh drill.stl, 1.21 liters"
};

/// Reads the shape named by the options; without one it is a ball of 10 cm. Errors: more than one
/// shape, files that cannot be read, open surfaces, meshes that are apparently in millimeters,
/// physically impossible tensors.
Result<PayloadShape> read_payload_shape(const PayloadPriorOptions& options);

/// The estimate of one method.
struct PayloadAnswer {
  PayloadMethod method = PayloadMethod::automatic;
  std::string failure;  ///< reason why the method failed; then only `method` is valid
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame
  bool is_possible = false;                            ///< pseudo-inertia positive definite
  std::optional<double> objective;                     ///< as defined in options.hpp
  std::optional<Certificate> certificate;              ///< for auto, geo, cone and metric
  /// |error| / |wrench without bias| of each half of the log, predicted from the other half, with
  /// the bias fitted per half; NaN if a half does not determine the payload.
  double held_out_force = 0, held_out_torque = 0;
};

/// A confidence interval.
struct PayloadInterval {
  /// Infinite if the log does not determine the value.
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();
};

/// Effect of the payload on the torque of one joint (payload/by_torques.hpp).
struct PayloadChannel {
  std::string name, unit;  ///< N m; N for a prismatic joint
  double num_rows = 0;
  double rms_torque = 0;      ///< measured
  double rms_without = 0;     ///< residual of the robot without payload
  double rms_with = 0;        ///< residual of the robot with payload
  double rms_identified = 0;  ///< residual of the robot's identification; 0: unknown
  /// [kg] from this joint alone, with center of mass and tensor of the estimate, and its 95 %
  /// interval from noise; NaN if the noise exceeds a quarter of the mass.
  double mass = std::numeric_limits<double>::quiet_NaN();
  PayloadInterval mass_interval = {};
};

/// Uncertainty of the torque scales for a payload weighed by joint torques.
struct TorqueScaleSpread {
  enum class Source { option, residuals, fallback };
  double sd = 0.05;  ///< relative standard deviation of each joint's scale; joints are independent
  double freedom = std::numeric_limits<double>::infinity();  ///< degrees of freedom of the estimate
                                                             ///< of `sd`
  Source source = Source::fallback;
};

template <>
struct EnumNames<TorqueScaleSpread::Source> {
  static constexpr EnumName<TorqueScaleSpread::Source> kList[] = {
      {TorqueScaleSpread::Source::option, "option"},
      {TorqueScaleSpread::Source::residuals, "residuals"},
      {TorqueScaleSpread::Source::fallback, "default"}};
};

/// Gain of a joint, logged over true torque, calibrated with a payload of known mass.
struct TorqueGain {
  std::string joint;
  int coordinate = 0;  ///< index in the robot
  double value = 1;
  PayloadInterval interval;      ///< 95 %
  bool is_identifiable = false;  ///< the half width is below 10 %
};

/// Gains of all joints from a payload of known mass.
struct TorqueCalibration {
  std::vector<TorqueGain> gains;
  double sd = 0;     ///< TorqueScaleSpread::sd after the calibration
  std::string yaml;  ///< log.torque_scale and estimation.torque_scale_sd for an identification
};

/// Part of a log during which the body on the sensor does not change.
struct PayloadStretch {
  double from_s = 0, to_s = 0;
  PayloadAnswer answer;
  PayloadInterval mass;
  std::array<PayloadInterval, 3> com;
  /// The difference to the first stretch, as a separate body.
  struct Added {
    PayloadAnswer answer;
    PayloadInterval mass;
    std::array<PayloadInterval, 3> com;
  };
  std::optional<Added> added;  ///< empty in the first stretch, and if the mass decreased
};

/// The result of weighing one payload.
struct PayloadResult {
  std::string frame = "sensor";  ///< frame of parameters, intervals and shape: "sensor", or the
                                 ///< name of the link
  std::vector<PayloadLog> logs;
  PayloadOptions options;
  PayloadShape shape;
  std::vector<PayloadAnswer> answers;  ///< one per method, in the requested order; the first one is
                                       ///< the result
  Eigen::ArrayXXd biases;  ///< groups x 6, force [N] and torque [N m]; a row of zeros without a
                           ///< bias; no rows for joint torques
  Eigen::ArrayXXd drifts;  ///< same shape: change from the first to the last sample if the bias
                           ///< drifts; otherwise no rows
  Vector6d residual_rms = Vector6d::Zero();  ///< [N], [N m]: of the estimate with fitted biases,
                                             ///< over the unfiltered samples
  PayloadInterval mass;                      ///< [kg], 95 %
  std::array<PayloadInterval, 3> com;        ///< [m], 95 %
  std::vector<std::string> set_by_prior;  ///< for `auto`: parameters that the prior determines by
                                          ///< more than 50 %
  int num_directions = 0;  ///< poses at rest: number of directions of gravity that differ by more
                           ///< than 2 degrees
  std::vector<PayloadDoubt> doubts;
  std::optional<KnownTool> as_tool;  ///< the payload as a known tool for later runs; empty if mass
                                     ///< or position are undetermined
  std::vector<PayloadStretch> stretches;  ///< of a log whose body changes; the result is that of
                                          ///< the last one
  WrenchSamples samples;                  ///< empty for a payload weighed by joint torques
  std::vector<PayloadChannel> channels;   ///< channels of the robot, for joint torques
  TorqueScaleSpread torque_scales;        ///< for joint torques
  /// For joint torques, if PayloadLimits::known_mass is between half and twice the measured mass
  /// and the robot has error bars.
  std::optional<TorqueCalibration> calibration;

  /// Returns whether the payload was weighed by joint torques.
  bool is_by_torques() const { return !channels.empty(); }
  /// Returns the estimate of the first method.
  const PayloadAnswer& answer() const { return answers.front(); }

  /// Returns whether the mass is significant: above zero and above half the width of its interval.
  bool shows_payload() const {
    return mass.low > 0 && answer().parameters[core::kMass] > (mass.high - mass.low) / 2;
  }
};

/// Weighs a payload by all methods. `by_auto`: the estimate of fit_payload with method auto, if
/// already known. Errors: samples without information, a wrench with clearly wrong sign, order or
/// frame (the message names the option that corrects it), failure of the first method; stopped().
Result<PayloadResult> weigh_payload(
    const WrenchSamples& samples, const PayloadOptions& options, const PayloadShape& shape,
    const std::vector<PayloadMethod>& methods = {PayloadMethod::automatic},
    const Progress& progress = {}, const PayloadAnswer* by_auto = nullptr);

/// Returns the estimate of a single method, without diagnosis and intervals. Errors: those of
/// weigh_payload.
Result<PayloadAnswer> fit_payload(const WrenchSamples& samples, const PayloadOptions& options,
                                  const PayloadShape& shape, PayloadMethod method);

/// One of many payloads to weigh at once from arrays, for example thousands of grasps, each with
/// its certificate. Diagnosis and intervals need weigh_payload, one payload at a time.
struct PayloadTask {
  const WrenchSamples* samples = nullptr;
  const PayloadShape* shape = nullptr;  ///< may be shared by several tasks
};

/// Returns estimates of method `auto` in the order of the tasks; failures are in
/// PayloadAnswer::failure. An estimate does not depend on the number of threads or on neighboring
/// tasks. Errors: a task without samples or shape, no thread; stopped().
Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, int num_threads = 1,
                                               const Progress& progress = {});

/// Does the same with an executor that has a device: `num_threads` threads compute sums, one batch
/// solves the convex problems of all payloads (SolveCount "payloads"), and each estimate is
/// certified on the CPU. Estimates equal those of the overload above within the gap of their
/// certificates, that is, in about ten digits of the objective. Further error: device failure.
/// Without a device it calls the overload above.
Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, Executor& executor,
                                               int num_threads = 1, const Progress& progress = {});

/// Logs of one payload, with the shape and the methods by which weigh_logs() estimates it.
struct PayloadRequest {
  std::vector<Log> logs;                ///< of one payload; each has its own bias
  std::optional<SensorOnLink> on_link;  ///< the motion is computed from a robot's coordinates;
                                        ///< otherwise it is in the logs
  PayloadOptions options;
  PayloadShape shape;
  std::vector<PayloadMethod> methods = {PayloadMethod::automatic};
  Progress progress = {};
};

/// Weighs a payload from logs. Errors: those of read_wrench_log, concatenated and weigh_payload;
/// stopped().
Result<PayloadResult> weigh_logs(const PayloadRequest& request);

/// Samples of a request, between the two steps of weigh_logs(), so that weigh_batch can solve for
/// many payloads.
struct ReadPayload {
  WrenchSamples samples;  ///< of all logs, without the wrench of a known tool
  std::vector<PayloadLog> logs;
};
/// First step: reads the logs of a request.
Result<ReadPayload> read_logs(const PayloadRequest& request);
/// Second step: weighs the payload. `by_auto`: the estimate of method auto from these samples, if
/// already known.
Result<PayloadResult> weigh_read(const PayloadRequest& request, ReadPayload read,
                                 const PayloadAnswer* by_auto = nullptr);

/// Four point masses with the moments of `payload`; within `bounds` if that is possible.
struct FourMasses {
  Eigen::Vector4d mass = Eigen::Vector4d::Zero();  ///< [kg]
  Eigen::Matrix<double, 3, 4> at;                  ///< [m], one column per mass
  bool inside = false;                             ///< all masses lie within the bounds
};

/// Returns four point masses for a payload. Error: a payload that no masses can represent.
Result<FourMasses> four_masses(const BodyParameters& payload,
                               const std::optional<Ellipsoid>& bounds = {});

/// Returns the payload in the flange's frame.
BodyParameters in_flange(const PayloadResult& result);

/// Assessment of the result in a word and a sentence.
struct PayloadVerdict {
  /// green: certified without open serious doubts; amber: an open serious doubt; red: no
  /// certificate.
  std::string level, words;
};

/// Returns the assessment of the result.
PayloadVerdict payload_verdict(const PayloadResult& result);

/// Returns the contents of result.json.
std::string payload_json(const PayloadResult& result);
/// Returns a summary for the terminal.
std::string payload_summary(const PayloadResult& result);
/// Returns the contents of report.html.
std::string payload_page(const PayloadResult& result);

/// Writes result.json, report.html, payload.urdf, payload_franka.json, payload_ur.txt,
/// payload_ros2.yaml and points.csv into `directory` (created if missing), all of them or none; for
/// a calibration also zero.yaml. If the estimate is physically impossible or the mass is not
/// significant (PayloadResult::shows_payload), writes only the first two and removes the other
/// files of an earlier run. Returns the paths.
Result<std::vector<std::string>> write_payload(const PayloadResult& result,
                                               const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
