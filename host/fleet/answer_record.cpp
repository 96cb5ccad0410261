#include "answer_record.hpp"

#include <utility>

#include "files/json_text.hpp"
#include "files/sha256.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number_in(const Json& json) {
  return json.is_number() ? std::optional<double>(json.get<double>()) : std::nullopt;
}

std::optional<std::array<double, 2>> interval_in(const Json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) return {};
  return std::array<double, 2>{json[0].get<double>(), json[1].get<double>()};
}

/// [name, value, unit, low, high]: short, because a fleet reads those of all robots every night.
Json json_of(const std::vector<RecordedQuantity>& quantities) {
  Json list = Json::array();
  for (const RecordedQuantity& quantity : quantities) {
    Json entry = {quantity.name, quantity.value, quantity.unit};
    if (quantity.interval) entry.push_back((*quantity.interval)[0]), entry.push_back((*quantity.interval)[1]);
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<RecordedQuantity> quantities_in(const Json& list) {
  std::vector<RecordedQuantity> quantities;
  quantities.reserve(list.size());
  for (const Json& entry : list) {
    RecordedQuantity quantity{entry.at(0), entry.at(1), entry.at(2), {}};
    if (entry.size() == 5) quantity.interval = {entry[3].get<double>(), entry[4].get<double>()};
    quantities.push_back(std::move(quantity));
  }
  return quantities;
}

}  // namespace

Json RecordedSisters::to_json() const {
  Json list = Json::array();
  for (const Release& release : released)
    list.push_back({{"group", release.group}, {"improbability", release.improbability}});
  return {{"robots", robots}, {"released", std::move(list)}};
}

AnswerRecord AnswerRecord::of(const Json& result, std::string digest) {
  AnswerRecord record{.digest = std::move(digest),
                      .verdict = result.at("verdict").value("level", ""),
                      .is_certified = result.value("status", "") == "certified"};
  const auto relative_error = [&](const char* fit) {
    return result.contains(fit) ? number_in(result[fit].value("overall_relative", Json())) : std::nullopt;
  };
  record.held_out = relative_error("validation");
  record.training = relative_error("training");
  for (const Json& doubt : result.at("doubts"))
    record.doubts.push_back(
        {.id = doubt.at("id"),
         .words = doubt.at("words"),
         .is_open = doubt.at("severity") == "serious" && !doubt.at("accepted").get<bool>()});
  std::map<std::string, std::array<double, 2>> intervals;
  if (const auto uncertainty = result.find("uncertainty");
      uncertainty != result.end() && uncertainty->contains("parameters"))
    for (const Json& parameter : (*uncertainty)["parameters"])
      if (const auto interval = interval_in(parameter["interval"]))
        intervals[parameter["name"].get<std::string>()] = *interval;
  const auto add = [&](std::vector<RecordedQuantity>& to, const Json& name, const Json& value,
                       std::string unit, const std::string& parameter) {
    if (!value.is_number()) return;
    to.push_back({name, value, std::move(unit), {}});
    if (const auto found = intervals.find(parameter); found != intervals.end())
      to.back().interval = found->second;
  };
  std::string shared;
  for (const Json& body : result.at("bodies")) {
    shared += body["name"].dump() + body["prior"].dump();
    add(record.masses, body["name"], body["parameters"]["m"], "kg", body["name"].get<std::string>() + ".m");
  }
  for (const Json& column : result.at("columns")) {
    shared += column["name"].dump();
    add(record.columns, column["name"], column["value"], column["unit"], column["name"]);
  }
  record.family = sha256_of(shared);
  return record;
}

Json AnswerRecord::to_json() const {
  Json json = {{"schema", kAnswerSchema},
               {"digest", digest},
               {"family", family},
               {"verdict", verdict},
               {"certified", is_certified},
               {"held_out", number_or_null(held_out)},
               {"training", number_or_null(training)},
               {"doubts", Json::array()},
               {"masses", json_of(masses)},
               {"columns", json_of(columns)}};
  for (const RecordedDoubt& doubt : doubts)
    json["doubts"].push_back({{"id", doubt.id}, {"words", doubt.words}, {"open", doubt.is_open}});
  for (const RecordedDay& day : days)
    json["days"].push_back({{"date", day.date}, {"masses", day.masses}, {"columns", day.columns}});
  if (sisters) json["sisters"] = sisters->to_json();
  return json;
}

std::optional<AnswerRecord> AnswerRecord::from_json(const Json& json) {
  try {
    if (json.at("schema") != kAnswerSchema) return {};
    AnswerRecord record{.digest = json.at("digest"),
                        .family = json.at("family"),
                        .verdict = json.at("verdict"),
                        .is_certified = json.at("certified"),
                        .held_out = number_in(json.at("held_out")),
                        .training = number_in(json.at("training")),
                        .masses = quantities_in(json.at("masses")),
                        .columns = quantities_in(json.at("columns"))};
    for (const Json& doubt : json.at("doubts"))
      record.doubts.push_back({doubt.at("id"), doubt.at("words"), doubt.at("open")});
    if (const auto days = json.find("days"); days != json.end())
      for (const Json& day : *days)
        record.days.push_back({day.at("date"), day.at("masses"), day.at("columns")});
    if (const auto sisters = json.find("sisters"); sisters != json.end()) {
      record.sisters = {.robots = sisters->at("robots")};
      for (const Json& release : sisters->at("released"))
        record.sisters->released.push_back({release.at("group"), release.at("improbability")});
    }
    return record;
  } catch (const Json::exception&) {
    return {};  // sealed, but not by this program: as if there were none
  }
}

}  // namespace heft
