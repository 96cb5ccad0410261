#include "config/excluded_stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "files/yaml_text.hpp"
#include "readers/without_stretches.hpp"

namespace heft::config {

namespace {

constexpr const char* kOption = "log.exclude";

bool is_of(const ExcludedStretch& stretch, const Log& log) {
  return stretch.log.empty() || log.name() == stretch.log ||
         std::filesystem::path(log.name()).filename() == stretch.log;
}

/// The name of its file, if unique among the logs.
std::string shortest_name(const std::string& path, const std::vector<Log>& logs) {
  const auto file_of = [](const std::string& name) {
    return std::filesystem::path(name).filename().string();
  };
  const std::string file = file_of(path);
  const bool is_ambiguous = std::any_of(logs.begin(), logs.end(), [&](const Log& log) {
    return log.name() != path && file_of(log.name()) == file;
  });
  return file.empty() || is_ambiguous ? path : file;
}

}  // namespace

std::string excluding(const std::vector<std::string>& in_force,
                      const std::vector<Contact>& contacts, const std::vector<Log>& logs) {
  constexpr double kBeside = 0.25;  // s: contacts are detected in windows of this length
  std::vector<std::string> stretches;
  for (const std::string& words : in_force) stretches.push_back(yaml_quoted(words));
  for (const Contact& contact : contacts)
    stretches.push_back(
        yaml_quoted(fmt::format("{:.3f} to {:.3f} of {}", contact.from_s - kBeside,
                                contact.to_s + kBeside, shortest_name(contact.log, logs))));
  return fmt::format("log: {{exclude: [{}]}}\n", fmt::join(stretches, ", "));
}

Result<ExcludedStretch> read_excluded_stretch(const std::string& words) {
  const Error wrong{
      kOption,
      fmt::format("must be '12 to 14.5' or '12 to 14.5 of train.csv' [s], not '{}'", words),
      "write the first and the last second of the stretch, by the log's stamps"};
  ExcludedStretch stretch;
  std::istringstream in(words);
  std::string to, of;
  if (!(in >> stretch.from_s >> to >> stretch.to_s) || to != "to") return wrong;
  if (in >> of) {
    if (of != "of" || !std::getline(in >> std::ws, stretch.log) || stretch.log.empty())
      return wrong;
  }
  if (!std::isfinite(stretch.from_s) || !(stretch.to_s > stretch.from_s) ||
      !std::isfinite(stretch.to_s))
    return wrong;
  return stretch;
}

Result<std::vector<Log>> without_excluded(const std::vector<std::string>& stretches,
                                          std::vector<Log> logs) {
  std::vector<std::vector<Stamps>> of_logs(logs.size());
  for (const std::string& words : stretches) {
    HEFT_TRY(stretch, read_excluded_stretch(words));
    bool is_heard = false;
    std::string names;
    for (std::size_t k = 0; k < logs.size(); ++k) {
      names += (k == 0 ? "" : ", ") + logs[k].name();
      if (!is_of(stretch, logs[k])) continue;
      is_heard = true;
      of_logs[k].push_back({stretch.from_s, stretch.to_s});
    }
    if (!is_heard)
      return Error{kOption, fmt::format("unknown log '{}'", stretch.log), "one of: " + names};
  }
  for (std::size_t k = 0; k < logs.size(); ++k)
    if (!of_logs[k].empty()) logs[k] = without_stretches(logs[k], of_logs[k]);
  return logs;
}

}  // namespace heft::config
