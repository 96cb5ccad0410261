// Weighs one rigid body that a force-torque sensor holds: from samples of motion and wrench, or
// from logs, to mass, center of mass and tensor, by every method requested, with what each would
// have predicted of wrench that it did not see; weighs many at once; writes files for people,
// machines and controllers. Threads: any number of threads may call, each with objects of its own;
// what is const may be shared. A batch makes `num_threads` threads. Two calls must not write to one
// folder.
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

/// What the payload is believed to look like: a tensor, to which a mass is given later.
struct PayloadShape {
  /// Where the tensor comes from; it decides how firmly auto holds to it (FORMULAS 8).
  enum class Kind { nothing, primitive, parameters, points, mesh };

  Kind kind = Kind::nothing;
  BodyParameters unit = BodyParameters::Zero();  ///< of 1 kg; of nothing that of a ball without its
                                                 ///< center, which the log tells
  std::optional<Ellipsoid> bounds;               ///< least ellipsoid around mesh or primitive
  Eigen::Matrix3Xd corners;  ///< of the mesh's triangles, three columns each, in the sensor's frame
  Eigen::Matrix3Xd points;   ///< evenly within mesh or primitive, or those that were given, in the
                             ///< sensor's frame
  Eigen::VectorXd volumes;   ///< that they stand for [m^3]
  double volume = 0;         ///< [m^3]; 0: not known
  /// Of a shape of several parts whose masses the log tells; `unit` is a guess until then. Empty:
  /// there are none.
  struct Part {
    BodyParameters unit = BodyParameters::Zero();  ///< of 1 kg
    double least_mass = 0, largest_mass = std::numeric_limits<double>::infinity();
  };
  std::vector<Part> parts;
  std::vector<PayloadDoubt> doubts;  ///< about the mesh
  std::string words;                 ///< for people: "mesh drill.stl, 1.21 litres"
};

/// Reads what the options name; without any of it a ball of 10 cm. Errors: more than one named,
/// files that cannot be read, open surfaces, meshes that must be in millimeters, tensors that no
/// body has.
Result<PayloadShape> read_payload_shape(const PayloadPriorOptions& options);

struct PayloadAnswer {
  PayloadMethod method = PayloadMethod::automatic;
  std::string failure;  ///< why there is no answer; then only `method` counts
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame
  bool is_possible = false;                            ///< pseudo-inertia positive definite
  std::optional<double> objective;                     ///< as options.hpp writes it
  std::optional<Certificate> certificate;              ///< of auto, geo, cone and metric
  /// |error| / |wrench without bias| of each half of the log, predicted from the other, each half's
  /// own bias fitted; nan where a half tells too little.
  double held_out_force = 0, held_out_torque = 0;
};

struct PayloadInterval {
  /// Infinite where the log says nothing.
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();
};

/// What the payload explains of a joint's torque (payload/by_torques.hpp).
struct PayloadChannel {
  std::string name, unit;  ///< N m, or N of a joint that slides
  double num_rows = 0;
  double rms_torque = 0;      ///< measured
  double rms_without = 0;     ///< that the robot alone leaves over
  double rms_with = 0;        ///< that robot and payload leave over
  double rms_identified = 0;  ///< that the robot's identification left over; 0: not known
  /// [kg] by this joint alone, center of mass and tensor as in the answer, with its 95 % interval
  /// by noise; NaN where noise is above a quarter of the mass.
  double mass = std::numeric_limits<double>::quiet_NaN();
  PayloadInterval mass_interval = {};
};

/// Errors of torque scales in a payload by joint torques.
struct TorqueScaleSpread {
  enum class Source { option, residuals, fallback };
  double sd = 0.05;  ///< relative standard deviation of each joint's scale; joints are independent
  double freedom = std::numeric_limits<double>::infinity();  ///< degrees of freedom of an estimate
  Source source = Source::fallback;
};

