// Torques over time, small enough to draw however long the logs were: what the second pass over the
// samples leaves for the page. Every bin of the time axis keeps the least and the largest value of
// its samples, so that no peak is lost; while the samples are few, a bin is one sample. Threads:
// plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// One value pair per bin of Traces::time; NaN where no sample of the bin was used.
struct Envelope {
  std::vector<float> lower, upper;
};

/// How often a residual fell where: equal bins around zero, and what lies beyond in the first and
/// last.
struct Histogram {
  double bin_width = 0;  ///< in the channel's unit
  std::vector<long long> counts;
};

/// Samples of a joint, evenly spread over the logs: what its friction and other extra columns have
/// to explain, and what they say. Rows that were not used are left out.
struct FrictionPoints {
  std::vector<float> speed;   ///< of the joint's coordinate [rad/s] or [m/s]
  std::vector<float> torque;  ///< measured less all of the model but those columns: their part plus
                              ///< the residual
  std::vector<float> fit;     ///< their part of the prediction
};

/// Where the robot was at a sample.
struct Posture {
  double time_s = 0;         ///< as Traces::time_s
  Eigen::VectorXd position;  ///< of the coordinates [rad] or [m]
};

/// Squares of errors and torques of all channels over the used rows, summed over equal stretches of
/// consecutive samples (the last may be shorter): how much an error varies along the log.
struct ErrorBlocks {
  long long samples_per_block = 1;
  std::vector<double> error2, torque2;
};

struct ChannelTraces {
  std::string channel;
  std::string unit;
  Envelope measured;            ///< used rows only; known torques included, as in `predicted`
  Envelope predicted;           ///< by the answer
  Envelope residual;            ///< measured minus predicted, used rows only
  std::vector<Envelope> parts;  ///< one per Traces::parts; they add up to `predicted`
  Histogram residuals;
  /// Of the residual, one per Traces::frequency_hz [unit / sqrt(Hz)]; empty if the log is too
  /// short.
  std::vector<double> amplitude_density;
  FrictionPoints friction;  ///< empty for wrenches and without extra columns
};

struct Traces {
  bool held_out = false;  ///< of the held-out logs, else of the training logs
  long long num_samples = 0;
  int samples_per_bin = 1;
  double start_s = 0;          ///< stamp of the first sample [s]
  std::vector<double> time_s;  ///< of every bin's first sample, after start_s; logs one behind the
                               ///< other
  std::vector<int> segment;    ///< of every bin's first sample: a change is a gap
  std::vector<std::string> parts;
  std::vector<double> frequency_hz;
  std::vector<ChannelTraces> channels;
  std::vector<Posture> postures;  ///< a few, evenly spread over the logs
};

}  // namespace heft
#pragma GCC visibility pop
