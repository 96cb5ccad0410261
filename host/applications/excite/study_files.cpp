#include "study_files.hpp"

#include <cmath>
#include <filesystem>

#include "files/json_text.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "heft/version.hpp"
#include "html/page.hpp"
#include "study_template.hpp"

namespace heft {

namespace {

constexpr const char* kStudySchema = "heft-study-1";

using StudyJson = nlohmann::ordered_json;

StudyJson text_or_null(const std::string& text) {
  return text.empty() ? StudyJson(nullptr) : StudyJson(text);
}

StudyJson entry_json(const StudyDesign& design, const StudyEntry& entry, const StudyEntry* best) {
  StudyJson limit = nullptr;
  if (!entry.limit.empty())
    limit = {{"name", entry.limit},
             {"joint", entry.joint},
             {"worst_ratio", number_or_null(entry.limit_used)}};
  return {{"name", design.name},
          {"options", design.words},
          {"status", enum_name(entry.status)},
          {"log_det", number_or_null(entry.log_det)},
          {"log_det_prior", number_or_null(entry.log_det_prior)},
          {"base_parameters", entry.num_base_parameters},
          {"efficiency_vs_best", number_or_null(efficiency_vs_best(entry, best))},
          {"torque_error", number_or_null(entry.torque_error)},
          {"duration_s", number_or_null(entry.duration_s)},
          {"closest_limit", limit},
          {"infeasible_because",
           entry.status == StudyState::failed ? StudyJson(nullptr) : text_or_null(entry.because)},
          {"error",
           entry.status == StudyState::failed ? text_or_null(entry.because) : StudyJson(nullptr)},
          {"cpu_s", number_or_null(entry.cpu_s)},
          {"folder", design.folder},
          {"inputs", design.inputs},
          {"digest", text_or_null(entry.digest)}};
}

StudyJson robot_json(const StudyRobot& robot, const std::vector<StudyEntry>& entries) {
  const BestDesign best = best_design(entries);
  const StudyEntry* const of_best =
      best.index < 0 ? nullptr : &entries[static_cast<std::size_t>(best.index)];
  StudyJson designs = StudyJson::array();
  for (std::size_t i = 0; i < entries.size(); ++i)
    designs.push_back(entry_json(robot.designs[i], entries[i], of_best));
  return {{"name", robot.name},
          {"best", of_best == nullptr
                       ? StudyJson(nullptr)
                       : StudyJson(robot.designs[static_cast<std::size_t>(best.index)].name)},
          {"comparable", best.is_comparable},
          {"designs", designs}};
}

}  // namespace

std::string study_json(const Study& study, const StudyResult& result) {
  StudyJson json;
  json["schema"] = kStudySchema;
  json["heft"] = kVersion;
  for (const auto& state : EnumNames<StudyState>::kList)
    json["totals"][state.name] = result.count(state.value);
  json["robots"] = StudyJson::array();
  for (std::size_t r = 0; r < study.robots.size(); ++r)
    json["robots"].push_back(robot_json(study.robots[r], result.entries[r]));
  return json.dump(1, ' ', false, StudyJson::error_handler_t::replace) + "\n";
}

namespace excite {

Result<Done> write_study(const Study& study, const StudyResult& result,
                         const std::string& directory) {
  const std::string json = study_json(study, result);
  const std::filesystem::path folder(directory);
  return write_files_whole({{(folder / "study.json").string(), json},
                            {(folder / "study.html").string(), filled_page(kStudyPage, json)}});
}

EarlierStudy::EarlierStudy(const std::string& directory) : directory_(directory) {
  const auto text =
      read_text_whole((std::filesystem::path(directory) / "study.json").string(), kLargestResult);
  if (!text) return;
  const nlohmann::json json = parse_json(*text);
  if (json.is_object() && json.value("schema", nlohmann::json()) == kStudySchema &&
      json.contains("robots"))
    robots_ = json["robots"];
}

namespace {

double number_of(const nlohmann::json& entry, const char* key) {
  return entry.contains(key) && entry[key].is_number() ? entry[key].get<double>() : NAN;
}

std::string string_of(const nlohmann::json& entry, const char* key) {
  return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : "";
}

StudyEntry entry_from(const nlohmann::json& json) {
  StudyEntry entry{.log_det = number_of(json, "log_det"),
                   .log_det_prior = number_of(json, "log_det_prior"),
                   .duration_s = number_of(json, "duration_s"),
                   .torque_error = number_of(json, "torque_error"),
                   .cpu_s = number_of(json, "cpu_s"),
                   .because = string_of(json, "infeasible_because"),
                   .digest = string_of(json, "digest"),
                   .was_kept = true};
  if (const auto status = enum_value<StudyState>(string_of(json, "status"))) entry.status = *status;
  if (const double number = number_of(json, "base_parameters"); number > 0 && number < 1e6)
    entry.num_base_parameters = static_cast<int>(number);
  if (!json.contains("closest_limit") || !json["closest_limit"].is_object()) return entry;
  const nlohmann::json& limit = json["closest_limit"];
  entry.limit = string_of(limit, "name");
  entry.joint = string_of(limit, "joint");
  entry.limit_used = number_of(limit, "worst_ratio");
  return entry;
}

}  // namespace

std::optional<StudyEntry> EarlierStudy::entry_of(const StudyDesign& design) const {
  if (!robots_.is_array()) return std::nullopt;
  for (const nlohmann::json& robot : robots_) {
    if (!robot.is_object() || !robot.contains("designs") || !robot["designs"].is_array()) continue;
    for (const nlohmann::json& json : robot["designs"]) {
      if (!json.is_object() || string_of(json, "folder") != design.folder ||
          string_of(json, "inputs") != design.inputs)
        continue;
      StudyEntry entry = entry_from(json);
      const bool is_finished =
          entry.status == StudyState::feasible || entry.status == StudyState::infeasible;
      const auto text = read_file_whole(
          (std::filesystem::path(directory_) / design.folder / "design.json").string(),
          kLargestResult);
      if (is_finished && text && sha256_of(*text) == entry.digest) return entry;
    }
  }
  return std::nullopt;
}

}  // namespace excite

}  // namespace heft
