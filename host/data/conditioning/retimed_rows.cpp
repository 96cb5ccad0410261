#include "retimed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/median.hpp"
#include "conditioning/sample_shifts.hpp"

namespace heft {

namespace {

constexpr std::size_t kRowsAtOnce = 8192;
constexpr Eigen::Index kShortestStretch = 30;  ///< of a stretch whose shifts can be estimated
constexpr double kTurn = 3;  ///< [rad] larger steps of a position are counted turns, not motion

}  // namespace

Result<bool> RetimedRows::next(LogRow& row) {
  if (at_ == block_.size()) HEFT_CHECK(fill());
  if (at_ == block_.size()) return false;
  row = std::move(block_[at_++]);
  return true;
}

double RetimedRows::rms_shift() const {
  return num_rows_ > 0 ? std::sqrt(sum2_ / num_rows_) : 0;
}

Result<Done> RetimedRows::fill() {
  block_.clear();
  at_ = 0;
  LogRow row;
  while (has_more_ && block_.size() < kRowsAtOnce) {
    HEFT_TRY(found, next_(row));
    has_more_ = found;
    if (found) block_.push_back(row);
  }
  retime_block();
  return Done{};
}

void RetimedRows::retime_block() {
  const auto rows = std::ssize(block_);
  Eigen::ArrayXd time(rows);
  Eigen::ArrayXXd position(rows, num_joints_);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const LogRow& row = block_[static_cast<std::size_t>(k)];
    time[k] = row.time;
    for (int j = 0; j < num_joints_; ++j)
      position(k, j) = row.values[static_cast<std::size_t>(columns_.first_position + j)];
  }
  const auto common = find_common_shift(time, position);
  if (common) was_found_ = common->is_found();
  if (!was_found_ || rows < kShortestStretch) return;
  std::vector<double> steps;
  for (Eigen::Index k = 1; k < rows; ++k) steps.push_back(time[k] - time[k - 1]);
  const double period = median(std::move(steps));
  std::vector<Eigen::Index> first = stretches_without_lost_rows(time, period);
  const auto breaks = [&](Eigen::Index k) {
    return !position.row(k).isFinite().all() ||
           (k > 0 && !((position.row(k) - position.row(k - 1)).abs() < kTurn).all());
  };
  for (Eigen::Index k = 0; k < rows; ++k)
    if (breaks(k)) {
      first.push_back(k);
      if (!position.row(k).isFinite().all()) first.push_back(k + 1);
    }
  std::sort(first.begin(), first.end());
  first.erase(std::unique(first.begin(), first.end()), first.end());
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    if (first[s + 1] - first[s] >= kShortestStretch)
      retime_stretch(static_cast<std::size_t>(first[s]), static_cast<std::size_t>(first[s + 1]),
                     period);
}

void RetimedRows::retime_stretch(std::size_t first, std::size_t last, double period) {
  const auto rows = static_cast<Eigen::Index>(last - first);
  const auto num_values = static_cast<Eigen::Index>(columns_.num_values());
  Eigen::ArrayXd time(rows);
  Eigen::ArrayXXd values(rows, num_values);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const LogRow& row = block_[first + static_cast<std::size_t>(k)];
    time[k] = row.time;
    values.row(k) = Eigen::Map<const Eigen::ArrayXd>(row.values.data(), num_values).transpose();
  }
  // even times, on the straight line that is nearest to the stamps
  const Eigen::ArrayXd place = Eigen::ArrayXd::LinSpaced(rows, -0.5 * static_cast<double>(rows - 1),
                                                         0.5 * static_cast<double>(rows - 1));
  const double step = (place * time).sum() / place.square().sum();
  const Eigen::ArrayXd even = time.mean() + step * place;
  if (!(std::abs(step - period) < 0.5 * period)) return;
  const Eigen::ArrayXd shift =
      sample_shifts(values.middleCols(columns_.first_position, num_joints_), step);
  const Eigen::ArrayXXd change = (smoothed_slope(values) / step).colwise() * shift;
  for (Eigen::Index k = 0; k < rows; ++k) {
    LogRow& row = block_[first + static_cast<std::size_t>(k)];
    row.time = even[k];
    for (Eigen::Index v = 0; v < num_values; ++v)
      if (std::isfinite(change(k, v))) row.values[static_cast<std::size_t>(v)] -= change(k, v);
  }
  sum2_ += shift.square().sum();
  num_rows_ += static_cast<double>(rows);
}

}  // namespace heft
