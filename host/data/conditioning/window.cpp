#include "window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base_pose.hpp"
#include "heft/core/conditioning.hpp"
#include "log_rows.hpp"
#include "options_check.hpp"
#include "rows/unfiltered_motion.hpp"
#include "rows/unknown_wrenches.hpp"

namespace heft {

namespace {

// True at rows within `reach` of one whose flag has `bit`.
std::vector<char> near_flag(const Eigen::Ref<const FlagArray>& flags, Eigen::Index column,
                            std::uint8_t bit, Eigen::Index reach) {
  const Eigen::Index n = flags.rows();
  std::vector<char> near(static_cast<std::size_t>(n), 0);
  Eigen::Index marked = 0;  // rows before this one are settled
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(flags(i, column) & bit)) continue;
    const Eigen::Index end = std::min(n, i + reach + 1);
    for (Eigen::Index j = std::max(marked, i - reach); j < end; ++j)
      near[static_cast<std::size_t>(j)] = 1;
    marked = end;
  }
  return near;
}

// All rows of a window, guards included.
RawWindow whole(const RawWindow& window) {
  RawWindow all = window;
  all.first = 0;
  all.num_kept = window.time.size();
  all.step = 1;
  return all;
}

}  // namespace

Result<Done> check_finite(const Samples& block) {
  bool is_finite = true;
  for_each_array(block, [&](const SampleArray&, const Eigen::ArrayXXd& numbers) {
    // an infinite sum of finite numbers is examined one by one
    is_finite = is_finite && (std::isfinite(numbers.sum()) || numbers.allFinite());
  });
  if (!is_finite)
    return Error{fmt::format("t = {:.9g} s", block.time[0]),
                 "values overflow while they are conditioned",
                 "check the units and the columns of the log"};
  return Done{};
}

Result<Samples> WindowConditioner::condition(const RawWindow& window, DroppedRows& dropped) {
  smooth(window);
  HEFT_TRY(block, plan_.options.filter_rows ? condition_for_filtered_rows(window)
                                            : condition_states(window));
  find_speed(window);
  condition_torque(window, block);
  weigh(window, block, dropped);
  if (plan_.rows->needs_motion_around || plan_.unknown_wrenches)
    HEFT_CHECK(add_motion_around(window, block));

  HEFT_CHECK(check_finite(block));
  return std::move(block);
}

// All but torques and weights, at the kept rows.
Result<Samples> WindowConditioner::condition_states(const RawWindow& window) {
  Samples block;
  block.time = kept(window, {window.time.data(), window.time.size()});
  condition_motion(window, block);
  condition_base(window, block);
  Eigen::ArrayXXd logged(window.num_kept, plan_.columns.num_extra);
  for (int k = 0; k < plan_.columns.num_extra; ++k)
    logged.col(k) = kept(window, smoothed(window, plan_.columns.first_extra + k));
  const auto rows = Eigen::seqN(window.first, window.num_kept, window.step);
  Eigen::ArrayXXd of_calls;
  if (!memories_.empty()) of_calls = memories_.of_calls(rows);
  HEFT_CHECK(expressions_.evaluate(logged, block, of_calls, base_orientation(window)));
  if (!memories_.empty()) memories_.put(rows, block.signal);
  return block;
}

Result<Done> WindowConditioner::advance_memories(const RawWindow& window, Eigen::Index begin,
                                                 Eigen::Index end, Eigen::Index next_first) {
  if (memories_.empty()) return Done{};
  smooth(window);
  const RawWindow all = whole(window);
  Samples rows;
  rows.time = kept(all, {window.time.data(), window.time.size()});
  condition_motion(all, rows);
  condition_base(all, rows);
  Eigen::ArrayXXd logged(all.num_kept, plan_.columns.num_extra);
  for (int k = 0; k < plan_.columns.num_extra; ++k)
    logged.col(k) = kept(all, smoothed(all, plan_.columns.first_extra + k));
  HEFT_TRY(load, expressions_.load_of_calls(rows));
  const auto input_of = [&](int call, const Eigen::ArrayXXd& memory) {
    return expressions_.input_of_call(call, logged, rows, load, memory);
  };
  return memories_.advance(rows, input_of, begin, end, next_first, plan_.period);
}

Result<Done> WindowConditioner::check_lags(double segment_s) const {
  const auto [lag_s, where] = expressions_.longest_lag();
  if (lag_s < segment_s) return Done{};
  return Error{
      where,
      fmt::format("a lag of {:g} s is not shorter than a segment of {:.4g} s", lag_s, segment_s),
      "shorten it, or record without pauses (conditioning.max_gap_s)"};
}

