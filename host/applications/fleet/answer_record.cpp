#include "answer_record.hpp"

#include <utility>

#include "files/sha256.hpp"
#include "record_text.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number_in(const Json& json) {
  return json.is_number() ? std::optional<double>(json.get<double>()) : std::nullopt;
}

std::optional<std::array<double, 2>> interval_in(const Json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number())
    return {};
  return std::array<double, 2>{json[0].get<double>(), json[1].get<double>()};
}

}  // namespace

Json RecordedPopulation::to_json() const {
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
    return result.contains(fit) ? number_in(result[fit].value("overall_relative", Json()))
                                : std::nullopt;
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
    add(record.masses, body["name"], body["parameters"]["m"], "kg",
        body["name"].get<std::string>() + ".m");
  }
  for (const Json& column : result.at("columns")) {
    shared += column["name"].dump();
    add(record.columns, column["name"], column["value"], column["unit"], column["name"]);
  }
  record.model = sha256_of(shared);
  return record;
}

template <class Archive>
void members(Archive& archive, RecordedQuantity& quantity) {
  archive(quantity.name), archive(quantity.value), archive(quantity.unit),
      archive(quantity.interval);
}

template <class Archive>
void members(Archive& archive, RecordedDoubt& doubt) {
  archive(doubt.id), archive(doubt.words), archive(doubt.is_open);
}

template <class Archive>
void members(Archive& archive, RecordedDay& day) {
  archive(day.date), archive(day.masses), archive(day.columns);
  archive(day.mass_widths), archive(day.column_widths);
}

template <class Archive>
void members(Archive& archive, RecordedPopulation::Release& release) {
  archive(release.group), archive(release.improbability);
}

template <class Archive>
void members(Archive& archive, RecordedPopulation& population) {
  archive(population.robots), archive(population.released);
}

template <class Archive>
void members(Archive& archive, AnswerRecord& record) {
  archive(record.digest), archive(record.model), archive(record.verdict),
      archive(record.is_certified);
  archive(record.held_out), archive(record.training), archive(record.doubts);
  archive(record.masses), archive(record.columns), archive(record.days), archive(record.population);
}

std::string AnswerRecord::text() const {
  AnswerRecord copy = *this;
  std::string schema = kAnswerSchema;
  RecordWriter writer;
  writer(schema), writer(copy);
  return std::move(writer).text();
}

std::optional<AnswerRecord> AnswerRecord::from_text(std::string_view text) {
  RecordReader reader(text);
  std::string schema;
  AnswerRecord record;
  reader(schema);
  if (schema != kAnswerSchema) return {};  // sealed by another program: treated as missing
  reader(record);
  if (!reader.is_whole()) return {};
  return record;
}

}  // namespace heft
