// Torques over time, small enough to draw for logs of any length: data of the second pass over the
// samples for the report page. Every bin of the time axis keeps the minimum and maximum of its
// samples, so that no peak is lost; if there are few samples, a bin is one sample. Threads: plain
// values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Minimum and maximum of one channel's signal per bin of Traces::time_s; NaN if no sample of the
/// bin was used.
struct Envelope {
  std::vector<float> lower, upper;
};

/// Distribution of a residual: equal bins around zero; the first and last also count values beyond
/// them.
struct Histogram {
  double bin_width = 0;  ///< in the channel's unit
  std::vector<long long> counts;
};

/// Samples of a joint, evenly distributed over the logs, that compare its friction and other extra
/// columns with the torque that they have to explain. Unused rows are excluded.
struct FrictionPoints {
  std::vector<float> speed;   ///< of the joint's coordinate [rad/s] or [m/s]
  std::vector<float> torque;  ///< measured torque minus the model without those columns: their part
                              ///< plus the residual
  std::vector<float> fit;     ///< part of those columns in the prediction
};

/// The robot's coordinates at one sample.
struct Posture {
  double time_s = 0;         ///< as Traces::time_s
  Eigen::VectorXd position;  ///< of the coordinates [rad] or [m]
  /// Of every foot: force [N] in the axes of its frame; zero if it is not in contact.
  std::vector<Eigen::Vector3d> forces = {};
};

/// The force of the environment on a foot.
struct FootTraces {
  std::string name, frame;
  int body = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< the frame's origin in the body
  Eigen::Matrix3d R_body_frame = Eigen::Matrix3d::Identity();
  /// Measured; otherwise the forces that explain the torques of each sample best.
  bool is_measured = true;
  std::string state;              ///< of an unmeasured contact: "flag", "threshold" or "residuals"
  double widen_s = 0;             ///< of an unmeasured contact
  std::vector<int> components;    ///< of fx, fy, fz, nx, ny, nz
  std::vector<Envelope> wrench;   ///< one per component [N] or [N m]
  Envelope in_contact;            ///< 1 or 0 with the margin; empty: measured
  Envelope in_contact_unwidened;  ///< 1 or 0 without it
};

/// Squared errors and torques of all channels over the used rows, summed over equal stretches of
/// consecutive samples (the last may be shorter): the variation of the error along the log.
struct ErrorBlocks {
  long long samples_per_block = 1;
  std::vector<double> error2, torque2;
};

/// Traces of one channel.
struct ChannelTraces {
  std::string channel;
  std::string unit;
  /// Of the base: `measured` is what feet and sensors exert on it, `predicted` what the bodies
  /// need.
  bool is_base = false;
  Envelope measured;            ///< used rows only; includes known torques, like `predicted`
  Envelope predicted;           ///< by the estimate
  Envelope residual;            ///< measured minus predicted, used rows only
  std::vector<Envelope> parts;  ///< one per Traces::parts; their sum is `predicted`
  Histogram residuals;
  /// Amplitude density of the residual, one per Traces::frequency_hz [unit / sqrt(Hz)]; empty if
  /// the log is too short.
  std::vector<double> amplitude_density;
  FrictionPoints friction;  ///< empty for wrenches and without extra columns
};

/// Traces of all channels.
struct Traces {
  bool held_out = false;  ///< true: of the held-out logs; false: of the training logs
  long long num_samples = 0;
  int samples_per_bin = 1;
  double start_s = 0;          ///< stamp of the first sample [s]
  std::vector<double> time_s;  ///< time of every bin's first sample after start_s; logs are
                               ///< concatenated
  std::vector<int> segment;    ///< of every bin's first sample; a change marks a gap
  std::vector<std::string> parts;
  std::vector<double> frequency_hz;
  std::vector<ChannelTraces> channels;
  std::vector<FootTraces> feet;
  std::vector<Posture> postures;  ///< a few, evenly distributed over the logs
};

}  // namespace heft
#pragma GCC visibility pop