template <>
struct EnumNames<TorqueScaleSpread::Source> {
  static constexpr EnumName<TorqueScaleSpread::Source> kList[] = {
      {TorqueScaleSpread::Source::option, "option"},
      {TorqueScaleSpread::Source::residuals, "residuals"},
      {TorqueScaleSpread::Source::fallback, "default"}};
};

/// Logged over true torque of a joint, calibrated by a payload of known mass.
struct TorqueGain {
  std::string joint;
  int coordinate = 0;  ///< of the robot
  double value = 1;
  PayloadInterval interval;      ///< 95 %
  bool is_identifiable = false;  ///< whether the half width is below 10 %
};

struct TorqueCalibration {
  std::vector<TorqueGain> gains;
  double sd = 0;     ///< TorqueScaleSpread::sd after the calibration
  std::string yaml;  ///< log.torque_scale and estimation.torque_scale_sd for an identification
};

/// Part of a log in which one body is on the sensor.
struct PayloadStretch {
  double from_s = 0, to_s = 0;
  PayloadAnswer answer;
  PayloadInterval mass;
  std::array<PayloadInterval, 3> com;
  /// What is more on the sensor than in the first stretch, as a body of its own.
  struct Added {
    PayloadAnswer answer;
    PayloadInterval mass;
    std::array<PayloadInterval, 3> com;
  };
  std::optional<Added> added;  ///< none in the first stretch, and where less is on the sensor
};

struct PayloadResult {
  std::string frame = "sensor";  ///< or the link's name: of parameters, intervals and shape
  std::vector<PayloadLog> logs;
  PayloadOptions options;
  PayloadShape shape;
  std::vector<PayloadAnswer> answers;  ///< one a method, in the order asked for; the first is the
                                       ///< answer
  Eigen::ArrayXXd biases;  ///< groups x 6, force [N] and torque [N m]; a row of zeros without; no
                           ///< row by torques
  Eigen::ArrayXXd drifts;  ///< the same: from the first to the last sample, where the bias drifts;
                           ///< else no row
  Vector6d residual_rms = Vector6d::Zero();  ///< [N], [N m]: of the answer, biases apart, over the
                                             ///< samples as they came
  PayloadInterval mass;                      ///< [kg], 95 %
  std::array<PayloadInterval, 3> com;        ///< [m], 95 %
  std::vector<std::string> set_by_prior;  ///< of `auto`: parameters of which the prior decides more
                                          ///< than half
  int num_directions = 0;  ///< poses at rest: directions of gravity that differ by more than 2
                           ///< degrees
  std::vector<PayloadDoubt> doubts;
  std::optional<KnownTool> as_tool;  ///< the payload as one that a later run knows; none if mass or
                                     ///< place are open
  std::vector<PayloadStretch> stretches;  ///< of a log whose body changes; the answer is that of
                                          ///< the last
  WrenchSamples samples;                  ///< none of a payload that was weighed by torques
  std::vector<PayloadChannel> channels;   ///< those of the robot, by torques
  TorqueScaleSpread torque_scales;        ///< by torques
  /// By torques, where PayloadLimits::known_mass is between half and twice the mass that the log
  /// shows and the robot has error bars.
  std::optional<TorqueCalibration> calibration;

  bool is_by_torques() const { return !channels.empty(); }
  const PayloadAnswer& answer() const { return answers.front(); }

  /// Whether the mass is above its own interval: that is above zero, and not as wide to either side
  /// as the mass.
  bool shows_payload() const {
    return mass.low > 0 && answer().parameters[core::kMass] > (mass.high - mass.low) / 2;
  }
};

/// Errors: samples that tell nothing, a wrench of evidently wrong sign, order or frame (with the
/// option that corrects it), a first method without an answer; stopped(). `by_auto`: what
/// fit_payload would answer by method auto, if it is known.
Result<PayloadResult> weigh_payload(
    const WrenchSamples& samples, const PayloadOptions& options, const PayloadShape& shape,
    const std::vector<PayloadMethod>& methods = {PayloadMethod::automatic},
    const Progress& progress = {}, const PayloadAnswer* by_auto = nullptr);