// The same, with all rows of the window to evaluate regressor rows from.
Result<Samples> WindowConditioner::condition_for_filtered_rows(const RawWindow& window) {
  HEFT_TRY(states, condition_states(whole(window)));
  const auto rows = Eigen::seqN(window.first, window.num_kept, window.step);
  Samples block;
  block.time = states.time(rows);
  for_each_array(states, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    if (array.per != SampleColumn::channel)
      block.*array.member = numbers.size() > 0 ? numbers(rows, Eigen::all).eval()
                                               : Eigen::ArrayXXd(window.num_kept, 0);
  });
  Eigen::ArrayXXd known = states.known_torque;
  if (known.size() > 0) plan_.torque.apply_to_columns(known, known, lanes_);
  if (known.size() > 0) block.known_torque = known(rows, Eigen::all);
  block.unfiltered = std::make_shared<const UnfilteredMotion>(
      UnfilteredMotion{std::move(states), window.first, window.step, plan_.torque});
  return block;
}

// Inputs of rows other than torque rows, or without unknown wrenches: the same motion, and measured
// torques.
Result<Done> WindowConditioner::add_motion_around(const RawWindow& window, Samples& block) {
  UnfilteredMotion motion;
  if (block.unfiltered) {
    motion = *block.unfiltered;
  } else {
    HEFT_TRY(states, condition_states(whole(window)));
    motion = {std::move(states), window.first, window.step, plan_.row_lowpass};
    motion.filters_predictions = false;
  }
  if (plan_.rows->needs_motion_around) motion.kind = plan_.rows;
  Samples& around = motion.samples;
  around.torque.setZero(window.time.size(), plan_.num_channels());
  for (int c = 0; c < plan_.num_channels(); ++c) {
    const int value = plan_.columns.torque[static_cast<std::size_t>(c)];
    if (value < 0) continue;
    around.torque.col(c) = window.values.col(value);
    if (const double gain = expressions_.torque_gain(c); gain != 1) around.torque.col(c) /= gain;
    if (around.known_torque.size() > 0) around.torque.col(c) -= around.known_torque.col(c);
  }
  around.known_torque.resize(0, 0);
  if (plan_.unknown_wrenches) HEFT_CHECK(add_unknown_wrenches(window, motion, block));
  block.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
  return Done{};
}

// Decides where the wrenches act, also for the kept rows.
Result<Done> WindowConditioner::add_unknown_wrenches(const RawWindow& window,
                                                     UnfilteredMotion& motion, Samples& block) {
  motion.unknown_wrenches = plan_.unknown_wrenches;
  for (const int value : plan_.columns.torque) motion.measured.push_back(value >= 0);
  HEFT_CHECK(plan_.unknown_wrenches->set_states(motion.samples, motion.measured));
  block.signal =
      motion.samples.signal(Eigen::seqN(window.first, window.num_kept, window.step), Eigen::all);
  return Done{};
}

// Smooths all values over the whole window; without a filter they are taken where they are.
void WindowConditioner::smooth(const RawWindow& window) {
  if (plan_.options.filter == FilterKind::none) return;
  const LogColumns& columns = plan_.columns;
  smoothed_.resize(window.values.rows(), window.values.cols());
  const auto apply = [&](const Smoother& smoother, int begin, int end) {
    smoother.apply_to_columns(window.values.middleCols(begin, end - begin),
                              smoothed_.middleCols(begin, end - begin), lanes_);
  };
  // filtered rows first pass the motion's filter
  int end_of_motion = plan_.options.filter_rows ? columns.first_torque : columns.first_extra;
  if (plan_.has_one_lowpass()) end_of_motion = columns.num_values();  // fills the lanes better
  apply(plan_.motion, 0, end_of_motion);
  apply(plan_.torque, end_of_motion, columns.num_values());
}

WindowConditioner::Signal WindowConditioner::smoothed(const RawWindow& window, int value) const {
  const bool is_filtered = plan_.options.filter != FilterKind::none;
  return {is_filtered ? smoothed_.col(value).data() : window.values.col(value).data(),
          window.values.rows()};
}

WindowConditioner::Signal WindowConditioner::derivative(const Signal& signal,
                                                        Eigen::ArrayXd& memory) const {
  differentiate(signal, plan_.period, memory);
  return {memory.data(), memory.size()};
}

WindowConditioner::KeptRows WindowConditioner::kept(const RawWindow& window, const Signal& signal) {
  return {signal.data() + window.first, window.num_kept, Eigen::InnerStride<>(window.step)};
}

