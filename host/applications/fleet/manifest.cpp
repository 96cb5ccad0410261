#include "fleet/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "dates.hpp"
#include "files/csv_table.hpp"
#include "files/json_text.hpp"
#include "files/name_hint.hpp"
#include "files/whole_file.hpp"
#include "heft/log/several_files.hpp"
#include "log_files.hpp"
#include "readers/log_formats.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestManifest = std::size_t{1} << 30;
constexpr std::size_t kLongestId = 200;  // bytes

enum Field {
  kId,
  kRobot,
  kLog,
  kFormat,
  kConfig,
  kRole,
  kSha256,
  kStart,
  kEnd,
  kRecorded,
  kNumFields
};
const std::vector<std::string> kNames = {"robot_id", "robot",  "log",     "format", "config",
                                         "role",     "sha256", "start_s", "end_s",  "recorded"};
const std::vector<std::string> kFormats = [] {
  std::vector<std::string> names = {"auto"};
  for (const NamedFormat& format : log_formats()) names.emplace_back(format.name);
  return names;
}();
const std::vector<std::string> kRoles = {"train", "validate"};

using Fields = std::array<std::string, kNumFields>;

bool is_json_lines(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<double> seconds(const std::string& text, const std::string& where, const char* column,
                       double if_empty) {
  if (text.empty()) return if_empty;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value))
    return Error{where, fmt::format("{} '{}' is not a number", column, text),
                 "give seconds on the log's own clock, or leave the field empty"};
  return value;
}

/// Parses a row from its fields.
Result<FleetRow> row_of(Fields fields, const std::string& where, const fs::path& folder) {
  for (const Field needed : {kId, kRobot, kLog})
    if (fields[needed].empty())
      return Error{where, "its " + kNames[needed] + " is empty",
                   "write robot_id, robot and log in every row"};
  if (fields[kId].size() > kLongestId)
    return Error{where, fmt::format("its robot_id is longer than {} bytes", kLongestId),
                 "shorten it"};
  FleetRow row{.robot_id = fields[kId],
               .robot = beside(folder, fields[kRobot]),
               .log = log_beside(folder, fields[kLog]),
               .format = in_lower_case(fields[kFormat]),
               .config = beside(folder, fields[kConfig]),
               .sha256 = in_lower_case(fields[kSha256]),
               .recorded = fields[kRecorded]};
  for (const std::string& path : files_of_log(row.log))
    if (path.empty())
      return Error{where, "its log '" + fields[kLog] + "' has an empty file name",
                   "write FILE+FILE, without spaces"};
  if (std::any_of(row.robot_id.begin(), row.robot_id.end(),
                  [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    return Error{where, "its robot_id contains a control character", "use letters and digits"};
  if (row.format == "auto") row.format.clear();
  if (!row.format.empty() &&
      std::find(kFormats.begin(), kFormats.end(), row.format) == kFormats.end())
    return Error{where, "unknown format '" + fields[kFormat] + "'",
                 name_hint(row.format, kFormats, "one of:")};
  if (!fields[kRole].empty() &&
      std::find(kRoles.begin(), kRoles.end(), fields[kRole]) == kRoles.end())
    return Error{where, "unknown role '" + fields[kRole] + "'",
                 name_hint(fields[kRole], kRoles, "one of:") + "; leave the field empty for train"};
  row.validates = fields[kRole] == "validate";
  if (!row.sha256.empty() && !is_sha256(row.sha256))
    return Error{where, "its sha256 is not 64 hexadecimal digits",
                 "leave it empty, or write the output of sha256sum"};
  HEFT_TRY(start, seconds(fields[kStart], where, "start_s", row.start_s));
  HEFT_TRY(end, seconds(fields[kEnd], where, "end_s", row.end_s));
  row.start_s = start, row.end_s = end;
  if (!(start < end))
    return Error{where, fmt::format("start_s {} is not before end_s {}", start, end),
                 "give a start before the end"};
  if (!row.recorded.empty() && !date_of(row.recorded))
    return Error{where, "recorded '" + row.recorded + "' is not a date",
                 "write it as 2026-11-22 or 2026-11-22T06:00:00Z"};
  return row;
}

/// Adds the row of these fields, or its error.
void add_row(const Fields& fields, long line, const fs::path& folder, Manifest& manifest) {
  auto row = row_of(fields, fmt::format("{}:{}", manifest.path, line), folder);
  if (!row) {
    manifest.faults.push_back({fields[kId], row.error()});
    return;
  }
  row->line = line;
  manifest.rows.push_back(std::move(*row));
}

Result<Done> read_csv(const std::string& text, const fs::path& folder, Manifest& manifest) {
  CsvTable table(text);
  std::vector<std::string> header, fields;
  if (!table.next(header))
    return Error{manifest.path, "is empty",
                 "begin it with the line robot_id,robot,log,format,config,role"};
  const std::string where = fmt::format("{}:{}", manifest.path, table.line());
  std::vector<std::optional<Field>> meaning;
  for (const std::string& name : header) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end())
      return Error{where, "unknown column '" + name + "'", name_hint(name, kNames, "one of:")};
    meaning.push_back(static_cast<Field>(found - kNames.begin()));
    if (std::count(header.begin(), header.end(), name) > 1)
      return Error{where, "the column '" + name + "' is given twice", "keep one"};
  }
  for (const Field needed : {kId, kRobot, kLog})
    if (std::find(header.begin(), header.end(), kNames[needed]) == header.end())
      return Error{where, "has no column '" + kNames[needed] + "'",
                   "begin the file with the line robot_id,robot,log,format,config,role"};
  while (table.next(fields)) {
    if (table.is_open())
      return Error{fmt::format("{}:{}", manifest.path, table.line()), "has an unclosed quote",
                   "end the field with a quote; double a quote within the field"};
    Fields values;
    for (std::size_t k = 0; k < std::min(fields.size(), meaning.size()); ++k)
      values[*meaning[k]] = fields[k];
    if (fields.size() != header.size()) {
      manifest.faults.push_back(
          {values[kId],
           {fmt::format("{}:{}", manifest.path, table.line()),
            fmt::format("has {} fields, but the header has {}", fields.size(), header.size()),
            "keep empty fields; put fields with commas in quotes"}});
      continue;
    }
    add_row(values, table.line(), folder, manifest);
  }
  return Done{};
}

/// A JSON field as text; empty if it is neither text nor a number.
std::optional<std::string> text_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return {};
}

