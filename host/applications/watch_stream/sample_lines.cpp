#include "watch_stream/sample_lines.hpp"

#include <algorithm>
#include <cmath>

#include "readers/text_line.hpp"

namespace heft {

Result<SampleLines> SampleLines::make(const std::string& header, const IdentifiedModel& identified,
                                      const LogFormat& format, const std::string& where) {
  if (!format.unwrap.none())
    return Error{"log.unwrap", "is not supported by heft watch", "send positions that do not jump"};
  if (!identified.configuration.supply_voltage.empty())
    return Error{"log.supply_voltage", "is not supported by heft watch",
                 "multiply the torques by voltage / nominal voltage before sending them"};
  SampleLines lines;
  HEFT_TRY(scale, seconds_per_stamp(format));
  lines.time_scale_ = scale;
  ColumnGroup table{.name = "", .columns = names_of_header(header)};
  const auto time = std::find(table.columns.begin(), table.columns.end(), format.time);
  table.clock = time == table.columns.end() ? -1 : static_cast<int>(time - table.columns.begin());
  ConditioningOptions conditioning = identified.configuration.conditioning;
  conditioning.velocity = VelocitySource::from_position;
  const RegressorPlan& plan = *identified.model.plan;
  HEFT_TRY(columns,
           find_log_columns(table, plan.robot, plan.channels, format, conditioning, {}, where));
  lines.columns_ = std::move(columns);
  lines.num_fields_ = table.columns.size();
  lines.fields_.reserve(lines.num_fields_ + 1);
  lines.position_.assign(static_cast<std::size_t>(plan.robot.num_coordinates()), 0.0);
  lines.torque_.assign(plan.channels.size(), 0.0);
  return lines;
}

double SampleLines::value(int index) const {
  const LogColumns::Value& value = columns_.values[static_cast<std::size_t>(index)];
  const auto number = number_of_field(fields_[static_cast<std::size_t>(value.column)]);
  return value.scale * number.value_or(std::nan("")) - value.offset;
}

bool SampleLines::read(std::string_view line) {
  split_line(line, fields_);
  if (fields_.size() != num_fields_) return false;
  const auto stamp = number_of_field(fields_[static_cast<std::size_t>(columns_.time_column)]);
  time_ = time_scale_ * stamp.value_or(std::nan(""));
  for (std::size_t k = 0; k < position_.size(); ++k)
    position_[k] = value(columns_.first_position + static_cast<int>(k));
  for (std::size_t c = 0; c < torque_.size(); ++c)
    if (columns_.torque[c] >= 0) torque_[c] = value(columns_.torque[c]);
  return true;
}

}  // namespace heft