// Values shifted by this many rows, by cubic interpolation through four rows; the trimmed ends are
// extrapolated as constants.
void WindowConditioner::keep_later(const RawWindow& window, const Signal& signal, double rows,
                                   Eigen::Ref<Eigen::ArrayXd> values) {
  if (rows == 0) {
    values = kept(window, signal);
    return;
  }
  const double whole = std::floor(rows);
  const core::CubicWeights weights = core::cubic_weights(rows - whole);
  for (Eigen::Index row = 0; row < window.num_kept; ++row) {
    const Eigen::Index at = window.first + row * window.step + static_cast<Eigen::Index>(whole);
    values[row] = core::value_at_cubic(signal.data(), at, signal.size(), weights);
  }
}

// Velocities at the kept rows, for the dead band.
void WindowConditioner::find_speed(const RawWindow& window) {
  const LogColumns& columns = plan_.columns;
  const bool is_needed = !plan_.options.dead_band.empty();
  speed_.resize(is_needed ? window.num_kept : 0, is_needed ? plan_.num_coordinates : 0);
  if (!is_needed) return;
  const bool is_logged = columns.first_velocity >= 0;
  work_ = window.values.middleCols(is_logged ? columns.first_velocity : columns.first_position,
                                   plan_.num_coordinates);
  plan_.dead_band.apply_to_columns(work_, work_, lanes_);
  for (Eigen::Index k = 0; k < speed_.cols(); ++k) {
    const Signal filtered{work_.col(k).data(), work_.rows()};
    speed_.col(k) = kept(window, is_logged ? filtered : derivative(filtered, velocity_));
  }
}

void WindowConditioner::condition_motion(const RawWindow& window, Samples& block) {
  const LogColumns& columns = plan_.columns;
  const int num_coordinates = plan_.num_coordinates;
  block.position.resize(window.num_kept, num_coordinates);
  block.velocity.resize(window.num_kept, num_coordinates);
  block.acceleration.resize(window.num_kept, num_coordinates);
  for (int k = 0; k < num_coordinates; ++k) {
    const Signal position = smoothed(window, columns.first_position + k);
    const Signal velocity = columns.first_velocity >= 0
                                ? smoothed(window, columns.first_velocity + k)
                                : derivative(position, velocity_);
    const Signal acceleration = columns.first_acceleration >= 0
                                    ? smoothed(window, columns.first_acceleration + k)
                                    : derivative(velocity, acceleration_);
    keep_later(window, position, -plan_.motion_delay, block.position.col(k));
    keep_later(window, velocity, -plan_.motion_delay, block.velocity.col(k));
    keep_later(window, acceleration, -plan_.motion_delay, block.acceleration.col(k));
  }
}

void WindowConditioner::condition_base(const RawWindow& window, Samples& block) {
  const bool is_imu = plan_.columns.first_base_angular_velocity >= 0;
  if (!is_imu && plan_.columns.first_base_position < 0) return;
  block.base_motion.resize(window.num_kept, 9);
  is_imu ? base_from_imu(window, block.base_motion) : base_from_poses(window, block.base_motion);
  if (!plan_.X_root_frame.isApprox(Eigen::Isometry3d::Identity(), 0))
    carry_to_root(plan_.X_root_frame, block.base_motion);
}

void WindowConditioner::base_from_imu(const RawWindow& window, Eigen::ArrayXXd& motion) {
  const LogColumns& columns = plan_.columns;
  for (int axis = 0; axis < 3; ++axis) {
    const Signal velocity = smoothed(window, columns.first_base_angular_velocity + axis);
    const Signal acceleration =
        columns.first_base_angular_acceleration >= 0
            ? smoothed(window, columns.first_base_angular_acceleration + axis)
            : derivative(velocity, acceleration_);
    keep_later(window, velocity, -plan_.motion_delay, motion.col(axis));
    keep_later(window, acceleration, -plan_.motion_delay, motion.col(3 + axis));
    keep_later(window, smoothed(window, columns.first_base_specific_force + axis),
               -plan_.motion_delay, motion.col(6 + axis));
  }
}

