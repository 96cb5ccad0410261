#include "heft/check/check.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/counted.hpp"
#include "check/check_recording.hpp"
#include "check/suggest.hpp"
#include "config/device_options.hpp"
#include "config/excluded_stretches.hpp"
#include "config/nominal_voltage.hpp"
#include "files/whole_file.hpp"
#include "heft/config/module_options.hpp"
#include "heft/robot/robot_document.hpp"
#include "readers/log_formats.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct CheckFlags {
  std::string robot, log, json, fixed, suggested;
  CheckOptions options;
  ConfigurationFlags configuration;
  bool strict = false, rules = false;
};

int terminal_width() {
  const char* columns = std::getenv("COLUMNS");
  const int width = columns ? std::atoi(columns) : 0;
  return width > 0 ? width : 110;
}

Result<CheckReport> check_what_was_asked(const CheckFlags& flags) {
  HEFT_TRY(configuration, flags.configuration.configuration());
  if (flags.log.empty()) {
    if (!configuration.robot.rotors_path.empty())
      HEFT_CHECK(read_robot(flags.robot, configuration.robot));
    HEFT_TRY(document, load_robot_document(flags.robot));
    return check_robot(*document, flags.options);
  }
  // torques of unknown unit cannot be compared with the robot's
  HEFT_CHECK(config::check_torque_meaning(configuration));
  TerminalProgress progress;
  const CheckLogOptions options{.robot = robot_options(configuration),
                                .log = configuration.log,
                                .conditioning = configuration.conditioning,
                                .model = model_options(configuration)};
  if (configuration.excluded_stretches.empty() && configuration.supply_voltage.empty() &&
      configuration.nominal_voltage == 0)
    return check_log(flags.robot, flags.log, options, std::ref(progress));
  HEFT_TRY(rest, config::without_excluded(configuration.excluded_stretches, {Log(flags.log)}));
  HEFT_TRY(robot, read_robot(flags.robot, options.robot));
  HEFT_TRY(channels, model_channels(robot, options.model));
  HEFT_TRY(logs, config::at_nominal_voltage(configuration, robot, channels, std::move(rest)));
  return check_recording(std::move(robot), logs.front(), options, std::ref(progress));
}

Result<std::vector<Repair>> write_fixed(const CheckFlags& flags) {
  HEFT_TRY(document, load_robot_document(flags.robot));
  return fix_robot(*document, flags.fixed, flags.options);
}

void print_repairs(const std::vector<Repair>& repairs, const std::string& path) {
  std::printf("\n%s: %s\n", path.c_str(), counted(repairs.size(), "change").c_str());
  for (const Repair& repair : repairs) {
    print("  " + repair.link + ": " + repair.what);
    if (std::isfinite(repair.distance))
      std::printf("; the tensor changes by %.3g %%", 100 * repair.distance);
    std::printf("\n");
  }
}

/// Only a suggestion may be overwritten.
Result<Done> refuse_another_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return Done{};
  const std::string mark = kSuggestionMark;
  std::string begin(mark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  if (file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == mark)
    return Done{};
  return Error{path, "already exists and is not a suggestion of heft; it would be overwritten",
               "name another file, or move this one first"};
}

/// Writes the configuration that the log seems to need.
int suggest(const CheckFlags& flags) {
  if (flags.log.empty()) return fail({"--suggest", "needs a log", "name one with --log"});
  if (auto spared = refuse_another_file(flags.suggested); !spared) return fail(spared.error());
  auto configuration = flags.configuration.configuration();
  if (!configuration) return fail(configuration.error());
  auto suggestion = suggest_columns(
      flags.robot, flags.log, {.robot = robot_options(*configuration), .log = configuration->log});
  if (!suggestion) return fail(flags.configuration.located(suggestion.error()));
  print(suggestion->yaml);
  if (!suggestion->missing.empty()) {
    std::string all;
    for (const std::string& one : suggestion->missing) all += (all.empty() ? "" : ", ") + one;
    return fail({flags.log, "no columns were found for: " + all, suggestion->remedy});
  }
  if (auto written = write_file_whole(flags.suggested, suggestion->yaml); !written)
    return fail(written.error());
  std::printf("suggested: %s\nnow: heft check --robot %s --log %s --config %s\n",
              printable(flags.suggested).c_str(), printable(flags.robot).c_str(),
              printable(flags.log).c_str(), printable(flags.suggested).c_str());
  return kSuccess;
}

int run_check(const CheckFlags& flags) {
  if (flags.rules) {
    std::fputs(format_check_rules().c_str(), stdout);
    return kSuccess;
  }
  if (flags.robot.empty())
    return fail(
        {"check", "no robot given",
         flags.log.empty()
             ? "name a URDF file: heft check robot.urdf"
             : "name the robot's URDF file: heft check --robot robot.urdf --log " + flags.log});
  if (auto spared = refuse_overwriting_inputs({flags.json, flags.fixed, flags.suggested},
                                              {flags.robot, flags.log, flags.configuration.path()});
      !spared)
    return fail(spared.error());
  if (!flags.suggested.empty()) return suggest(flags);
  auto report = check_what_was_asked(flags);
  if (!report) return fail(flags.configuration.located(report.error()));
  print(format_check(*report, terminal_width()));
  if (!flags.json.empty()) {
    auto written = write_check(*report, flags.json);
    if (!written) return fail(written.error());
    std::printf("json: %s\n", flags.json.c_str());
  }
  if (!flags.fixed.empty()) {
    const auto repairs = write_fixed(flags);
    if (!repairs) return fail(repairs.error());
    print_repairs(*repairs, flags.fixed);
  }
  const bool bad =
      report->count(Severity::error) > 0 || (flags.strict && report->count(Severity::warning) > 0);
  return bad ? kBadInput : kSuccess;
}

}  // namespace

void add_check(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("check", "find errors in a robot file or a log, and how to fix them");
  auto flags = std::make_shared<CheckFlags>();
  command->add_option("robot,--robot", flags->robot, "robot description (URDF)");
  auto* log = command->add_option(
      "--log", flags->log,
      "check this log (" + titles_of_log_formats() + ") against the robot instead");
  auto* json = command->add_option("--json", flags->json, "also write the findings to this file");
  auto* fix = command
                  ->add_option(
                      "--fix", flags->fixed,
                      "write the URDF with the nearest physically consistent inertias to this file")
                  ->excludes(log);
  auto* suggest = command->add_option(
      "--suggest", flags->suggested,
      "guess the configuration from the names and values of the log's columns and write it to this file (YAML)");
  command->add_option("--package-path", flags->options.package_folders,
                      "folder with the packages of package:// meshes; may be given several times");
  auto* strict =
      command->add_flag("--strict", flags->strict, "warnings count as errors in the exit code");
  suggest->excludes(json)->excludes(fix)->excludes(strict);
  command->add_flag("--rules", flags->rules, "list and explain the rules");
  flags->configuration.add_to(*command, {"--rotors"});
  command->footer(
      "Examples:\n  heft check robot.urdf --fix fixed.urdf\n"
      "  heft check --robot robot.urdf --log train.csv --config robot.yaml\n"
      "  heft check --robot robot.urdf --log train.csv --suggest robot.yaml\n"
      "Exit codes: 0 no errors found, 1 errors found or unreadable input.");
  command->callback([flags, &run] { run = [flags] { return run_check(*flags); }; });
}

}  // namespace heft::tools
