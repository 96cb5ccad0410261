// heft fleet manifest, heft fleet check: a fleet before any work.
#include <glob.h>

#include <filesystem>
#include <set>

#include "heft/fleet/check_fleet.hpp"
#include "tools/heft/fleet.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

/// Patterns in quotes, which no shell has spelled out.
std::vector<std::string> spelled_out(const std::vector<std::string>& patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    glob_t found = {};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
      for (std::size_t k = 0; k < found.gl_pathc; ++k) paths.emplace_back(found.gl_pathv[k]);
    else
      paths.push_back(pattern);
    ::globfree(&found);
  }
  return paths;
}

int run_manifest(const std::vector<std::string>& patterns, const std::string& out) {
  const std::vector<std::string> paths = spelled_out(patterns);
  auto rows = propose_manifest(paths);
  if (!rows) return fail(rows.error());
  std::vector<std::string> inputs;
  std::vector<FleetRow> kept;
  for (FleetRow& row : *rows) {
    std::error_code ignored;
    if (std::filesystem::equivalent(row.log, out, ignored))
      continue;  // a manifest of an earlier call is no log
    inputs.push_back(row.log), inputs.push_back(row.robot);
    kept.push_back(std::move(row));
  }
  if (auto spared = refuse_overwriting_inputs({out}, inputs); !spared) return fail(spared.error());
  if (auto written = write_manifest(kept, out); !written) return fail(written.error());
  std::set<std::string> robots;
  std::size_t held_out = 0;
  for (const FleetRow& row : kept) robots.insert(row.robot_id), held_out += row.validates;
  std::printf(
      "%s: %zu robots, %zu logs to train on, %zu held out\nLook it over: ids are folders, held out is what "
      "is called so.\n",
      out.c_str(), robots.size(), kept.size() - held_out, held_out);
  return kSuccess;
}

struct CheckFlags {
  FleetFlags fleet;
  FleetCheckOptions options;
  std::string json;
};

int run_check(CheckFlags& flags) {
  const auto plan = flags.fleet.read();
  if (!plan) return fail(plan.error());
  flags.options.configuration_of = flags.fleet.options.configuration_of;
  if (auto spared = refuse_overwriting_inputs({flags.json}, {flags.fleet.manifest}); !spared)
    return fail(spared.error());
  auto report = [&] {
    TerminalProgress progress;
    flags.options.progress = std::ref(progress);
    return check_fleet(*plan, flags.options);
  }();
  if (!report) return fail(report.error());
  std::fputs(printable(report->text).c_str(), stdout);
  if (!flags.json.empty()) {
    if (auto written = write_fleet_check(*report, flags.json); !written) return fail(written.error());
    std::printf("json: %s\n", flags.json.c_str());
  }
  return report->num_errors > 0 ? kBadInput : kSuccess;
}

}  // namespace

void add_fleet_manifest(CLI::App& fleet, Command& run) {
  CLI::App* command = fleet.add_subcommand("manifest", "make the table of a fleet from folders of logs");
  struct Flags {
    std::vector<std::string> patterns;
    std::string out = "fleet_manifest.csv";
  };
  auto flags = std::make_shared<Flags>();
  command
      ->add_option("logs", flags->patterns,
                   "logs, patterns in quotes ('fleet/*/*.csv'), or folders to search")
      ->required();
  command->add_option(
      "--out", flags->out,
      "manifest to write; CSV, or JSON lines if it ends in .jsonl (default fleet_manifest.csv)");
  command->footer(
      "Every folder with logs is a robot, whose id is the folder. Its URDF, and its configuration (YAML) if "
      "there is one, are the\n"
      "only ones in that folder or the nearest above. Logs with held_out, validat or test in their names are "
      "held out.\n"
      "Example:\n  heft fleet manifest 'fleet/*/*.csv' --out fleet.csv");
  command->callback([flags, &run] { run = [flags] { return run_manifest(flags->patterns, flags->out); }; });
}

void add_fleet_check(CLI::App& fleet, Command& run) {
  CLI::App* command = fleet.add_subcommand("check", "judge all robots and logs of a fleet before any work");
  auto flags = std::make_shared<CheckFlags>();
  command->add_option("manifest", flags->fleet.manifest, "which log is of which robot")->required();
  command->add_option("--json", flags->json, "also write the findings to this file");
  command->add_option("--jobs", flags->options.jobs,
                      "logs looked at at a time (default: one per hardware thread)");
  command->add_flag("--rows-only", flags->options.rows_only,
                    "look at the manifest and at files' sizes alone");
  flags->fleet.configuration.add_to(*command, {{"robot.rotors", "--rotors"}});
  command->footer(
      "What heft check says of every robot file and every log, in one list, and what speaks against rows of "
      "the manifest: logs that\n"
      "train and validate one robot, ids with two robot files, files that are missing or empty.\n"
      "Exit codes: 0 no errors found, 1 errors found or unreadable input.\n"
      "Example:\n  heft fleet check fleet.csv --json findings.json");
  command->callback([flags, &run] { run = [flags] { return run_check(*flags); }; });
}

}  // namespace heft::tools
