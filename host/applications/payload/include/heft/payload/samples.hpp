// Samples of a force-torque sensor's motion and wrench in the sensor's frame, and how they are read
// from logs.
//
// With w, wd [rad/s, rad/s^2] the sensor's angular velocity and acceleration, u = a - g [m/s^2] the
// classical acceleration of its origin minus gravity, and m, h, I the payload's mass, first moment
// and tensor about the sensor's origin, the sensor exerts
//
//   f = m u + W h                          W = [wd]x + [w]x^2
//   n = h x u + I wd + w x (I w)
//
// on the payload (FORMULAS 8 with one body and the six unit screws of its frame). Both are linear
// in twelve numbers: u, wd and w w'. Samples contain these numbers, so that a filter applied to
// them and to the wrench acts equally on both sides. Threads: safe to call from several threads on
// separate objects; const objects may be shared.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/log/source.hpp"
#include "heft/model/robot.hpp"
#include "heft/payload/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A reason to doubt a payload's log or estimate, and its remedy.
struct PayloadDoubt {
  std::string id;  ///< one of the ids in docs/payload.md
  bool serious = false;
  std::string what, remedy;
  std::string log = {};               ///< path of the log concerned; empty: all logs
  bool accepted = false;              ///< the user has examined and accepted it
  std::optional<double> from_s = {};  ///< time of the log [s] at which it begins, if it has one
};

/// Returns whether a doubt is serious and not accepted.
inline bool has_open_doubt(const std::vector<PayloadDoubt>& doubts) {
  for (const PayloadDoubt& doubt : doubts)
    if (doubt.serious && !doubt.accepted) return true;
  return false;
}

/// A wrench or other six numbers: force or linear part first.
using Vector6d = Eigen::Matrix<double, 6, 1>;

/// Motion and wrench of a sensor, sample by sample.
struct WrenchSamples {
  /// Columns of `motion`.
  enum Motion : int {
    kUx,
    kUy,
    kUz,
    kWdx,
    kWdy,
    kWdz,
    kWwxx,
    kWwxy,
    kWwyy,
    kWwxz,
    kWwyz,
    kWwzz,
    kNumMotion
  };

  /// Consecutive samples of one log without a gap and with one offset of the sensor.
  struct Segment {
    Eigen::Index begin = 0, size = 0;
    int log = 0;
    int offset = 0;  ///< index of the offset within the log; changes when the sensor was zeroed
  };

  /// Offsets that drift (BiasKind::drift) are polynomials of this degree in time.
  struct Drift {
    int degree = 1;
    bool by_logged_time = false;  ///< true: in logged_time; false: in `time`
  };

  Eigen::ArrayXd time;         ///< [s]
  Eigen::ArrayXXd motion;      ///< samples x kNumMotion: u, wd, w w'
  Eigen::ArrayXXd wrench;      ///< samples x 6: force [N], torque [N m] about the sensor's origin,
                               ///< exerted on the payload
  Eigen::ArrayXXd gravity;     ///< samples x 3 [m/s^2], if known separately from the acceleration;
                               ///< otherwise empty
  Eigen::ArrayXd logged_time;  ///< [s] of poses at rest, if logged; otherwise empty
  Drift drift;
  std::vector<Segment> segments;      ///< cover all samples, in order
  bool is_oriented_by_force = false;  ///< poses whose direction of gravity was estimated from their
                                      ///< forces
  bool moves = true;                  ///< false: poses at rest, each a separate sample; w = wd = 0

  Eigen::Index size() const { return time.size(); }
};

/// Makes samples of one log from arrays with one row per sample: w, wd, u (three columns each) and
/// the wrench (six). A gap of more than ten median periods begins a new segment. Errors: sizes that
/// disagree, no samples, numbers that are not finite, time that does not increase.
Result<WrenchSamples> make_wrench_samples(const Eigen::ArrayXd& time, const Eigen::ArrayXXd& w,
                                          const Eigen::ArrayXXd& wd, const Eigen::ArrayXXd& u,
                                          const Eigen::ArrayXXd& wrench);

/// Makes samples of poses at rest: gravity in the sensor's frame (three columns) and the wrench
/// (six). Errors: those of make_wrench_samples.
Result<WrenchSamples> make_pose_samples(const Eigen::ArrayXXd& gravity,
                                        const Eigen::ArrayXXd& wrench);

/// Returns the samples of several logs, one after another. Errors: poses at rest mixed with motion,
/// no logs.
Result<WrenchSamples> concatenated(const std::vector<WrenchSamples>& logs);

/// Returns the samples with motion and wrench filtered by the same low-pass (Butterworth of order
/// 4, forward and backward), segment by segment; segments that are too short for the filter are
/// dropped. Errors: no segment is long enough, a cutoff that is too high for the rate.
Result<WrenchSamples> low_passed(const WrenchSamples& samples, double cutoff_hz);

/// Returns the first or second half of every segment; for poses at rest, every second pose.
WrenchSamples half_of(const WrenchSamples& samples, int which);

/// Returns the samples per second; 0 for poses at rest.
double rate_of(const WrenchSamples& samples);

/// Returns the samples without the wrench and offset of a known tool.
WrenchSamples without_tool(WrenchSamples samples, const KnownTool& tool);

/// Returns the wrench that a payload needs for the motion, samples x 6.
Eigen::ArrayXXd payload_wrench(const WrenchSamples& samples, const BodyParameters& payload);

/// Orientation in a log in addition to gravity: r11..r33, or a quaternion.
enum class LoggedRotation { none, matrix, quaternion };

/// Summary of one log: its rows, columns and doubts.
struct PayloadLog {
  std::string path, sha256;
  std::int64_t num_rows = 0, num_dropped = 0;
  double duration_s = 0, rate_hz = 0;
  double wrench_delay_s = 0;               ///< delay of the wrench that was corrected
  std::array<std::string, 6> wrench = {};  ///< columns of the wrench
  LoggedRotation rotation = LoggedRotation::none;
  std::vector<PayloadDoubt> doubts;  ///< parts of the motion that are inconsistent
};

/// Reads a log of `t,wx..wz,alx..alz,ax..az,gx..gz,fx..fz,nx..nz` (gravity, or an orientation
/// r11..r33, row-major, or qx..qw, sensor to world), or of poses at rest: an orientation or
/// gravity, and the wrench; or only the wrench, for poses all around (FORMULAS 8). Rows with
/// missing numbers are dropped. Describes the log in `about`. Errors: missing columns, with near
/// misses; those of Source; an invalid orientation.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOptions& options,
                                      PayloadLog& about);

/// A sensor on a link of a robot whose coordinates are logged. Forward kinematics gives its motion.
///
/// Positions are smoothed and differentiated, and the wrench is filtered, as heft identify does
/// with positions and torques (heft/log/log.hpp); w, wd and u of the link follow from q, qd and qdd
/// (FORMULAS 1). Rows half a second or more apart, or without a time, are poses at rest.
struct SensorOnLink {
  Robot robot;
  std::string link;  ///< SensorOptions::mounting is the sensor's pose in it
  LogFormat format;  ///< columns of the coordinates; the wrench is in fx,fy,fz,nx,ny,nz
  ConditioningOptions conditioning;
};

/// Reads samples in the sensor's frame. |g| is SensorOptions::gravity if set; down is the direction
/// of the robot's gravity. Describes the log in `about`. Errors: those of condition_log; a link
/// that the robot does not move.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOnLink& sensor,
                                      const SensorOptions& options, PayloadLog& about);

}  // namespace heft
#pragma GCC visibility pop