void read_json_row(const std::string& text, long line, const fs::path& folder, Manifest& manifest) {
  const std::string where = fmt::format("{}:{}", manifest.path, line);
  const Json json = parse_json<Json>(text);
  const auto fault = [&](const std::string& id, const std::string& what,
                         const std::string& remedy) {
    manifest.faults.push_back({id, {where, what, remedy}});
  };
  if (json.is_discarded() || !json.is_object())
    return fault("", "is not a JSON object",
                 "write one object per line: {\"robot_id\": .., \"robot\": .., \"log\": ..}");
  Fields fields;
  if (const auto id = json.find("robot_id"); id != json.end())
    fields[kId] = text_of(*id).value_or("");
  for (const auto& [key, value] : json.items()) {
    const auto found = std::find(kNames.begin(), kNames.end(), key);
    if (found == kNames.end())
      return fault(fields[kId], "unknown key '" + key + "'", name_hint(key, kNames, "one of:"));
    const auto field = text_of(value);
    if (!field)
      return fault(fields[kId], "'" + key + "' is neither a string nor a number", "write a string");
    fields[static_cast<std::size_t>(found - kNames.begin())] = *field;
  }
  add_row(fields, line, folder, manifest);
}

void read_json_lines(const std::string& text, const fs::path& folder, Manifest& manifest) {
  long line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string row = text.substr(at, end - at);
    at = end + 1;
    if (row.find_first_not_of(" \t\r") != std::string::npos)
      read_json_row(row, line, folder, manifest);
  }
}

std::string number_or_nothing(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

Fields fields_of(const FleetRow& row, const fs::path& folder) {
  const auto shortened = [&](const std::string& path) {
    if (path.empty()) return path;
    const fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".."
               ? fs::absolute(path).lexically_normal().string()
               : relative.string();
  };
  std::vector<std::string> log = files_of_log(row.log);
  for (std::string& path : log) path = shortened(path);
  return {row.robot_id, shortened(row.robot),           fmt::format("{}", fmt::join(log, "+")),
          row.format,   shortened(row.config),          row.validates ? "validate" : "train",
          row.sha256,   number_or_nothing(row.start_s), number_or_nothing(row.end_s),
          row.recorded};
}

}  // namespace

Result<Manifest> read_manifest(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestManifest));
  Manifest manifest{.path = path};
  const fs::path folder = fs::path(path).parent_path();
  if (is_json_lines(path))
    read_json_lines(text, folder, manifest);
  else
    HEFT_CHECK(read_csv(text, folder, manifest));
  if (manifest.rows.empty() && manifest.faults.empty())
    return Error{path, "does not name a log",
                 "write one row per robot and log, or make it with heft fleet manifest"};
  return manifest;
}

Result<Done> write_manifest(const std::vector<FleetRow>& rows, const std::string& path) {
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  std::string text;
  if (!is_json_lines(path)) text = fmt::format("{}\n", fmt::join(kNames, ","));
  for (const FleetRow& row : rows) {
    const Fields fields = fields_of(row, folder);
    if (is_json_lines(path)) {
      Json json;
      for (std::size_t k = 0; k < kNumFields; ++k)
        if (!fields[k].empty()) json[kNames[k]] = fields[k];
      text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
      continue;
    }
    for (std::size_t k = 0; k < kNumFields; ++k) text += (k > 0 ? "," : "") + csv_field(fields[k]);
    text += "\n";
  }
  return write_file_whole(path, text);
}

}  // namespace heft
