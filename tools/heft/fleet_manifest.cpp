// heft fleet manifest, heft fleet check: write and check a manifest before a run.
#include <glob.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/counted.hpp"
#include "fleet/check_fleet.hpp"
#include "tools/heft/fleet.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

/// Expands patterns in quotes, which the shell does not expand.
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

/// Whether the file's first line is that of a manifest. Reads no further: it may be a log of any
/// size.
bool is_manifest(const std::string& path) {
  std::array<char, 256> begin = {};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  std::string text(begin.data(), static_cast<std::size_t>(file.gcount()));
  text = text.substr(0, text.find('\n'));
  return text.starts_with("robot_id") || text.starts_with("{\"robot_id\"");
}

/// Error if a file at `out` must not be replaced.
Result<Done> check_out(const std::string& out, bool replaces) {
  if (out.empty())
    return Error{"--out", "is empty", "name the manifest to write, for instance fleet.csv"};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(out, ignored)) return Done{};
  if (!is_manifest(out))
    return Error{out, "already exists and is not a manifest", "give --out a new file"};
  if (!replaces)
    return Error{out, "is already a manifest",
                 "use --force to replace it, or give --out another file"};
  return Done{};
}

int run_manifest(const std::vector<std::string>& patterns, const std::string& out, bool replaces) {
  if (auto spared = check_out(out, replaces); !spared) return fail(spared.error());
  const std::vector<std::string> paths = spelled_out(patterns);
  auto rows = propose_manifest(paths);
  if (!rows) return fail(rows.error());
  std::vector<FleetRow> kept;
  for (FleetRow& row : *rows) {
    std::error_code ignored;
    if (std::filesystem::equivalent(row.log, out, ignored))
      continue;  // a manifest of an earlier call is not a log
    kept.push_back(std::move(row));
  }
  if (kept.empty())
    return fail({patterns.front(), "contains no log, so no robot was found",
                 "give the folder that contains the logs"});
  if (auto written = write_manifest(kept, out); !written) return fail(written.error());
  std::set<std::string> robots;
  std::size_t held_out = 0;
  for (const FleetRow& row : kept) robots.insert(row.robot_id), held_out += row.validates;
  std::printf(
      "%s: %s, %s, %zu held out\n"
      "Check it: ids are folders, and logs are held out by their names.\n",
      out.c_str(), counted(robots.size(), "robot").c_str(),
      counted(kept.size() - held_out, "training log").c_str(), held_out);
  return kSuccess;
}

struct FleetCheckFlags {
  FleetFlags fleet;
  FleetCheckOptions options;
  std::string json;
};

int run_fleet_check(FleetCheckFlags& flags) {
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
    if (auto written = write_fleet_check(*report, flags.json); !written)
      return fail(written.error());
    std::printf("json: %s\n", flags.json.c_str());
  }
  return report->num_errors > 0 ? kBadInput : kSuccess;
}

}  // namespace

void add_fleet_manifest(CLI::App& fleet, Command& run) {
  CLI::App* command =
      fleet.add_subcommand("manifest", "write the table of a fleet from folders of logs");
  struct Flags {
    std::vector<std::string> patterns;
    std::string out = "fleet_manifest.csv";
    bool replaces = false;
  };
  auto flags = std::make_shared<Flags>();
  command
      ->add_option("logs", flags->patterns,
                   "logs, patterns in quotes ('fleet/*/*.csv'), or folders to search")
      ->required();
  command->add_option(
      "--out", flags->out,
      "manifest to write; CSV, or JSON lines if it ends in .jsonl (default fleet_manifest.csv)");
  command->add_flag("--force", flags->replaces,
                    "replace an existing manifest; no other file is overwritten");
  command->footer(
      "Every folder with logs is a robot, and the folder is its id. Its URDF and its configuration (YAML), "
      "if any, are the only\n"
      "ones in that folder or the nearest folder above. Logs with held_out, validat or test in their names "
      "are held out.\n"
      "Example:\n"
      "  heft fleet manifest 'fleet/*/*.csv' --out fleet.csv");
  command->callback([flags, &run] {
    run = [flags] { return run_manifest(flags->patterns, flags->out, flags->replaces); };
  });
}

void add_fleet_check(CLI::App& fleet, Command& run) {
  CLI::App* command =
      fleet.add_subcommand("check", "check all robots and logs of a fleet before a run");
  auto flags = std::make_shared<FleetCheckFlags>();
  command->add_option("manifest", flags->fleet.manifest, "table of robots and logs")->required();
  command->add_option("--json", flags->json, "also write the findings to this file");
  command->add_option("--jobs", flags->options.jobs,
                      "logs checked at a time (default: one per hardware thread)");
  command->add_flag("--rows-only", flags->options.rows_only,
                    "check only the manifest and the sizes of the files");
  flags->fleet.configuration.add_to(*command, {"--rotors"});
  command->footer(
      "Lists the findings of heft check for every robot file and every log, and errors in the manifest: logs "
      "that both train and\n"
      "validate a robot, ids with two robot files, missing or empty files.\n"
      "Exit codes: 0 no errors found, 1 errors found or unreadable input.\n"
      "Example:\n"
      "  heft fleet check fleet.csv --json findings.json");
  command->callback([flags, &run] { run = [flags] { return run_fleet_check(*flags); }; });
}

}  // namespace heft::tools
