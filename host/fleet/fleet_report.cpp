#include "fleet_report.hpp"

#include <fmt/format.h>

#include <set>

#include "csv_table.hpp"
#include "files/whole_file.hpp"
#include "heft/version.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json open_ids(const Json& record) {
  Json ids = Json::array();
  for (const Json& doubt : record["doubts"])
    if (doubt.value("severity", "") == "serious" && !doubt.value("accepted", false))
      ids.push_back(doubt["id"]);
  return ids;
}

Json robot_json(const FleetRobot& robot, const RobotOutcome& outcome, const Json& record) {
  Json json = {{"id", robot.id}, {"state", enum_name(outcome.state)}};
  const bool has_record = record.is_object();
  for (const char* key : {"held_out", "training", "certified"}) json[key] = has_record ? record[key] : Json();
  json["doubts"] = has_record ? open_ids(record) : Json::array();
  json["digest"] = has_record ? record["digest"] : Json();
  std::string error;
  for (const Error& one : outcome.errors) error += (error.empty() ? "" : "\n") + one.message();
  json["error"] = error.empty() ? Json() : Json(error);
  json["verdict"] = has_record ? record["verdict"]["level"] : Json();
  json["result"] = has_record ? Json("results/" + robot.folder + "/result.json") : Json();
  json["recorded"] = robot.recorded.empty() ? Json() : Json(robot.recorded);
  json["training_logs"] = robot.training.size();
  json["validation_logs"] = robot.validation.size();
  json["notes"] = outcome.notes;
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

/// One row a robot; a column for every mass and every column of the robots, whatever their models.
std::string table_of(const Json& robots, const std::vector<Json>& records) {
  std::vector<std::string> names;
  std::set<std::string> known;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  };
  for (const Json& record : records) {
    if (!record.is_object()) continue;
    for (const Json& body : record["bodies"]) add("mass " + body["name"].get<std::string>());
    for (const Json& column : record["columns"]) add(column["name"].get<std::string>());
  }
  std::string text = "robot_id,state,verdict,held_out,training,certified,doubts,recorded,digest,error";
  for (const std::string& name : names) text += "," + csv_field(name);
  text += "\n";
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const Json& robot = robots[r];
    std::string doubts;
    for (const Json& id : robot["doubts"]) doubts += (doubts.empty() ? "" : " ") + id.get<std::string>();
    const auto words = [&](const char* key) {
      return robot[key].is_string() ? csv_field(robot[key].get<std::string>()) : std::string();
    };
    text += csv_field(robot["id"].get<std::string>()) + "," + words("state") + "," + words("verdict") + "," +
            number(robot["held_out"]) + "," + number(robot["training"]) + "," +
            (robot["certified"].is_boolean() ? (robot["certified"].get<bool>() ? "true" : "false") : "") +
            "," + csv_field(doubts) + "," + words("recorded") + "," + words("digest") + "," + words("error");
    std::map<std::string, std::string> values;
    if (records[r].is_object()) {
      for (const Json& body : records[r]["bodies"])
        values["mass " + body["name"].get<std::string>()] = number(body["parameters"][0]);
      for (const Json& column : records[r]["columns"])
        values[column["name"].get<std::string>()] = number(column["value"]);
    }
    for (const std::string& name : names) text += "," + values[name];
    text += "\n";
  }
  return text;
}

}  // namespace

Result<Done> write_fleet_report(const FleetPlan& plan, const FleetOutcome& outcome,
                                const std::vector<Json>& records, const FleetStore& store) {
  Json json = {{"schema", "heft-fleet-1"}, {"version", kVersion}, {"robots", Json::array()}};
  for (std::size_t r = 0; r < plan.robots.size(); ++r)
    json["robots"].push_back(robot_json(plan.robots[r], outcome.robots[r], records[r]));
  json["totals"] = totals_of(plan, outcome, json["robots"]);
  json["errors"] = Json::array();
  for (const Error& error : plan.errors) json["errors"].push_back(error.message());
  return write_files_whole(
      {{store.path("fleet.json"), json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"},
       {store.path("fleet.csv"), table_of(json["robots"], records)}});
}

}  // namespace heft
