#include "fleet_report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <unordered_map>

#include "base/parallel_for.hpp"
#include "files/csv_table.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "fleet_page.hpp"
#include "heft/version.hpp"
#include "history.hpp"
#include "html/page.hpp"
#include "shared_conditioner.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json open_ids(const AnswerRecord& record) {
  Json ids = Json::array();
  for (const RecordedDoubt& doubt : record.doubts)
    if (doubt.is_open) ids.push_back(doubt.id);
  return ids;
}

Json robot_json(const FleetRobot& robot, const RobotOutcome& outcome,
                const std::optional<AnswerRecord>& record, double widened_by) {
  Json json = {{"id", robot.id}, {"state", enum_name(outcome.state)}};
  json["held_out"] = record ? number_or_null(record->held_out) : Json();
  json["training"] = record ? number_or_null(record->training) : Json();
  json["certified"] = record ? Json(record->is_certified) : Json();
  json["doubts"] = record ? open_ids(*record) : Json::array();
  json["digest"] = record ? Json(record->digest) : Json();
  std::string error;
  for (const Error& one : outcome.errors) error += (error.empty() ? "" : "\n") + one.message();
  json["error"] = error.empty() ? Json() : Json(error);
  json["verdict"] = record ? Json(record->verdict) : Json();
  json["result"] = record ? Json("results/" + robot.folder + "/result.json") : Json();
  json["recorded"] = robot.recorded.empty() ? Json() : Json(robot.recorded);
  json["training_logs"] = robot.training.size();
  json["validation_logs"] = robot.validation.size();
  json["notes"] = outcome.notes;
  if (record && record->population) json["prior"] = record->population->to_json();
  if (record)
    if (const std::vector<std::string> changes = changes_in(*record, widened_by); !changes.empty())
      json["changes"] = changes;
  return json;
}

Json totals_of(const FleetPlan& plan, const FleetOutcome& outcome, const Json& robots) {
  Json totals = {{"robots", robots.size()}};
  for (const RobotState state : {RobotState::done, RobotState::failed, RobotState::missing})
    totals[enum_name(state)] = outcome.count(state);
  int certified = 0, doubted = 0;
  for (const Json& robot : robots) {
    certified += robot["certified"] == true;
    doubted += !robot["doubts"].empty();
  }
  totals["certified"] = certified;
  totals["doubted"] = doubted;
  totals["logs"] = plan.manifest.rows.size();
  totals["bad_rows"] = plan.manifest.faults.size();
  return totals;
}

std::string number(const Json& value) {
  return value.is_number() ? fmt::format("{:.9g}", value.get<double>()) : "";
}

/// The quantities of tables: masses, then columns.
template <class Visit>
void each_quantity(const AnswerRecord& record, Visit visit) {
  for (const RecordedQuantity& mass : record.masses) visit("mass " + mass.name, mass.value);
  for (const RecordedQuantity& column : record.columns) visit(column.name, column.value);
}

/// Promotes or holds every robot.
void decide(const GateRules& rules, const std::vector<Outlier>& outliers, Json& robots) {
  std::vector<std::vector<Outlier>> own(robots.size());
  for (const Outlier& outlier : outliers) own[outlier.robot].push_back(outlier);
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const std::vector<std::string> reasons = reasons_to_hold(rules, robots[r], own[r]);
    robots[r]["gate"] = {{"decision", reasons.empty() ? "promote" : "hold"}, {"reasons", reasons}};
  }
}

/// Counts of the decisions, and the robots that are held, with their reasons.
Json gate_summary(const Json& robots) {
  Json held = Json::array();
  for (const Json& robot : robots)
    if (robot["gate"]["decision"] == "hold")
      held.push_back({{"id", robot["id"]}, {"reasons", robot["gate"]["reasons"]}});
  return {{"promoted", robots.size() - held.size()}, {"held", held}};
}

/// Counts results with a population prior, and lists the robots released from it, by part.
Json prior_summary(const Json& robots) {
  std::size_t num_with_prior = 0;
  Json released = Json::array();
  for (const Json& robot : robots) {
    if (!robot.contains("prior")) continue;
    ++num_with_prior;
    for (const Json& part : robot["prior"]["released"])
      released.push_back({{"id", robot["id"]},
                          {"group", part["group"]},
                          {"improbability", part["improbability"]}});
  }
  return {{"robots", num_with_prior}, {"released", released}};
}

/// Logs that a device conditioned.
Json wave_json(const FleetWaves& waves) {
  Json on_host = Json::array();
  for (const auto& [why, logs] : waves.on_host) on_host.push_back({{"why", why}, {"logs", logs}});
  return {{"robots", waves.num_robots},   {"logs", waves.num_logs},
          {"bytes_up", waves.bytes_up},   {"bytes_down", waves.bytes_down},
          {"launches", waves.launches},   {"host_cpu_s", waves.host_cpu_s},
          {"device_s", waves.device_s},   {"chosen_because", waves.chosen_because},
          {"on_host", std::move(on_host)}};
}

