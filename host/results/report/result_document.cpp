#include "report/result_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFirstSchema = "heft-result-1";

/// Version 1 named channels joints. Converts these; leaves other forms for the readers to report.
void bring_fit_up_to_date(Json& fit) {
  if (!fit.is_object() || !fit.contains("per_joint") || !fit["per_joint"].is_array()) return;
  Json channels = Json::array();
  for (const Json& joint : fit["per_joint"]) {
    Json channel = Json::object();
    if (joint.is_object())
      for (const auto& [key, value] : joint.items())
        channel[key == "joint" ? "channel" : key] = value;
    channels.push_back(std::move(channel));
  }
  fit.erase("per_joint");
  fit["per_channel"] = std::move(channels);
}

}  // namespace

std::string result_path_of(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  return fs::is_directory(given, ignored) ? (fs::path(given) / "result.json").string() : given;
}

std::vector<std::string> open_doubts(const Json& document) {
  std::vector<std::string> open;
  const auto list = document.find("doubts");
  if (list == document.end() || !list->is_array()) return open;
  for (const Json& doubt : *list) {
    if (!doubt.is_object() || doubt.value("severity", Json()) != "serious" ||
        doubt.value("accepted", Json()) == true)
      continue;
    const auto text = [&](const char* key) {
      const auto value = doubt.find(key);
      return value != doubt.end() && value->is_string() ? value->get<std::string>() : std::string();
    };
    open.push_back(text("words") + (text("remedy").empty() ? "" : " " + text("remedy")));
  }
  return open;
}

Result<Json> read_result_document(const std::string& given) {
  const std::string path = result_path_of(given);
  HEFT_TRY(text, read_file_whole(path, kLargestResult));
  // every value takes many times its text
  constexpr std::ptrdiff_t kMaxValues = 4'000'000;
  if (std::count(text.begin(), text.end(), ',') > kMaxValues)
    return Error{path,
                 fmt::format("contains more than {} values: it is not a result of heft identify",
                             kMaxValues),
                 "give the directory or the result.json that it wrote"};
  Json document = parse_json<Json>(text);
  const bool named = !document.is_discarded() && document.is_object() &&
                     document.contains("schema") && document["schema"].is_string();
  const std::string schema = named ? document["schema"].get<std::string>() : "";
  if (schema.rfind("heft-result-", 0) != 0)
    return Error{path, "is not a result of heft identify",
                 "give the directory or the result.json that it wrote"};
  if (schema == kFirstSchema) {
    for (const char* fit : {"training", "validation"})
      if (document.contains(fit)) bring_fit_up_to_date(document[fit]);
    document["schema"] = kResultSchema;
  } else if (schema != kResultSchema) {
    return Error{path,
                 "is a " + schema + ", which this version of heft does not support: it reads " +
                     kFirstSchema + " and " + kResultSchema,
                 "use the version of heft that wrote it, or a newer one"};
  }
  return document;
}

}  // namespace heft
