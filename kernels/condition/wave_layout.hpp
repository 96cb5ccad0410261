// Where everything that a device needs to condition a wave of segments lies in one arena:
//
//   tables and rows | counts | samples | work
//
// The first two go up in one copy, the middle two come down in one copy, and work stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "log_task.hpp"
#include "rows/device_conditioner.hpp"

namespace heft::cuda {

class WaveLayout {
 public:
  explicit WaveLayout(std::span<const RawSegment> segments);

  std::int64_t num_bytes() const { return end_; }            ///< of the arena
  std::int64_t bytes_up() const { return counts_end_; }      ///< from its beginning
  std::int64_t first_down() const { return counts_begin_; }  ///< of what comes down
  std::int64_t bytes_down() const { return samples_end_ - counts_begin_; }
  std::int64_t tasks_begin() const { return tasks_begin_; }
  int max_values() const { return max_values_; }
  std::int64_t max_kept() const { return max_kept_; }

  /// Writes what goes up, for an arena that begins at `device`, into host memory.
  void write(std::byte* device, std::byte* up) const;
  /// Reads what came down.
  std::vector<ConditionedSegment> read(const std::byte* down) const;

 private:
  struct Places {  // bytes from the beginning of the arena
    std::int64_t time, values, num_uniform, num_kept, num_without_motion, num_dropped, sample_time,
        position, velocity, acceleration, torque, weight, row_of, share, uniform_time, uniform,
        filtered, slow, flags;
  };
  struct PlanPlaces {
    std::int64_t columns, channels, sections[3], projections[3];
  };

  kernels::LogTask task(std::size_t index, std::byte* device) const;

  std::span<const RawSegment> segments_;
  std::map<const SegmentPlan*, PlanPlaces> plans_;
  std::vector<Places> places_;
  std::int64_t tasks_begin_ = 0, counts_begin_ = 0, counts_end_ = 0, samples_end_ = 0, end_ = 0;
  std::int64_t max_kept_ = 0;
  int max_values_ = 0;
};

}  // namespace heft::cuda
