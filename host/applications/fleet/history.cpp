#include "history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "dates.hpp"
#include "heft/config/module_options.hpp"
#include "heft/solve/least_squares.hpp"
#include "identify/gathering.hpp"
#include "leaf.hpp"

namespace heft {

namespace {

constexpr double kSecondsOfDay = 86400;
/// Differences beyond this many half-widths of 95 % intervals are reported.
constexpr double kSureInHalfWidths = 2;
constexpr std::size_t kFewestRobots = 8;  ///< whose days calibrate the intervals of all
/// Half-width of a 95 % interval of a normal number over the median of its size.
constexpr double kHalfWidthInMedians = 1.959964 / 0.674490;

/// Returns the data of some of the logs, whose sum is `moments`. The stretches of `all` follow each
/// other in the order of its logs; if each is a sum of several logs, the result has no stretches.
TrainingData data_of(const TrainingData& all, const std::vector<bool>& is_chosen, Moments moments) {
  TrainingData chosen{.plan = all.plan, .options = all.options, .moments = std::move(moments)};
  for (std::size_t k = 0; k < all.logs.size(); ++k)
    if (is_chosen[k]) chosen.logs.push_back(all.logs[k]);
  if (all.stretches.size() < all.logs.size()) return chosen;
  std::size_t log = 0;
  std::int64_t begin = 0, end = all.logs.front().num_samples;
  for (const MomentStretch& stretch : all.stretches) {
    const std::int64_t middle = begin + stretch.num_samples / 2;
    while (middle >= end && log + 1 < all.logs.size()) end += all.logs[++log].num_samples;
    if (is_chosen[log]) chosen.stretches.push_back(stretch);
    begin += stretch.num_samples;
  }
  return chosen;
}

/// Intervals of all parameters by a day's own logs; empty if they are too short. Those of all days
/// together would contain the change between days as noise.
std::vector<std::optional<Interval>> intervals_of(const TrainingData& day, const RobotSetup& robot,
                                                  const Eigen::VectorXd& parameters) {
  const EstimationOptions options = estimation_options(robot.configuration);
  const auto fit = fit_weighted(day.moments, options.weighting_passes, options.rank_cut);
  const auto executor = make_executor({.kind = BackendKind::cpu, .threads = 1});
  if (!fit || !executor) return {};
  const auto found = quantify_uncertainty(day, fit->channel_weights, robot.setup.prior,
                                          robot.setup.constraints, {**executor, options.solve},
                                          options.rank_cut, parameters, {.bootstrap = 0});
  if (!found) return {};
  return found->intervals;
}

/// The estimate of a day and its half-widths by name.
RecordedDay recorded(const std::string& date, const ParameterLayout& layout,
                     const Eigen::VectorXd& x,
                     const std::vector<std::optional<Interval>>& intervals) {
  RecordedDay day{.date = date};
  const auto add = [&](const std::string& name, int index, std::map<std::string, double>& values,
                       std::map<std::string, double>& widths) {
    values[name] = x[index];
    const auto k = static_cast<std::size_t>(index);
    // an interval may end at zero below
    if (k < intervals.size() && intervals[k]) widths[name] = intervals[k]->upper - x[index];
  };
  for (int b = 0; b < layout.num_bodies(); ++b)
    add(layout.bodies[static_cast<std::size_t>(b)], layout.index(b, core::kMass), day.masses,
        day.mass_widths);
  for (int j = 0; j < layout.num_columns(); ++j)
    add(layout.columns[static_cast<std::size_t>(j)].name, layout.column_index(j), day.columns,
        day.column_widths);
  return day;
}

/// Half-width of a difference between two days: of their own intervals, else of the interval of all
/// days together, than which a day's is wider.
std::optional<double> half_width(const std::map<std::string, double>& before,
                                 const std::map<std::string, double>& now,
                                 const RecordedQuantity& quantity, std::size_t num_days) {
  const auto was = before.find(quantity.name), is = now.find(quantity.name);
  if (was != before.end() && is != now.end())
    return std::hypot(was->second, is->second) / std::sqrt(2.0);
  if (!quantity.interval) return std::nullopt;
  return 0.5 * ((*quantity.interval)[1] - (*quantity.interval)[0]) *
         std::sqrt(static_cast<double>(num_days));
}

using Numbers = std::map<std::string, double>;

/// Appends the differences between two days in units of their half-widths, of names that have both.
void append_differences(const Numbers& before, const Numbers& now, const Numbers& widths_before,
                        const Numbers& widths_now, std::vector<double>& differences) {
  for (const auto& [name, value] : now) {
    const auto was = before.find(name), width = widths_now.find(name),
               width_before = widths_before.find(name);
    if (was == before.end() || width == widths_now.end() || width_before == widths_before.end())
      continue;
    const double claimed = std::hypot(width->second, width_before->second);
    if (claimed > 0) differences.push_back(std::abs(value - was->second) / claimed);
  }
}

}  // namespace

std::optional<DayDifferences> day_differences(
    const std::vector<std::optional<AnswerRecord>>& records) {
  std::vector<double> differences;
  DayDifferences found;
  for (const auto& record : records) {
    const std::size_t before = differences.size();
    for (std::size_t day = 1; record && day < record->days.size(); ++day) {
      const RecordedDay &was = record->days[day - 1], &is = record->days[day];
      append_differences(was.masses, is.masses, was.mass_widths, is.mass_widths, differences);
      append_differences(was.columns, is.columns, was.column_widths, is.column_widths, differences);
    }
    found.num_robots += differences.size() > before ? 1 : 0;
  }
  if (found.num_robots < kFewestRobots) return std::nullopt;
  found.num_differences = differences.size();
  const auto middle = differences.begin() + std::ssize(differences) / 2;
  std::nth_element(differences.begin(), middle, differences.end());
  found.ratio = kHalfWidthInMedians * *middle;
  found.widened_by = std::max(1.0, found.ratio);
  return found;
}

Result<std::vector<RecordedDay>> days_of(const AnswerInput& input, const RobotSetup& robot,
                                         const TrainingData& data, const FleetStore& store,
                                         const Progress& progress) {
  std::map<double, std::vector<std::size_t>> by_date;
  for (std::size_t k = 0; k < input.training.size(); ++k)
    if (!input.training[k].recorded.empty())
      by_date[std::floor(*date_of(input.training[k].recorded) / kSecondsOfDay)].push_back(k);
  std::vector<RecordedDay> days;
  if (by_date.size() < 2 || !robot.by_leaves) return days;
  for (const auto& [date, places] : by_date) {
    std::vector<std::string> keys;
    std::vector<bool> is_of_day(input.training.size());
    for (const std::size_t k : places) keys.push_back(input.leaf_keys[k]), is_of_day[k] = true;
    HEFT_TRY(sum, sum_of_leaves(trie_of(keys), robot, store, progress));
    const auto x = point_estimate(sum, robot.setup, estimation_options(robot.configuration));
    if (!x) continue;
    std::vector<std::optional<Interval>> intervals;
    if (data.logs.size() == is_of_day.size())
      intervals = intervals_of(data_of(data, is_of_day, std::move(sum)), robot, *x);
    days.push_back(recorded(input.training[places.front()].recorded, robot.setup.plan().layout, *x,
                            intervals));
  }
  return days;
}

std::vector<std::string> changes_in(const AnswerRecord& record, double widened_by) {
  std::vector<std::string> words;
  const auto compare = [&](std::size_t day, const RecordedQuantity& quantity,
                           const std::string& called,
                           std::map<std::string, double> RecordedDay::*kind,
                           std::map<std::string, double> RecordedDay::*widths) {
    const auto &before = record.days[day - 1].*kind, &now = record.days[day].*kind;
    const auto was = before.find(quantity.name), is = now.find(quantity.name);
    if (was == before.end() || is == now.end()) return;
    const auto width = half_width(record.days[day - 1].*widths, record.days[day].*widths, quantity,
                                  record.days.size());
    const double difference = std::abs(is->second - was->second);
    if (!width || !(difference > kSureInHalfWidths * widened_by * *width)) return;
    words.push_back(fmt::format("{} {} from {:.4g} to {:.4g} {} on {}", called,
                                is->second > was->second ? "rose" : "fell", was->second, is->second,
                                quantity.unit, record.days[day].date));
  };
  for (std::size_t day = 1; day < record.days.size(); ++day) {
    for (const RecordedQuantity& mass : record.masses)
      compare(day, mass, "mass of " + mass.name, &RecordedDay::masses, &RecordedDay::mass_widths);
    for (const RecordedQuantity& column : record.columns)
      compare(day, column, column.name, &RecordedDay::columns, &RecordedDay::column_widths);
  }
  return words;
}

}  // namespace heft