/// Whether results have pages to link to, judged by the first result.
bool has_page(const FleetPlan& plan, const std::vector<std::optional<AnswerRecord>>& records,
              const FleetStore& store) {
  for (std::size_t r = 0; r < records.size(); ++r)
    if (std::error_code ignored; records[r])
      return std::filesystem::exists(
          store.path("results/" + plan.robots[r].folder + "/report.html"), ignored);
  return false;
}

/// One row per robot, with a column for every mass and every extra column of all models.
std::string table_of(const Json& robots, const std::vector<std::optional<AnswerRecord>>& records) {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> places;  // of names
  for (const auto& record : records)
    if (record)
      each_quantity(*record, [&](const std::string& name, double) {
        if (places.emplace(name, names.size()).second) names.push_back(name);
      });
  std::string text =
      "robot_id,state,verdict,held_out,training,certified,doubts,recorded,digest,error,gate";
  for (const std::string& name : names) text += "," + csv_words(name);
  text += "\n";
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const Json& robot = robots[r];
    std::string doubts;
    for (const Json& id : robot["doubts"])
      doubts += (doubts.empty() ? "" : " ") + id.get<std::string>();
    const auto words = [&](const char* key) {
      return robot[key].is_string() ? csv_words(robot[key].get<std::string>()) : std::string();
    };
    text += csv_words(robot["id"].get<std::string>()) + "," + words("state") + "," +
            words("verdict") + "," + number(robot["held_out"]) + "," + number(robot["training"]) +
            "," +
            (robot["certified"].is_boolean() ? (robot["certified"].get<bool>() ? "true" : "false")
                                             : "") +
            "," + csv_words(doubts) + "," + words("recorded") + "," + words("digest") + "," +
            words("error") + "," +
            (robot.contains("gate") ? robot["gate"]["decision"].get<std::string>() : "");
    std::vector<std::optional<double>> values(names.size());
    if (records[r])
      each_quantity(*records[r], [&](const std::string& name, double value) {
        values[places.at(name)] = value;
      });
    for (const auto& value : values) {
      text += ',';
      if (value) fmt::format_to(std::back_inserter(text), "{:.9g}", *value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Result<Done> write_fleet_report(const FleetPlan& plan, const FleetOutcome& outcome,
                                const std::vector<std::optional<AnswerRecord>>& records,
                                const std::optional<GateRules>& rules, const FleetStore& store,
                                int num_threads) {
  Json json = {{"schema", "heft-fleet-1"}, {"version", kVersion}, {"robots", Json::array()}};
  const std::optional<DayDifferences> days = day_differences(records);
  for (std::size_t r = 0; r < plan.robots.size(); ++r)
    json["robots"].push_back(
        robot_json(plan.robots[r], outcome.robots[r], records[r], days ? days->widened_by : 1));
  if (days)
    json["days"] = {{"robots", days->num_robots},
                    {"differences", days->num_differences},
                    {"ratio", days->ratio},
                    {"widened_by", days->widened_by}};
  const std::vector<Outlier> outliers = outliers_of(records);
  json["outliers"] = Json::array();
  for (const Outlier& outlier : outliers)
    json["outliers"].push_back({{"id", plan.robots[outlier.robot].id},
                                {"quantity", outlier.quantity},
                                {"value", outlier.value},
                                {"median", outlier.median},
                                {"unit", outlier.unit},
                                {"sigma", outlier.sigma},
                                {"words", words_of(outlier, plan.robots[outlier.robot].id)}});
  if (rules) {
    decide(*rules, outliers, json["robots"]);
    json["gate"] = gate_summary(json["robots"]);
  }
  if (Json prior = prior_summary(json["robots"]); prior["robots"] != 0)
    json["prior"] = std::move(prior);
  json["totals"] = totals_of(plan, outcome, json["robots"]);
  json["errors"] = Json::array();
  for (const Error& error : plan.errors) json["errors"].push_back(error.message());
  if (outcome.waves) json["provenance"] = {{"wave", wave_json(*outcome.waves)}};
  json["pages"] = !plan.robots.empty() && has_page(plan, records, store);
  const auto text = [](const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
  };
  const auto written = [&](int file) -> FileText {
    if (file == 0) return {store.path("fleet.json"), text(json, 1) + "\n"};
    if (file == 1) return {store.path("fleet.csv"), table_of(json.at("robots"), records)};
    return {store.path("fleet.html"), filled_page(kFleetPage, text(json, -1))};
  };
  std::vector<FileText> files(3);
  parallel_for(std::ssize(files), num_threads, [&](std::int64_t k, int) {
    files[static_cast<std::size_t>(k)] = written(static_cast<int>(k));
  });
  return write_files_whole(files);
}

}  // namespace heft
