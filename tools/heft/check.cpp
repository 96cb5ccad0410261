#include "heft/check/check.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>

#include "heft/config/edge.hpp"
#include "heft/robot/robot_document.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct CheckFlags {
  std::string robot, log, json, fixed;
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
    if (!configuration.robot.rotors_path.empty()) HEFT_CHECK(read_robot(flags.robot, configuration.robot));
    HEFT_TRY(document, load_robot_document(flags.robot));
    return check_robot(*document, flags.options);
  }
  TerminalProgress progress;
  return check_log(flags.robot, flags.log,
                   {.robot = robot_options(configuration),
                    .log = configuration.log,
                    .conditioning = configuration.conditioning,
                    .model = model_options(configuration)},
                   std::ref(progress));
}

Result<std::vector<Repair>> write_fixed(const CheckFlags& flags) {
  HEFT_TRY(document, load_robot_document(flags.robot));
  return fix_robot(*document, flags.fixed, flags.options);
}

void print_repairs(const std::vector<Repair>& repairs, const std::string& path) {
  std::printf("\n%s: %zu change%s\n", path.c_str(), repairs.size(), repairs.size() == 1 ? "" : "s");
  for (const Repair& repair : repairs) {
    std::printf("  %s: %s", repair.link.c_str(), repair.what.c_str());
    if (std::isfinite(repair.distance)) std::printf("; the tensor changes by %.3g %%", 100 * repair.distance);
    std::printf("\n");
  }
}

int run_check(const CheckFlags& flags) {
  if (flags.rules) {
    std::fputs(format_check_rules().c_str(), stdout);
    return kSuccess;
  }
  if (flags.robot.empty())
    return fail({"check", "no robot given", "name a URDF file: heft check robot.urdf"});
  if (auto spared = refuse_overwriting_inputs({flags.json, flags.fixed},
                                              {flags.robot, flags.log, flags.configuration.path()});
      !spared)
    return fail(spared.error());
  auto report = check_what_was_asked(flags);
  if (!report) return fail(flags.configuration.located(report.error()));
  std::fputs(format_check(*report, terminal_width()).c_str(), stdout);
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
      app.add_subcommand("check", "what is wrong with a robot file or a log, and how to mend it");
  auto flags = std::make_shared<CheckFlags>();
  command->add_option("robot,--robot", flags->robot, "robot description (URDF)");
  auto* log =
      command->add_option("--log", flags->log, "check this log (CSV, NPY or HDF5) against the robot instead");
  command->add_option("--json", flags->json, "also write the findings to this file");
  command->add_option("--fix", flags->fixed, "write the URDF with the nearest possible inertias to this file")
      ->excludes(log);
  command->add_option("--package-path", flags->options.package_folders,
                      "folder with the packages of package:// meshes; may be given several times");
  command->add_flag("--strict", flags->strict, "warnings count as errors in the exit code");
  command->add_flag("--rules", flags->rules, "list the rules and what they mean");
  flags->configuration.add_to(*command, {{"robot.rotors", "--rotors"}});
  command->footer(
      "Examples:\n  heft check robot.urdf --fix mended.urdf\n"
      "  heft check --robot robot.urdf --log train.csv --config robot.yaml\n"
      "Exit codes: 0 no errors found, 1 errors found or unreadable input.");
  command->callback([flags, &run] { run = [flags] { return run_check(*flags); }; });
}

}  // namespace heft::tools