void WindowConditioner::base_from_poses(const RawWindow& window, Eigen::ArrayXXd& motion) {
  const LogColumns& columns = plan_.columns;
  const bool is_filtered = plan_.options.filter != FilterKind::none;
  const auto values = [&](int first, int count) -> Eigen::ArrayXXd {
    if (is_filtered) return smoothed_.middleCols(first, count);
    return window.values.middleCols(first, count);
  };
  const Eigen::ArrayXXd all = motion_of_poses(values(columns.first_base_position, 3),
                                              normalized(values(columns.first_base_quaternion, 4)),
                                              plan_.period, plan_.gravity);
  for (Eigen::Index k = 0; k < all.cols(); ++k)
    keep_later(window, Signal(all.col(k).data(), all.rows()), -plan_.motion_delay, motion.col(k));
}

// Quaternions of the root link at the kept rows; empty without poses.
Eigen::ArrayXXd WindowConditioner::base_orientation(const RawWindow& window) const {
  const int first = plan_.columns.first_base_quaternion;
  if (first < 0) return {};
  Eigen::ArrayXXd quaternion(window.num_kept, 4);
  for (int k = 0; k < 4; ++k)
    keep_later(window, smoothed(window, first + k), -plan_.motion_delay, quaternion.col(k));
  return root_orientation(plan_.X_root_frame, normalized(quaternion));
}

void WindowConditioner::condition_torque(const RawWindow& window, Samples& block) {
  const int num_channels = plan_.num_channels();
  block.torque.setZero(window.num_kept, num_channels);
  for (int c = 0; c < num_channels; ++c) {
    const int value = plan_.columns.torque[static_cast<std::size_t>(c)];
    if (value < 0) continue;
    keep_later(window, smoothed(window, value), plan_.torque_delay[static_cast<std::size_t>(c)],
               block.torque.col(c));
    if (const double gain = expressions_.torque_gain(c); gain != 1) block.torque.col(c) /= gain;
    if (block.known_torque.size() > 0) block.torque.col(c) -= block.known_torque.col(c);
  }
}

// Weight 1 for rows that can be used; a row that cannot counts under the first reason that holds.
void WindowConditioner::weigh(const RawWindow& window, Samples& block, DroppedRows& dropped) {
  const ConditioningOptions& options = plan_.options;
  const LogColumns& columns = plan_.columns;
  const bool any_torque = columns.num_torques() > 0 || options.need_torque;
  block.weight.setZero(window.num_kept, plan_.num_channels());
  std::array<std::int64_t, 4> rows_by_reason{};
  for (int c = 0; c < plan_.num_channels(); ++c) {
    const int value = columns.torque[static_cast<std::size_t>(c)];
    if (value < 0 && any_torque) continue;  // not measured
    const int column = value < 0 ? -1 : value - columns.first_torque;
    const int coordinate = plan_.channel_coordinates[static_cast<std::size_t>(c)];
    // a slow joint contributes little to a balance of all joints
    const bool has_band = coordinate >= 0 && !plan_.rows->mixes_channels;
    const double band =
        !has_band ? 0 : option_of(options.dead_band, static_cast<std::size_t>(coordinate), 0.0);
    const double delay = plan_.torque_delay[static_cast<std::size_t>(c)];
    const bool flagged = column >= 0 && (window.flags.col(column) != 0).any();
    if (!flagged && !(band > 0)) {
      block.weight.col(c).setOnes();
      continue;
    }
    std::vector<char> near_nan;
    if (flagged)
      near_nan = near_flag(
          window.flags, column, kNotANumber,
          std::max<Eigen::Index>(plan_.torque.nan_radius(), delay == std::floor(delay) ? 0 : 2));

    const auto later = static_cast<Eigen::Index>(std::lround(delay));
    for (Eigen::Index row = 0; row < window.num_kept; ++row) {
      const Eigen::Index at = std::clamp<Eigen::Index>(window.first + row * window.step + later, 0,
                                                       window.time.size() - 1);
      const core::DropReason reason =
          core::drop_reason(flagged && near_nan[static_cast<std::size_t>(at)],
                            flagged && (window.flags(at, column) & kClipped),
                            band > 0 ? speed_(row, coordinate) : 0, band);
      if (reason == core::DropReason::none) block.weight(row, c) = 1;
      ++rows_by_reason[static_cast<std::size_t>(reason)];
    }
  }
  block.torque = (block.weight > 0).select(block.torque, 0.0);
  const auto count = [&](const std::string& reason, core::DropReason because) {
    const std::int64_t rows = rows_by_reason[static_cast<std::size_t>(because)];
    if (rows > 0) dropped[reason] += rows;
  };
  count(dropped_because::kNotANumber, core::DropReason::not_a_number);
  count(dropped_because::kClipped, core::DropReason::clipped);
  count(dropped_because::kDeadBand, core::DropReason::dead_band);
}

}  // namespace heft
