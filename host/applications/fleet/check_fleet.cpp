#include "fleet/check_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>

#include <nlohmann/json.hpp>
#include "base/counted.hpp"
#include "config/device_options.hpp"
#include "config/kept_joints.hpp"
#include "files/whole_file.hpp"
#include "heft/config/module_options.hpp"
#include "heft/log/several_files.hpp"
#include "overlap.hpp"
#include "readers/log_formats.hpp"
#include "work_pool.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxIdsShown = 3;

/// One check: of a robot file, or of a log against a robot's model.
struct Look {
  std::string robot, config, log, format;
  auto operator<=>(const Look&) const = default;
};

Finding finding_of(const Error& error) {
  return {.name = "unreadable",
          .severity = Severity::error,
          .where = error.where,
          .what = error.what,
          .remedy = error.remedy};
}

/// Reports a file whose format differs from its manifest row, which heft fleet run refuses.
std::optional<Finding> wrong_format(const Look& look) {
  for (const std::string& path : files_of_log(look.log)) {
    const std::string_view is = format_of_file(path);
    if (look.format.empty() || is.empty() || is == look.format) continue;
    return finding_of({path, fmt::format("is {}, not {} as the manifest says", is, look.format),
                       "correct the format in the manifest, or leave it empty"});
  }
  return std::nullopt;
}

std::vector<Finding> found_by(const Look& look, const FleetCheckOptions& options,
                              const Progress& progress) {
  const auto configuration = options.configuration_of(look.config);
  if (!configuration) return {finding_of(configuration.error())};
  if (look.log.empty()) {
    const auto robot = read_robot(look.robot, robot_options(*configuration));
    if (!robot) return {finding_of(robot.error())};
    if (const auto kept = config::check_kept_joints(*configuration, *robot); !kept)
      return {finding_of(kept.error())};
    const auto document = load_robot_document(look.robot);
    if (!document) return {finding_of(document.error())};
    auto report =
        check_robot(**document, {.package_folders = configuration->estimation.package_folders});
    if (!report) return {finding_of(report.error())};
    return std::move(report->findings);
  }
  if (auto found = wrong_format(look)) return {*std::move(found)};
  if (const auto meaning = config::check_torque_meaning(*configuration); !meaning)
    return {finding_of(meaning.error())};
  auto report = check_log(look.robot, look.log,
                          {.robot = robot_options(*configuration),
                           .log = configuration->log,
                           .conditioning = configuration->conditioning,
                           .model = model_options(*configuration)},
                          progress);
  if (!report)
    return report.error().is_stop ? std::vector<Finding>()
                                  : std::vector<Finding>{finding_of(report.error())};
  return std::move(report->findings);
}

std::string ids_text(const std::vector<std::string>& ids) {
  std::string text;
  for (std::size_t k = 0; k < std::min(ids.size(), kMaxIdsShown); ++k)
    text += (k > 0 ? ", " : "") + ids[k];
  if (ids.size() > kMaxIdsShown) text += fmt::format(" and {} more", ids.size() - kMaxIdsShown);
  return text;
}

std::string text_of(const FleetCheck& check, const FleetPlan& plan, std::size_t num_looks) {
  std::string text;
  for (const FleetFinding& found : check.findings) {
    const Finding& f = found.finding;
    text += fmt::format("{:<8}{}{}{}: {}\n", enum_name(f.severity),
                        found.robot_ids.empty() ? "" : ids_text(found.robot_ids) + ": ", f.where,
                        f.subject.empty() ? "" : " " + f.subject, f.what);
    if (!f.remedy.empty()) text += fmt::format("        remedy: {}\n", f.remedy);
  }
  const std::size_t num_rows = plan.manifest.rows.size() + plan.manifest.faults.size();
  return text + fmt::format("{}, {}, {} checked: {}, {}\n", counted(plan.robots.size(), "robot"),
                            counted(num_rows, "row"), counted(num_looks, "file"),
                            counted(check.num_errors, "error"),
                            counted(check.num_warnings, "warning"));
}

}  // namespace

Result<FleetCheck> check_fleet(const FleetPlan& plan, const FleetCheckOptions& options) {
  FleetCheck check;
  for (const Error& error : plan.errors) check.findings.push_back({{}, finding_of(error)});
  std::map<Look, std::vector<std::string>> looks;  // and whose they are
  for (const FleetRobot& robot : plan.robots) {
    for (const Error& error : robot.errors)
      check.findings.push_back({{robot.id}, finding_of(error)});
    for (const std::string& note : robot.notes)
      check.findings.push_back(
          {{robot.id}, {.name = "manifest", .severity = Severity::warning, .what = note}});
    if (!robot.has_answer) continue;
    looks[{robot.robot, robot.config, "", ""}].push_back(robot.id);
    for (const auto* rows : {&robot.training, &robot.validation})
      for (const std::size_t row : *rows) {
        const FleetRow& of_row = plan.manifest.rows[row];
        auto& ids = looks[{robot.robot, robot.config, of_row.log, of_row.format}];
        if (ids.empty() || ids.back() != robot.id) ids.push_back(robot.id);
      }
  }
  if (options.rows_only) looks.clear();
  std::vector<std::pair<Look, std::vector<std::string>>> list(looks.begin(), looks.end());
  std::vector<std::vector<Finding>> found(list.size());
  WorkPool pool(options.jobs, 0, options.progress);
  if (!pool.run("check", "files", list.size(), [&](std::size_t k, const Progress& progress) {
        found[k] = found_by(list[k].first, options, progress);
      }))
    return stopped();
  for (std::size_t k = 0; k < list.size(); ++k)
    for (Finding& finding : found[k])
      if (finding.severity != Severity::note)
        check.findings.push_back({list[k].second, std::move(finding)});
  std::stable_sort(check.findings.begin(), check.findings.end(),
                   [](const FleetFinding& a, const FleetFinding& b) {
                     return std::tie(b.finding.severity, a.robot_ids) <
                            std::tie(a.finding.severity, b.robot_ids);
                   });
  for (const FleetFinding& finding : check.findings) {
    check.num_errors += finding.finding.severity == Severity::error;
    check.num_warnings += finding.finding.severity == Severity::warning;
  }
  check.text = text_of(check, plan, list.size());
  return check;
}

Result<Done> write_fleet_check(const FleetCheck& check, const std::string& path) {
  Json json = {{"schema", "heft-fleet-check-1"},
               {"errors", check.num_errors},
               {"warnings", check.num_warnings},
               {"findings", Json::array()}};
  for (const FleetFinding& found : check.findings)
    json["findings"].push_back({{"robot_ids", found.robot_ids},
                                {"name", found.finding.name},
                                {"severity", enum_name(found.finding.severity)},
                                {"subject", found.finding.subject},
                                {"where", found.finding.where},
                                {"what", found.finding.what},
                                {"remedy", found.finding.remedy}});
  return write_file_whole(path, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace heft
