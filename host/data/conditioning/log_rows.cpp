#include "log_rows.hpp"

#include <algorithm>
#include <cmath>

#include "heft/core/conditioning.hpp"

namespace heft {

Result<LogRows> LogRows::open(Source& source, const LogColumns& columns, double time_scale,
                              std::vector<double> torque_limits) {
  const SelectedColumns selected(columns);
  LogRows rows(source, columns, time_scale, std::move(torque_limits));
  rows.time_slot_ = selected.slot(columns.time_column);
  for (const auto& value : columns.values) rows.slots_.push_back(selected.slot(value.column));
  HEFT_CHECK(source.select({selected.list()}));
  rows.reading_ = std::make_unique<ReadAhead>(source);
  return rows;
}

void LogRows::take(const ColumnBlock& block) {
  block_ = &block;
  row_ = 0;
  inputs_.clear();
  for (std::size_t k = 0; k < slots_.size(); ++k)
    inputs_.push_back(
        {block.columns[slots_[k]], columns_.values[k].scale, columns_.values[k].offset});
}

Result<bool> LogRows::next(LogRow& row) {
  for (bool is_later = false; !is_later; ++row_) {
    while (!block_ || row_ == block_->num_rows) {
      HEFT_TRY(block, reading_->next());
      if (!block) return false;
      take(*block);
    }
    ++num_rows_;
    HEFT_TRY(advanced, clock_.advance(block_->columns[time_slot_][row_], [&] {
      return source_.where(block_->group, block_->lines[static_cast<std::size_t>(row_)]);
    }));
    is_later = advanced;
    if (num_rows_ == 1) first_time_ = clock_.time();
    if (!is_later) ++num_repeated_;
  }
  const std::int64_t at = row_ - 1;
  row.time = clock_.time();
  row.line = block_->lines[static_cast<std::size_t>(at)];

  const std::size_t num_values = columns_.values.size();
  const std::size_t first_torque = static_cast<std::size_t>(columns_.first_torque);
  row.values.resize(num_values);
  row.torque_flags.resize(num_values - first_torque);
  double* const values = row.values.data();
  const Input* const inputs = inputs_.data();
  for (std::size_t k = 0; k < num_values; ++k)
    values[k] = core::in_si_units(inputs[k].column[at], inputs[k].scale, inputs[k].offset);
  row.motion_known =
      std::none_of(values, values + first_torque, [](double x) { return std::isnan(x); });
  std::uint8_t* const flags = row.torque_flags.data();
  const double* const limits = torque_limits_.data();
  for (std::size_t k = first_torque; k < num_values; ++k) {
    const bool is_clipped = std::abs(values[k]) >= limits[k - first_torque];
    flags[k - first_torque] = std::isnan(values[k]) ? kNotANumber : is_clipped ? kClipped : 0;
  }
  return true;
}

}  // namespace heft
