#include "history.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "dates.hpp"
#include "identify/gathering.hpp"
#include "leaf.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSecondsOfDay = 86400;
/// Differences beyond so many half-widths of 95 % intervals are said.
constexpr double kSureInHalfWidths = 2;

}  // namespace

Result<Json> history_of(const AnswerInput& input, const RobotSetup& robot, const FleetStore& store,
                        const Progress& progress) {
  Json history = Json::array();
  std::map<double, std::vector<std::size_t>> days;
  for (std::size_t k = 0; k < input.training.size(); ++k)
    if (!input.training[k].recorded.empty())
      days[std::floor(*date_of(input.training[k].recorded) / kSecondsOfDay)].push_back(k);
  if (days.size() < 2 || !robot.by_leaves) return history;
  const ParameterLayout& layout = robot.setup.plan().layout;
  for (const auto& [date, places] : days) {
    std::vector<std::string> keys;
    for (const std::size_t k : places) keys.push_back(input.leaf_keys[k]);
    HEFT_TRY(sum, sum_of_leaves(trie_of(keys), robot, store, progress));
    const auto x = point_estimate(sum, robot.setup, estimation_options(robot.configuration));
    if (!x) continue;
    Json day = {{"recorded", input.training[places.front()].recorded},
                {"bodies", Json::object()},
                {"columns", Json::object()}};
    for (int b = 0; b < layout.num_bodies(); ++b)
      day["bodies"][layout.bodies[static_cast<std::size_t>(b)]] = (*x)[core::kNumParameters * b];
    for (int j = 0; j < layout.num_columns(); ++j)
      day["columns"][layout.columns[static_cast<std::size_t>(j)].name] = (*x)[layout.column_index(j)];
    history.push_back(std::move(day));
  }
  return history;
}

std::vector<std::string> changes_in(const Json& record) {
  std::vector<std::string> words;
  if (!record.contains("history") || !record.contains("intervals")) return words;
  const Json& history = record["history"];
  std::map<std::string, std::string> units;
  for (const Json& column : record["columns"]) units[column["name"]] = column["unit"];
  // a day's interval is wider than that of all days together
  const double widening = std::sqrt(static_cast<double>(history.size()));
  for (std::size_t k = 1; k < history.size(); ++k)
    for (const char* kind : {"bodies", "columns"})
      for (const auto& [name, value] : history[k][kind].items()) {
        const bool is_body = std::string_view(kind) == "bodies";
        const auto interval = record["intervals"].find(is_body ? name + ".m" : name);
        if (interval == record["intervals"].end() || !history[k - 1][kind].contains(name)) continue;
        const double half_width =
            0.5 * ((*interval)[1].get<double>() - (*interval)[0].get<double>()) * widening;
        const double before = history[k - 1][kind][name], now = value;
        if (!(std::abs(now - before) > kSureInHalfWidths * half_width)) continue;
        words.push_back(fmt::format("{}{} {} from {:.4g} to {:.4g} {} on {}", is_body ? "mass of " : "", name,
                                    now > before ? "rose" : "fell", before, now, is_body ? "kg" : units[name],
                                    history[k]["recorded"].get<std::string>()));
      }
  return words;
}

}  // namespace heft
