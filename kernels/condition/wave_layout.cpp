#include "wave_layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace heft::cuda {

namespace {

using kernels::FilterSection, kernels::LogTask, kernels::TorqueChannel, kernels::ValueColumn;

constexpr std::int64_t kAlignment = 32;  ///< a sector of device memory
constexpr std::size_t kNumReasons = 4;   ///< core::DropReason

std::array<const SegmentPlan::LowPass*, 3> filters_of(const SegmentPlan& plan) {
  return {&plan.motion, &plan.torque, &plan.dead_band};
}

std::int64_t padding_of(const SegmentPlan& plan) {
  return std::max(plan.motion.padding, std::max(plan.torque.padding, plan.dead_band.padding));
}

template <class T>
void write_numbers(std::byte* to, const T* numbers, std::size_t count) {
  if (count > 0) std::memcpy(to, numbers, count * sizeof(T));
}

template <class T>
void write_all(std::byte* to, const std::vector<T>& numbers) {
  write_numbers(to, numbers.data(), numbers.size());
}

template <class T>
T number_at(const std::byte* from) {
  T number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

Eigen::ArrayXXd array_at(const std::byte* from, std::int64_t rows, int columns) {
  Eigen::ArrayXXd array(rows, columns);
  if (array.size() > 0)
    std::memcpy(array.data(), from, static_cast<std::size_t>(array.size()) * sizeof(double));
  return array;
}

std::vector<ValueColumn> columns_of(const SegmentPlan& plan) {
  // rows are in SI units already
  std::vector<ValueColumn> columns(static_cast<std::size_t>(plan.num_motions), {1, 0, 0, 0});
  for (const SegmentPlan::Torque& torque : plan.torques)
    columns.push_back({1, 0, torque.clipped_at, torque.near_missing});
  return columns;
}

std::vector<TorqueChannel> channels_of(const SegmentPlan& plan) {
  std::vector<TorqueChannel> channels;
  for (const SegmentPlan::Channel& c : plan.channels)
    channels.push_back({c.value, c.coordinate, c.delay, c.gain, c.band});
  return channels;
}

}  // namespace

WaveLayout::WaveLayout(std::span<const RawSegment> segments)
    : segments_(segments), places_(segments.size()) {
  const auto take = [this](std::int64_t count, std::size_t size) {
    const std::int64_t begin = end_;
    end_ += (count * static_cast<std::int64_t>(size) + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  };
  const auto doubles = [&](std::int64_t count) { return take(count, sizeof(double)); };
  const auto for_each = [&](const auto& place) {
    for (std::size_t i = 0; i < segments_.size(); ++i)
      place(places_[i], segments_[i], *segments_[i].plan);
  };

  tasks_begin_ = take(static_cast<std::int64_t>(segments.size()), sizeof(LogTask));
  for (const RawSegment& segment : segments) {
    const SegmentPlan& plan = *segment.plan;
    max_values_ = std::max(max_values_, plan.num_values);
    max_kept_ = std::max(max_kept_, plan.num_kept(segment.num_uniform));
    PlanPlaces places;
    if (!plans_.emplace(&plan, places).second) continue;
    places.columns = take(plan.num_values, sizeof(ValueColumn));
    places.channels = take(std::ssize(plan.channels), sizeof(TorqueChannel));
    for (std::size_t f = 0; f < 3; ++f) {
      const SegmentPlan::LowPass& filter = *filters_of(plan)[f];
      places.sections[f] = take(std::ssize(filter.sections), sizeof(FilterSection));
      places.projections[f] = doubles(filter.projection.size());
    }
    plans_[&plan] = places;
  }
  for_each([&](Places& at, const RawSegment& segment, const SegmentPlan&) {
    at.time = doubles(std::ssize(segment.time));
    at.values = doubles(std::ssize(segment.values));
  });
  counts_begin_ = end_;
  for_each([&](Places& at, const RawSegment&, const SegmentPlan&) {
    at.num_uniform = take(3 + kNumReasons, sizeof(std::int64_t));
    at.num_kept = at.num_uniform + static_cast<std::int64_t>(sizeof(std::int64_t));
    at.num_without_motion = at.num_kept + static_cast<std::int64_t>(sizeof(std::int64_t));
    at.num_dropped = at.num_without_motion + static_cast<std::int64_t>(sizeof(std::int64_t));
  });
  counts_end_ = end_;
  for_each([&](Places& at, const RawSegment& segment, const SegmentPlan& plan) {
    const std::int64_t kept = plan.num_kept(segment.num_uniform);
    at.sample_time = doubles(kept);
    for (auto* place : {&at.position, &at.velocity, &at.acceleration})
      *place = doubles(kept * plan.num_coordinates);
    for (auto* place : {&at.torque, &at.weight}) *place = doubles(kept * std::ssize(plan.channels));
  });
  samples_end_ = end_;
  for_each([&](Places& at, const RawSegment& segment, const SegmentPlan& plan) {
    const std::int64_t n = segment.num_uniform;
    const std::int64_t padded = (n + 2 * padding_of(plan)) * plan.num_values;
    at.row_of = take(n, sizeof(long long));
    at.share = doubles(n);
    at.uniform_time = doubles(n);
    at.uniform = doubles(n * plan.num_values);
    at.filtered = doubles(padded);
    at.slow = doubles(plan.has_dead_band ? padded : 0);
    at.flags = take(n * std::ssize(plan.torques), sizeof(std::uint32_t));
  });
}

LogTask WaveLayout::task(std::size_t index, std::byte* device) const {
  const RawSegment& segment = segments_[index];
  const SegmentPlan& plan = *segment.plan;
  const Places& at = places_[index];
  const PlanPlaces& tables = plans_.at(&plan);
  const auto doubles = [&](std::int64_t place) {
    return reinterpret_cast<double*>(device + place);
  };
  const auto counts = [&](std::int64_t place) {
    return reinterpret_cast<unsigned long long*>(device + place);
  };
  const auto filter = [&](std::size_t f) -> kernels::LowPass {
    const SegmentPlan::LowPass& low_pass = *filters_of(plan)[f];
    return {reinterpret_cast<const FilterSection*>(device + tables.sections[f]),
            doubles(tables.projections[f]), static_cast<int>(low_pass.sections.size()),
            low_pass.padding, static_cast<int>(low_pass.projection.rows())};
  };
  LogTask task{};
  task.time = doubles(at.time);
  task.values = doubles(at.values);
  task.num_rows = segment.num_rows();
  task.num_values = plan.num_values;
  task.num_motions = plan.num_motions;
  task.columns = reinterpret_cast<const ValueColumn*>(device + tables.columns);
  task.period = plan.period;
  task.tolerance = plan.tolerance;
  task.is_even = plan.is_even ? 1 : 0;
  task.max_uniform = segment.num_uniform;
  task.row_of = reinterpret_cast<long long*>(device + at.row_of);
  task.share = doubles(at.share);
  task.uniform_time = doubles(at.uniform_time);
  task.num_uniform = reinterpret_cast<long long*>(device + at.num_uniform);
  task.motion = filter(0);
  task.torque = filter(1);
  task.dead_band = filter(2);
  task.most_padding = padding_of(plan);
  task.uniform = doubles(at.uniform);
  task.filtered = doubles(at.filtered);
  task.slow = plan.has_dead_band ? doubles(at.slow) : nullptr;
  task.flags = reinterpret_cast<std::uint32_t*>(device + at.flags);
  task.guard = plan.guard;
  task.num_coordinates = plan.num_coordinates;
  task.num_channels = static_cast<int>(plan.channels.size());
  task.first_velocity = plan.first_velocity;
  task.first_acceleration = plan.first_acceleration;
  task.motion_delay = plan.motion_delay;
  task.channels = reinterpret_cast<const TorqueChannel*>(device + tables.channels);
  task.trim = plan.trim;
  task.keep_every = plan.keep_every;
  task.max_kept = plan.num_kept(segment.num_uniform);
  task.sample_time = doubles(at.sample_time);
  task.position = doubles(at.position);
  task.velocity = doubles(at.velocity);
  task.acceleration = doubles(at.acceleration);
  task.torque_out = doubles(at.torque);
  task.weight = doubles(at.weight);
  task.num_kept = reinterpret_cast<long long*>(device + at.num_kept);
  task.num_without_motion = counts(at.num_without_motion);
  task.num_dropped = counts(at.num_dropped);
  return task;
}

void WaveLayout::write(std::byte* device, std::byte* up) const {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const LogTask one = task(i, device);
    write_numbers(up + tasks_begin_ + static_cast<std::int64_t>(i * sizeof one), &one, 1);
    write_all(up + places_[i].time, segments_[i].time);
    write_all(up + places_[i].values, segments_[i].values);
  }
  for (const auto& [plan, at] : plans_) {
    write_all(up + at.columns, columns_of(*plan));
    write_all(up + at.channels, channels_of(*plan));
    for (std::size_t f = 0; f < 3; ++f) {
      const SegmentPlan::LowPass& filter = *filters_of(*plan)[f];
      std::vector<FilterSection> sections;
      for (const Biquad& s : filter.sections) sections.push_back({s.b0, s.b1, s.b2, s.a1, s.a2});
      write_all(up + at.sections[f], sections);
      write_numbers(up + at.projections[f], filter.projection.data(),
                    static_cast<std::size_t>(filter.projection.size()));
    }
  }
  std::fill(up + counts_begin_, up + counts_end_, std::byte{0});
}

std::vector<ConditionedSegment> WaveLayout::read(const std::byte* down) const {
  std::vector<ConditionedSegment> conditioned(segments_.size());
  const auto came_down = [&](std::int64_t place) { return down + (place - counts_begin_); };
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const SegmentPlan& plan = *segments_[i].plan;
    const Places& at = places_[i];
    const std::int64_t kept = plan.num_kept(segments_[i].num_uniform);
    const int num_channels = static_cast<int>(plan.channels.size());
    ConditionedSegment& segment = conditioned[i];
    segment.num_uniform = number_at<std::int64_t>(came_down(at.num_uniform));
    for (std::size_t k = 0; k < kNumReasons; ++k)
      segment.num_dropped[k] = number_at<std::int64_t>(
          came_down(at.num_dropped + static_cast<std::int64_t>(k * sizeof(std::int64_t))));
    Samples& samples = segment.samples;
    samples.time = array_at(came_down(at.sample_time), kept, 1);
    samples.position = array_at(came_down(at.position), kept, plan.num_coordinates);
    samples.velocity = array_at(came_down(at.velocity), kept, plan.num_coordinates);
    samples.acceleration = array_at(came_down(at.acceleration), kept, plan.num_coordinates);
    samples.torque = array_at(came_down(at.torque), kept, num_channels);
    samples.weight = array_at(came_down(at.weight), kept, num_channels);
  }
  return conditioned;
}

}  // namespace heft::cuda
