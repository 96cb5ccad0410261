#include "history.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "dates.hpp"
#include "heft/config/module_options.hpp"
#include "identify/gathering.hpp"
#include "leaf.hpp"

namespace heft {

namespace {

constexpr double kSecondsOfDay = 86400;
/// Differences beyond this many half-widths of 95 % intervals are reported.
constexpr double kSureInHalfWidths = 2;

}  // namespace

Result<std::vector<RecordedDay>> days_of(const AnswerInput& input, const RobotSetup& robot,
                                         const FleetStore& store, const Progress& progress) {
  std::map<double, std::vector<std::size_t>> by_date;
  for (std::size_t k = 0; k < input.training.size(); ++k)
    if (!input.training[k].recorded.empty())
      by_date[std::floor(*date_of(input.training[k].recorded) / kSecondsOfDay)].push_back(k);
  std::vector<RecordedDay> days;
  if (by_date.size() < 2 || !robot.by_leaves) return days;
  const ParameterLayout& layout = robot.setup.plan().layout;
  for (const auto& [date, places] : by_date) {
    std::vector<std::string> keys;
    for (const std::size_t k : places) keys.push_back(input.leaf_keys[k]);
    HEFT_TRY(sum, sum_of_leaves(trie_of(keys), robot, store, progress));
    const auto x = point_estimate(sum, robot.setup, estimation_options(robot.configuration));
    if (!x) continue;
    RecordedDay day{.date = input.training[places.front()].recorded};
    for (int b = 0; b < layout.num_bodies(); ++b)
      day.masses[layout.bodies[static_cast<std::size_t>(b)]] = (*x)[core::kNumParameters * b];
    for (int j = 0; j < layout.num_columns(); ++j)
      day.columns[layout.columns[static_cast<std::size_t>(j)].name] = (*x)[layout.column_index(j)];
    days.push_back(std::move(day));
  }
  return days;
}

std::vector<std::string> changes_in(const AnswerRecord& record) {
  std::vector<std::string> words;
  // a day's interval is wider than that of all days together
  const double widening = std::sqrt(static_cast<double>(record.days.size()));
  const auto compare = [&](std::size_t day, const RecordedQuantity& quantity,
                           const std::string& called,
                           std::map<std::string, double> RecordedDay::* kind) {
    const auto &before = record.days[day - 1].*kind, &now = record.days[day].*kind;
    const auto was = before.find(quantity.name), is = now.find(quantity.name);
    if (!quantity.interval || was == before.end() || is == now.end()) return;
    const double half_width = 0.5 * ((*quantity.interval)[1] - (*quantity.interval)[0]) * widening;
    if (!(std::abs(is->second - was->second) > kSureInHalfWidths * half_width)) return;
    words.push_back(fmt::format("{} {} from {:.4g} to {:.4g} {} on {}", called,
                                is->second > was->second ? "rose" : "fell", was->second, is->second,
                                quantity.unit, record.days[day].date));
  };
  for (std::size_t day = 1; day < record.days.size(); ++day) {
    for (const RecordedQuantity& mass : record.masses)
      compare(day, mass, "mass of " + mass.name, &RecordedDay::masses);
    for (const RecordedQuantity& column : record.columns)
      compare(day, column, column.name, &RecordedDay::columns);
  }
  return words;
}

}  // namespace heft
