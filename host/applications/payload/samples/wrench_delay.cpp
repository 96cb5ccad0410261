#include "wrench_delay.hpp"

#include <algorithm>

namespace heft::payload {

std::optional<WrenchSample> WrenchDelay::next(const WrenchSample& sample) {
  if (!rows_.empty()) {
    const double step = sample.time - rows_.back().time;
    if (step > 0) period_ = period_ > 0 ? std::min(period_, step) : step;
  }
  rows_.push_back(sample);
  while (pending_ < rows_.size()) {
    WrenchSample found = rows_[pending_];
    if (found.time + delay_ > rows_.back().time) return {};
    const auto wrench = wrench_at(found.time + delay_);
    ++pending_;
    forget();
    if (!wrench) continue;
    found.wrench = *wrench;
    return found;
  }
  return {};
}

std::optional<Vector6d> WrenchDelay::wrench_at(double time) const {
  constexpr double kGap = 10;  // periods
  const auto after =
      std::lower_bound(rows_.begin(), rows_.end(), time,
                       [](const WrenchSample& row, double t) { return row.time < t; });
  if (after == rows_.end()) return {};
  if (after->time == time) return after->wrench;
  if (after == rows_.begin()) return {};
  const auto before = after - 1;
  const double width = after->time - before->time;
  if (width > kGap * period_) return {};
  const double share = (time - before->time) / width;
  return Vector6d((1 - share) * before->wrench + share * after->wrench);
}

void WrenchDelay::forget() {
  const double needed =
      (pending_ < rows_.size() ? rows_[pending_].time : rows_.back().time) + delay_;
  while (pending_ > 0 && rows_.size() > 1 && rows_[1].time <= needed) {
    rows_.pop_front();
    --pending_;
  }
}

}  // namespace heft::payload
