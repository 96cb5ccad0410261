#include <algorithm>
#include <cmath>
#include <utility>

#include "log/table_reader.hpp"
#include "log_facts.hpp"

namespace heft::check {

namespace {

// logged velocities are looked at wherever they are, not only where they are to be used
Result<LogColumns> find_columns(const TableReader& reader, const Robot& robot,
                                const std::vector<Channel>& channels, const Configuration& configuration) {
  ConditioningOptions options = configuration.conditioning;
  options.velocity = VelocitySource::logged;
  auto columns =
      find_log_columns(reader.header(), robot, channels, configuration.log, options, {}, reader.where());
  if (columns || configuration.conditioning.velocity == VelocitySource::logged) return columns;
  return find_log_columns(reader.header(), robot, channels, configuration.log, configuration.conditioning, {},
                          reader.where());
}

double median_step_forward(const Eigen::ArrayXd& time) {
  std::vector<double> steps;
  for (Eigen::Index k = 1; k < time.size(); ++k)
    if (time[k] > time[k - 1]) steps.push_back(time[k] - time[k - 1]);
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

}  // namespace

std::string LogFacts::unit(int value) const {
  const LogColumns& columns = raw.columns;
  const std::pair<int, const char*> kGroups[] = {
      {columns.first_position, ""}, {columns.first_velocity, "/s"}, {columns.first_acceleration, "/s^2"}};
  for (const auto& [first, per_time] : kGroups)
    if (const int k = value - first; first >= 0 && k >= 0 && k < robot.num_coordinates())
      return (robot.coordinates[static_cast<std::size_t>(k)].is_angle ? "rad" : "m") + std::string(per_time);
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (columns.torque[c] == value) return channels[c].unit;
  return "SI";
}

Result<RawLog> read_raw_log(const std::string& path, const Robot& robot, const std::vector<Channel>& channels,
                            const Configuration& configuration, std::size_t most_numbers) {
  HEFT_TRY(reader, open_table(path, configuration.log));
  HEFT_TRY(columns, find_columns(*reader, robot, channels, configuration));
  RawLog log;
  log.header = reader->header();
  log.columns = columns;
  log.has_velocity = columns.first_velocity >= 0;

  std::vector<int> selected = {columns.time_column};
  for (const auto& value : columns.values) selected.push_back(value.column);
  std::sort(selected.begin(), selected.end());
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  const auto slot = [&](int column) {
    return static_cast<std::size_t>(std::lower_bound(selected.begin(), selected.end(), column) -
                                    selected.begin());
  };
  HEFT_CHECK(reader->select(selected));
  std::vector<double> numbers(selected.size()), times, values;
  for (;;) {
    HEFT_TRY(found, reader->next_row(numbers.data()));
    if (!found) break;
    log.is_cut = !times.empty() && values.size() + columns.values.size() > most_numbers;
    if (log.is_cut) break;
    times.push_back(numbers[slot(columns.time_column)] * configuration.log.time_scale);
    for (const auto& value : columns.values) values.push_back(numbers[slot(value.column)] * value.scale);
    log.line.push_back(reader->line());
  }
  if (times.size() < 3)
    return Error{path, "has fewer than three rows", "record the log again, or name another file"};
  const auto num_rows = static_cast<Eigen::Index>(times.size());
  log.time = Eigen::Map<const Eigen::ArrayXd>(times.data(), num_rows);
  log.values = Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), num_rows, columns.num_values());
  log.median_step = median_step_forward(log.time);
  return log;
}

}  // namespace heft::check
