// Interface of a device that conditions segments of logs: raw rows go up, samples come down.
// kernels/condition implements it with CUDA; conditioning/log_wave.hpp fills it from logs.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// How rows of a log become samples, the same for all its segments. Values of a row are positions,
/// velocities and accelerations as far as they are logged, then torques.
struct SegmentPlan {
  /// Sections, or the projection of a window, or neither.
  struct LowPass {
    std::vector<Biquad> sections = {};
    int padding = 0;
    Eigen::MatrixXd projection = {};  ///< window x window
  };
  struct Torque {
    double clipped_at;          ///< a torque of this size is dropped; infinite: none
    std::int64_t near_missing;  ///< rows around a missing torque that are dropped
  };
  struct Channel {
    int value;       ///< its column; -1: not measured
    int coordinate;  ///< whose speed the dead band tests; -1: none
    double delay;    ///< rows by which its torque is shifted later
    double gain;     ///< divisor of its torque
    double band;     ///< speeds below it drop the row; 0: none
  };

  int num_values = 0, num_motions = 0, num_coordinates = 0;
  std::vector<Torque> torques;  ///< of the values behind those of motion
  std::vector<Channel> channels;
  double period = 0, tolerance = 0;  ///< of the uniform grid [s]
  bool is_even = false;              ///< rows keep their own stamps
  LowPass motion, torque, dead_band;
  bool has_dead_band = false;
  std::int64_t guard = 0;  ///< rows over which missing torques are bridged linearly
  int first_velocity = -1, first_acceleration = -1;  ///< columns; -1: differences
  double motion_delay = 0;                           ///< rows by which motion is shifted earlier
  std::int64_t trim = 0, keep_every = 1;  ///< rows dropped at both ends; of others every n-th stays

  /// Returns the number of samples of a segment.
  std::int64_t num_kept(std::int64_t num_uniform) const {
    const std::int64_t left = num_uniform - 2 * trim;
    return left > 0 ? (left + keep_every - 1) / keep_every : 0;
  }
};

/// Rows without a pause and with known motion, in order of time, of different times.
struct RawSegment {
  std::shared_ptr<const SegmentPlan> plan;
  std::vector<double> time;      ///< [s]
  std::vector<double> values;    ///< rows x num_values in SI units, a row after the other
  std::int64_t num_uniform = 0;  ///< rows of the uniform grid; enough for all filters

  std::int64_t num_rows() const { return static_cast<std::int64_t>(time.size()); }
};

/// Samples of a segment.
struct ConditionedSegment {
  Samples samples;
  /// Rows that the device found on the grid; if rounding places one differently than on the host,
  /// not RawSegment::num_uniform, and the samples are not to be used.
  std::int64_t num_uniform = 0;
  std::array<std::int64_t, 4> num_dropped{};  ///< torques by core::DropReason
};

/// What a device has done since it was made.
struct DeviceWork {
  std::int64_t bytes_up = 0, bytes_down = 0, launches = 0;
  double device_s = 0;  ///< between the first and the last work of every launch sequence
};

/// Conditions segments. Threads: safe to call from several threads; calls are serialized.
class DeviceConditioner {
 public:
  virtual ~DeviceConditioner() = default;

  virtual std::string description() const = 0;
  /// Returns whether the memory of the device holds a segment.
  virtual bool takes(const RawSegment& segment) const = 0;
  /// Conditions all segments, as many at a time as the memory of the device holds; what a segment
  /// becomes does not depend on the others. Error: the device fails.
  virtual Result<std::vector<ConditionedSegment>> condition(
      std::span<const RawSegment> segments) = 0;
  virtual DeviceWork work() const = 0;
};

}  // namespace heft
#pragma GCC visibility pop
