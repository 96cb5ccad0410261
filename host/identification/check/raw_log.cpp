#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/median.hpp"
#include "conditioning/unwrap.hpp"
#include "log_facts.hpp"
#include "model/units.hpp"
#include "readers/log_table.hpp"
#include "readers/pause.hpp"

namespace heft::check {

namespace {

// check logged velocities even if they are not used
Result<LogColumns> find_columns(const Source& source, const Robot& robot,
                                const std::vector<Channel>& channels,
                                const CheckLogOptions& options) {
  ConditioningOptions conditioning = options.conditioning;
  conditioning.velocity = VelocitySource::logged;
  const ColumnGroup& table = source.groups().front();
  auto columns =
      find_log_columns(table, robot, channels, options.log, conditioning, {}, source.where());
  if (columns || options.conditioning.velocity == VelocitySource::logged) return columns;
  return find_log_columns(table, robot, channels, options.log, options.conditioning, {},
                          source.where());
}

void drop_foreign_rows(const ForeignRows& foreign, Eigen::Index width, std::vector<double>& times,
                       std::vector<double>& values, std::vector<std::int64_t>& lines) {
  if (foreign.rows.empty()) return;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < times.size(); ++row) {
    const auto numbers = values.begin() + static_cast<std::ptrdiff_t>(row) * width;
    if (foreign.contains(Eigen::Map<const Eigen::ArrayXd>(&*numbers, width))) continue;
    std::copy(numbers, numbers + width, values.begin() + static_cast<std::ptrdiff_t>(kept) * width);
    times[kept] = times[row];
    lines[kept] = lines[row];
    ++kept;
  }
  times.resize(kept);
  lines.resize(kept);
  values.resize(kept * static_cast<std::size_t>(width));
}

double median_step_forward(const Eigen::ArrayXd& time) {
  std::vector<double> steps;
  for (Eigen::Index k = 1; k < time.size(); ++k)
    if (time[k] > time[k - 1]) steps.push_back(time[k] - time[k - 1]);
  return median(std::move(steps));
}

Eigen::ArrayXd places_between(const Eigen::ArrayXd& time, double median_step) {
  Eigen::ArrayXd places =
      Eigen::ArrayXd::Constant(time.size(), std::numeric_limits<double>::quiet_NaN());
  for (Eigen::Index k = 1; k + 1 < time.size(); ++k) {
    const double before = time[k] - time[k - 1], after = time[k + 1] - time[k];
    if (!(std::max(before, after) < kPauseInSteps * median_step) || !(std::min(before, after) >= 0))
      continue;
    places[k] = before + after > 0 ? before / (before + after) : 0.5;
  }
  return places;
}

}  // namespace

std::string LogFacts::unit(int value) const {
  const LogColumns& columns = raw.columns;
  const std::pair<int, const char*> kGroups[] = {{columns.first_position, ""},
                                                 {columns.first_velocity, "/s"},
                                                 {columns.first_acceleration, "/s^2"}};
  for (const auto& [first, per_time] : kGroups)
    if (const int k = value - first; first >= 0 && k >= 0 && k < robot.num_coordinates())
      return std::string(position_unit(robot.coordinates[static_cast<std::size_t>(k)].is_angle)) +
             per_time;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (columns.torque[c] == value) return channels[c].unit;
  return "SI";
}

Result<RawLog> read_raw_log(const Log& file, const Robot& robot,
                            const std::vector<Channel>& channels, const CheckLogOptions& options,
                            std::size_t most_numbers, const Progress& progress) {
  HEFT_TRY(table, open_table(file, options.log, options.conditioning.max_gap_s));
  const SourcePtr& source = table.source;
  HEFT_TRY(columns, find_columns(*source, robot, channels, options));
  RawLog log;
  log.header = source->groups().front().columns;
  log.columns = columns;
  log.has_velocity = columns.first_velocity >= 0;

  const SelectedColumns selected(columns);
  HEFT_CHECK(source->select({selected.list()}));
  const std::size_t time_slot = selected.slot(columns.time_column), width = columns.values.size();
  std::vector<std::size_t> slots;
  for (const auto& value : columns.values) slots.push_back(selected.slot(value.column));
  const std::size_t most_rows =
      std::max<std::size_t>(1, most_numbers / std::max<std::size_t>(1, width));
  std::vector<double> times, values;
  ForeignRowSearch search;
  for (ColumnBlock block; !log.is_cut;) {
    HEFT_TRY(found, source->next(block));
    if (!found) break;
    HEFT_CHECK(report_progress(progress, "reading the log", source->fraction_read()));
    const std::size_t first = times.size(),
                      num_rows =
                          std::min(static_cast<std::size_t>(block.num_rows), most_rows - first);
    log.is_cut = num_rows < static_cast<std::size_t>(block.num_rows);
    times.resize(first + num_rows);
    values.resize((first + num_rows) * width);
    log.line.insert(log.line.end(), block.lines.begin(),
                    block.lines.begin() + static_cast<std::ptrdiff_t>(num_rows));
    for (std::size_t row = 0; row < num_rows; ++row)
      times[first + row] =
          block.columns[time_slot][static_cast<std::int64_t>(row)] * options.log.time_scale;
    for (std::size_t v = 0; v < width; ++v) {
      const ColumnBlock::Column column = block.columns[slots[v]];
      const double scale = columns.values[v].scale, offset = columns.values[v].offset;
      double* const numbers = values.data() + first * width + v;
      for (std::size_t row = 0; row < num_rows; ++row)
        numbers[row * width] = column[static_cast<std::int64_t>(row)] * scale - offset;
    }
    for (std::size_t row = first; row < first + num_rows; ++row)
      search.push(
          Eigen::Map<const Eigen::ArrayXd>(values.data() + row * width, columns.num_values()),
          log.line[row]);
  }
  if (times.size() < 3)
    return Error{file.name(), "has fewer than three rows",
                 "record the log again, or name another file"};
  log.clock = *table.clock;
  log.foreign = search.found();
  drop_foreign_rows(log.foreign, columns.num_values(), times, values, log.line);
  const auto num_rows = static_cast<Eigen::Index>(times.size());
  log.time = Eigen::Map<const Eigen::ArrayXd>(times.data(), num_rows);
  log.values =
      Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          values.data(), num_rows, columns.num_values());
  log.median_step = median_step_forward(log.time);
  log.place_between = places_between(log.time, log.median_step);
  HEFT_TRY(unwrapping, Unwrapping::make(options.log, robot, columns));
  if (!unwrapping.is_needed()) return log;
  const double pause = options.conditioning.max_gap_s > 0 ? options.conditioning.max_gap_s
                                                          : kPauseInSteps * log.median_step;
  for (Eigen::Index row = 0; row < num_rows; ++row) {
    auto numbers = log.values.row(row);
    HEFT_CHECK(unwrapping.apply(log.time[row], pause, numbers, [&] {
      return source->where(0, log.line[static_cast<std::size_t>(row)]);
    }));
  }
  return log;
}

}  // namespace heft::check
