#include "segment.hpp"

#include <algorithm>
#include <cmath>

#include "heft/core/conditioning.hpp"

namespace heft {

SegmentReach::SegmentReach(const ConditioningPlan& plan) {
  const int shortest = std::max({plan.motion.min_samples(), plan.torque.min_samples(),
                                 plan.dead_band.min_samples(), plan.row_lowpass.min_samples()});
  // each of the two derivatives reaches one row further, and so does the cubic for the delay
  const int delay = plan.longest_delay() == 0 ? 0 : 2 + static_cast<int>(plan.longest_delay());
  int of_motion = std::max({plan.motion.reach(), plan.dead_band.reach(), shortest});
  // rows are filtered after the motion is
  if (plan.options.filter_rows)
    of_motion += std::max(plan.torque.reach(), plan.torque.min_samples());
  guard = 2 + delay + std::max({of_motion, plan.torque.reach(), plan.torque.nan_radius()});
  if (plan.rows->needs_motion_around)
    guard += std::max(plan.row_lowpass.reach(), plan.row_lowpass.min_samples());
  guard += plan.contact_reach;
  // a torque that is missing is bridged over up to a guard of rows: nearer the front it may still
  // change
  lookahead = std::max<Eigen::Index>(2 * guard, plan.trim);
  min_rows = std::max<Eigen::Index>({shortest, 2 * Eigen::Index{plan.trim} + 1, 3});
}

SegmentConditioner::SegmentConditioner(const ConditioningPlan& plan, Expressions& expressions,
                                       const std::function<Result<Done>(const Samples&)>& emit,
                                       DroppedRows& dropped)
    : plan_(plan),
      conditioner_(plan, expressions),
      emit_(emit),
      dropped_(dropped),
      reach_(plan),
      bridges_(static_cast<std::size_t>(plan.columns.num_torques())) {}

Result<Done> SegmentConditioner::push(const LogRow& row) {
  append(row);
  const Eigen::Index end = window_ + plan_.options.window;
  if (num_rows_ < end + reach_.lookahead) return Done{};
  HEFT_CHECK(condition(window_, end, end));
  window_ = end;
  discard_before(window_ - reach_.guard);
  return Done{};
}

Result<bool> SegmentConditioner::finish() {
  const std::int64_t num_channels = plan_.num_channels();
  const bool long_enough = num_rows_ >= reach_.min_rows;
  if (long_enough) {
    HEFT_CHECK(conditioner_.check_lags(static_cast<double>(num_rows_ - 1) * plan_.period));
    HEFT_CHECK(condition(window_, num_rows_, num_rows_ - plan_.trim));
    if (plan_.trim > 0) dropped_[dropped_because::kEdge] += 2 * plan_.trim * num_channels;
  } else if (num_rows_ > 0) {
    dropped_[dropped_because::kShortSegment] += num_rows_ * num_channels;
  }
  first_ = num_rows_ = window_ = 0;
  std::fill(bridges_.begin(), bridges_.end(), Bridge{});
  return long_enough;
}

void SegmentConditioner::append(const LogRow& row) {
  const Eigen::Index at = num_rows_ - first_;
  if (at == time_.size()) {
    // grows with the segment, so that short logs stay small
    const Eigen::Index size = std::max<Eigen::Index>(1024, 2 * at);
    time_.conservativeResize(size);
    values_.conservativeResize(size, plan_.columns.num_values());
    flags_.conservativeResize(size, plan_.columns.num_torques());
  }
  time_[at] = row.time;
  const double* const values = row.values.data();
  const std::uint8_t* const flags = row.torque_flags.data();
  double* value = values_.data() + at;
  for (Eigen::Index k = 0; k < values_.cols(); ++k, value += values_.rows()) *value = values[k];
  for (Eigen::Index k = 0; k < flags_.cols(); ++k) {
    flags_(at, k) = flags[k];
    Bridge& state = bridges_[static_cast<std::size_t>(k)];
    if (state.missing > 0 || (flags[k] & kNotANumber))
      bridge(k, row, at);
    else
      state = {values[plan_.columns.first_torque + k], true, 0};
  }
  ++num_rows_;
}

// Fills missing torques, which would spread through the filter: linearly to the next number over at
// most a guard of rows, with the last number before that.
void SegmentConditioner::bridge(Eigen::Index torque, const LogRow& row, Eigen::Index at) {
  Bridge& state = bridges_[static_cast<std::size_t>(torque)];
  auto column = values_.col(plan_.columns.first_torque + torque);
  if (row.torque_flags[static_cast<std::size_t>(torque)] & kNotANumber) {
    column[at] = state.last;
    ++state.missing;
    return;
  }
  if (state.missing > 0) {
    const Eigen::Index span = std::min(state.missing, reach_.guard);
    if (!state.known && state.missing <= reach_.guard) state.last = column[at];
    for (Eigen::Index j = 1; j <= span; ++j)
      column[at - span - 1 + j] = core::bridged_value(state.last, column[at], j, span);
  }
  state = {column[at], true, 0};
}

// Conditions rows begin .. end of the segment with the available guard, and emits those before
// kept_end.
Result<Done> SegmentConditioner::condition(Eigen::Index begin, Eigen::Index end,
                                           Eigen::Index kept_end) {
  const Eigen::Index keep_every = plan_.options.keep_every;
  const Eigen::Index trim = plan_.trim;
  const Eigen::Index behind = std::max<Eigen::Index>(begin - trim, 0);
  const Eigen::Index first_kept = trim + (behind + keep_every - 1) / keep_every * keep_every;
  const Eigen::Index low = std::max<Eigen::Index>(begin - reach_.guard, 0);
  const Eigen::Index high = std::min(end + reach_.guard, num_rows_);
  const RawWindow window{time_.segment(low - first_, high - low),
                         values_.middleRows(low - first_, high - low),
                         flags_.middleRows(low - first_, high - low),
                         first_kept - low,
                         (kept_end - first_kept + keep_every - 1) / keep_every,
                         keep_every};
  HEFT_CHECK(conditioner_.advance_memories(window, begin - low, end - low,
                                           std::max<Eigen::Index>(end - reach_.guard, 0) - low));
  if (first_kept >= kept_end) return Done{};
  HEFT_TRY(block, conditioner_.condition(window, dropped_));
  return emit_(block);
}

void SegmentConditioner::discard_before(Eigen::Index row) {
  const Eigen::Index gone = std::max<Eigen::Index>(row, 0) - first_;
  if (gone <= 0) return;
  const Eigen::Index rest = num_rows_ - first_ - gone;
  const auto move_up = [&](auto* column) {
    std::copy(column + gone, column + gone + rest, column);
  };
  move_up(time_.data());
  for (Eigen::Index k = 0; k < values_.cols(); ++k) move_up(values_.col(k).data());
  for (Eigen::Index k = 0; k < flags_.cols(); ++k) move_up(flags_.col(k).data());
  first_ += gone;
}

}  // namespace heft
