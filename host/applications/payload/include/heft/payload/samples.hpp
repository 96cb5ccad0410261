// What a force-torque sensor felt while it moved: samples of its motion and of its wrench,
// everything in the sensor's frame, and how they come from logs.
//
// With w, wd [rad/s, rad/s^2] the sensor's angular velocity and acceleration, u = a - g [m/s^2] the
// classical acceleration of its origin less gravity, and m, h, I the payload's mass, first moment
// and tensor about the sensor's origin, the sensor exerts
//
//   f = m u + W h                          W = [wd]x + [w]x^2
//   n = h x u + I wd + w x (I w)
//
// on the payload (FORMULAS 8 with one body and the six unit screws of its frame). Both are linear
// in twelve numbers: u, wd and w w'. These are what samples hold, so that a filter which goes over
// them and over the wrench goes over both sides alike. Threads: any number of threads may call,
// each with objects of its own; what is const may be shared.
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

/// What a payload's log or answer must be doubted for, and how to fix it.
struct PayloadDoubt {
  std::string id;  ///< one word of docs/payload.md
  bool serious = false;
  std::string what, remedy;
  std::string log = {};               ///< path of the log it is about; empty: all of them
  bool accepted = false;              ///< somebody looked, and it is as it should be
  std::optional<double> from_s = {};  ///< time of the log [s] at which it begins, where it does
};

/// A serious doubt that was not accepted.
inline bool has_open_doubt(const std::vector<PayloadDoubt>& doubts) {
  for (const PayloadDoubt& doubt : doubts)
    if (doubt.serious && !doubt.accepted) return true;
  return false;
}

using Vector6d = Eigen::Matrix<double, 6, 1>;

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

  /// Samples that follow each other without a gap, of one log and one offset of the sensor.
  struct Segment {
    Eigen::Index begin = 0, size = 0;
    int log = 0;
    int offset = 0;  ///< of the log: another one from where the sensor was zeroed
  };

  /// Offsets that drift (BiasKind::drift) are polynomials of this degree in time.
  struct Drift {
    int degree = 1;
    bool by_logged_time = false;  ///< else in `time`
  };

  Eigen::ArrayXd time;      ///< [s]
  Eigen::ArrayXXd motion;   ///< samples x kNumMotion: u, wd, w w'
  Eigen::ArrayXXd wrench;   ///< samples x 6: force [N], torque [N m] about the sensor's origin, on
                            ///< the payload
  Eigen::ArrayXXd gravity;  ///< samples x 3 [m/s^2], where it is known apart from the acceleration;
                            ///< else empty
  Eigen::ArrayXd logged_time;  ///< [s] of poses at rest, where the log has it; else empty
  Drift drift;
  std::vector<Segment> segments;      ///< all samples, in order
  bool is_oriented_by_force = false;  ///< poses whose gravity was told by their forces alone
  bool moves = true;  ///< false: poses at rest, each a sample of its own; w = wd = 0

  Eigen::Index size() const { return time.size(); }
};

/// Samples of one log from arrays of one row a sample: w, wd, u (three columns each) and the wrench
/// (six). A gap of more than ten median periods begins a new segment. Errors: sizes that disagree,
/// no sample, numbers that are not finite, time that does not go forward.
Result<WrenchSamples> make_wrench_samples(const Eigen::ArrayXd& time, const Eigen::ArrayXXd& w,
                                          const Eigen::ArrayXXd& wd, const Eigen::ArrayXXd& u,
                                          const Eigen::ArrayXXd& wrench);

/// Poses at rest: gravity in the sensor's frame (three columns) and the wrench (six). Errors as
/// above.
Result<WrenchSamples> make_pose_samples(const Eigen::ArrayXXd& gravity,
                                        const Eigen::ArrayXXd& wrench);

/// Samples of several logs, one after another. Errors: poses at rest mixed with motion, none at
/// all.
Result<WrenchSamples> concatenated(const std::vector<WrenchSamples>& logs);

/// Motion and wrench low-passed alike (Butterworth of order 4, forward and backward), segment by
/// segment; segments that are too short for the filter drop out. Errors: no segment is long enough,
/// a cut-off that the rate does not carry.
Result<WrenchSamples> low_passed(const WrenchSamples& samples, double cutoff_hz);

/// The first or the second half of every segment; of poses at rest every other one.
WrenchSamples half_of(const WrenchSamples& samples, int which);

/// Samples per second; 0 of poses at rest.
double rate_of(const WrenchSamples& samples);

/// The samples with the wrench of a known tool, and its offset, taken off.
WrenchSamples without_tool(WrenchSamples samples, const KnownTool& tool);

/// Samples x 6: the wrench that a payload would need for the motion.
Eigen::ArrayXXd payload_wrench(const WrenchSamples& samples, const BodyParameters& payload);

/// What a log was oriented by, besides gravity: r11..r33, or a quaternion.
enum class LoggedRotation { none, matrix, quaternion };

struct PayloadLog {
  std::string path, sha256;
  std::int64_t num_rows = 0, num_dropped = 0;
  double duration_s = 0, rate_hz = 0;
  double wrench_delay_s = 0;               ///< by which the wrench was taken to be late
  std::array<std::string, 6> wrench = {};  ///< columns that it was read from
  LoggedRotation rotation = LoggedRotation::none;
  std::vector<PayloadDoubt> doubts;  ///< parts of the motion that do not belong together
};

/// A log of `t,wx..wz,alx..alz,ax..az,gx..gz,fx..fz,nx..nz` (gravity, or an orientation r11..r33,
/// row-major, or qx..qw, sensor to world), or of poses at rest: an orientation or gravity, and the
/// wrench; or the wrench alone, of poses that go around (FORMULAS 8). Rows with a number missing
/// drop out. `about` hears what was read. Errors: columns that are missing, with near misses; those
/// of Source; an orientation that is none.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOptions& options,
                                      PayloadLog& about);

// A sensor on a link of a robot whose coordinates are logged: its motion comes by forward
// kinematics.
//
// Positions are smoothed and differentiated, and the wrench filtered, as heft identify does it with
// joints and torques (heft/log/log.hpp); w, wd and u of the link follow from q, qd and qdd
// (FORMULAS 1). Rows half a second or more apart, or without a time, are poses at rest.

struct SensorOnLink {
  Robot robot;
  std::string link;  ///< SensorOptions::mounting is the sensor's pose in it
  LogFormat format;  ///< where the coordinates are; the wrench stands in fx,fy,fz,nx,ny,nz
  ConditioningOptions conditioning;
};

/// Samples in the sensor's frame. |g| is SensorOptions::gravity where that was set, down is where
/// the robot's gravity points. `about` hears what was read. Errors: those of condition_log; a link
/// that the robot does not move.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOnLink& sensor,
                                      const SensorOptions& options, PayloadLog& about);

}  // namespace heft
#pragma GCC visibility pop
