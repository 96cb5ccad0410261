#include "log_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heft {

Result<LogRows> LogRows::open(TableReader& reader, const LogColumns& columns, double time_scale,
                              std::vector<double> torque_limits) {
  // one header column may be wanted twice, as torque and in an expression: read it once
  std::vector<int> selected = {columns.time_column};
  for (const auto& value : columns.values) selected.push_back(value.column);
  std::sort(selected.begin(), selected.end());
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  const auto slot = [&](int column) {
    return static_cast<int>(std::lower_bound(selected.begin(), selected.end(), column) - selected.begin());
  };
  LogRows rows(columns, time_scale, std::move(torque_limits));
  rows.time_slot_ = slot(columns.time_column);
  for (const auto& value : columns.values) rows.slots_.push_back(slot(value.column));
  HEFT_CHECK(reader.select(selected));
  rows.stream_ = std::make_unique<RowStream>(reader, selected.size());
  return rows;
}

Result<bool> LogRows::next(LogRow& row) {
  const double* numbers = nullptr;
  for (;;) {
    HEFT_TRY(next, stream_->next());
    if (!next) return false;
    numbers = next;
    ++num_rows_;
    const double time = numbers[time_slot_] * time_scale_;
    if (std::isnan(time)) return Error{stream_->where(), "the time is missing", "mend or delete the line"};
    if (num_rows_ == 1) {
      first_time_ = time;
    } else if (time == last_time_) {
      ++num_repeated_;
      continue;
    } else if (!(time > last_time_)) {
      return Error{stream_->where(),
                   fmt::format("time goes backwards, from {:.9g} s to {:.9g} s", last_time_, time),
                   "split the file here if a second recording starts, or sort its rows by time"};
    }
    last_time_ = time;
    row.time = time;
    break;
  }

  const std::size_t num_values = columns_.values.size();
  const std::size_t first_torque = static_cast<std::size_t>(columns_.first_torque);
  row.values.resize(num_values);
  row.torque_flags.resize(num_values - first_torque);
  double* const values = row.values.data();
  for (std::size_t k = 0; k < num_values; ++k) values[k] = numbers[slots_[k]] * columns_.values[k].scale;
  row.motion_known = std::none_of(values, values + first_torque, [](double x) { return std::isnan(x); });
  for (std::size_t k = first_torque; k < num_values; ++k) {
    const bool is_clipped = std::abs(values[k]) >= torque_limits_[k - first_torque];
    row.torque_flags[k - first_torque] = std::isnan(values[k]) ? kNotANumber : is_clipped ? kClipped : 0;
  }
  return true;
}

}  // namespace heft