/// By one method alone; neither diagnosis nor intervals. Errors as above.
Result<PayloadAnswer> fit_payload(const WrenchSamples& samples, const PayloadOptions& options,
                                  const PayloadShape& shape, PayloadMethod method);

// Many payloads at once, from arrays: thousands of grasps, each with its certificate. Neither
// diagnosis nor intervals: weigh_payload has those, one payload at a time.

struct PayloadTask {
  const WrenchSamples* samples = nullptr;
  const PayloadShape* shape = nullptr;  ///< may be shared by many
};

/// Answers of method `auto` in the order of the tasks; what cannot be weighed has
/// PayloadAnswer::failure. Neither the number of threads nor a task's neighbors change its answer.
/// Errors: a task without samples or shape, no thread; stopped().
Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, int num_threads = 1,
                                               const Progress& progress = {});

/// The same by an executor that has a device: sums are made on `num_threads` threads, the convex
/// problems of all payloads solved together (SolveCount "payloads"), and each answer is certified
/// here. Answers are those of above to the gap of their certificates, a number of the objective in
/// ten. Errors besides: a device that breaks down. Without a device it is the above.
Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, Executor& executor,
                                               int num_threads = 1, const Progress& progress = {});

/// From logs to a weighed payload.
struct PayloadRequest {
  std::vector<Log> logs;                ///< of one payload; each has a bias of its own
  std::optional<SensorOnLink> on_link;  ///< motion comes from a robot's coordinates; else it is in
                                        ///< the logs
  PayloadOptions options;
  PayloadShape shape;
  std::vector<PayloadMethod> methods = {PayloadMethod::automatic};
  Progress progress = {};
};

/// Errors: those of read_wrench_log, concatenated and weigh_payload; stopped().
Result<PayloadResult> weigh_logs(const PayloadRequest& request);

/// The same in two steps, between which somebody may solve for many (weigh_batch).
struct ReadPayload {
  WrenchSamples samples;  ///< of all logs, a known tool taken off
  std::vector<PayloadLog> logs;
};
Result<ReadPayload> read_logs(const PayloadRequest& request);
/// `by_auto`: the answer of method auto to these samples, if it is known.
Result<PayloadResult> weigh_read(const PayloadRequest& request, ReadPayload read,
                                 const PayloadAnswer* by_auto = nullptr);

/// Four point masses that have the moments of `payload`; inside `bounds` if any four can be.
struct FourMasses {
  Eigen::Vector4d mass = Eigen::Vector4d::Zero();  ///< [kg]
  Eigen::Matrix<double, 3, 4> at;                  ///< [m], a column each
  bool inside = false;                             ///< of the bounds
};

/// Error: a payload that no masses have.
Result<FourMasses> four_masses(const BodyParameters& payload,
                               const std::optional<Ellipsoid>& bounds = {});

/// The same body in the flange's frame.
BodyParameters in_flange(const PayloadResult& result);

/// What to make of the answer, in a word and in a sentence.
struct PayloadVerdict {
  /// green: certified, and no serious doubt open; amber: a serious doubt is open; red: no
  /// certificate.
  std::string level, words;
};

PayloadVerdict payload_verdict(const PayloadResult& result);

std::string payload_json(const PayloadResult& result);
std::string payload_summary(const PayloadResult& result);
std::string payload_page(const PayloadResult& result);

/// Writes result.json, report.html, payload.urdf, payload_franka.json, payload_ur.txt,
/// payload_ros2.yaml and points.csv into `directory` (made if missing), all of them or none; of an
/// impossible answer, and of a mass that is not above its own interval, only the first two, and
/// those of an earlier run are removed; of a calibration zero.yaml, too. Returns their paths.
Result<std::vector<std::string>> write_payload(const PayloadResult& result,
                                               const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
