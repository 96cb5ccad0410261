// What a force-torque sensor felt while it moved: samples of its motion and of its wrench,
// everything in the sensor's frame.
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
// them and over the wrench goes over both sides alike. Threads: plain values: share them for
// reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"
#include "heft/payload/known_tool.hpp"

#pragma GCC visibility push(default)
namespace heft {

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

}  // namespace heft
#pragma GCC visibility pop
