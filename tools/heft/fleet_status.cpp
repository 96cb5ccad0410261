// heft fleet status, heft fleet gc: the contents of a store.
#include <filesystem>

#include "base/counted.hpp"
#include "tools/heft/fleet.hpp"

namespace heft::tools {

namespace {

namespace fs = std::filesystem;

int run_status(FleetFlags& flags) {
  auto plan = flags.read();
  if (!plan) return fail(plan.error());
  auto run = FleetRun::open(std::move(*plan), flags.options, StoreUse::existing);
  if (!run) return fail(run.error());
  const auto status = run->status();
  if (!status) return fail(status.error());
  const FleetOutcome& outcome = *status;
  for (std::size_t r = 0; r < outcome.robots.size(); ++r) {
    const RobotOutcome& robot = outcome.robots[r];
    if (robot.state == RobotState::done && flags.quiet) continue;
    std::printf("%-8s %s", enum_name(robot.state), printable(run->plan().robots[r].id).c_str());
    if (!robot.open_doubts.empty()) std::printf("  (%zu in doubt)", robot.open_doubts.size());
    std::printf("\n");
    for (const Error& error : robot.errors)
      std::printf("         %s\n", printable(error.message()).c_str());
  }
  std::printf("%s: %d done, %d failed, %d missing\n",
              counted(outcome.robots.size(), "robot").c_str(), outcome.count(RobotState::done),
              outcome.count(RobotState::failed), outcome.count(RobotState::missing));
  return fleet_exit_code(run->plan(), outcome);
}

int run_gc(FleetFlags& flags, bool deletes) {
  auto plan = flags.read();
  if (!plan) return fail(plan.error());
  auto run = FleetRun::open(std::move(*plan), flags.options, StoreUse::existing);
  if (!run) return fail(run.error());
  const auto garbage = run->garbage();
  if (!garbage) return fail(garbage.error());
  double bytes = 0;
  for (const std::string& path : *garbage) {
    std::error_code failure;
    if (fs::is_directory(path, failure)) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, failure))
        if (entry.is_regular_file(failure)) bytes += static_cast<double>(entry.file_size(failure));
    } else {
      bytes += static_cast<double>(fs::file_size(path, failure));
    }
    if (!flags.quiet) std::printf("%s\n", printable(path).c_str());
    if (!deletes) continue;
    fs::remove_all(path, failure);
    if (failure)
      return fail(
          {path, "cannot be removed: " + failure.message(), "check that the store is writable"});
  }
  std::printf("%s (%.3g MB) that this manifest does not need%s\n",
              counted(garbage->size(), "piece").c_str(), 1e-6 * bytes,
              deletes            ? ": removed"
              : garbage->empty() ? ""
                                 : "; --yes removes them");
  return kSuccess;
}

}  // namespace

void add_fleet_status(CLI::App& fleet, Command& run) {
  CLI::App* status =
      fleet.add_subcommand("status", "show which robots are done, failed or missing");
  auto flags = std::make_shared<FleetFlags>();
  flags->add_to(*status);
  status->add_flag("--quiet", flags->quiet, "omit robots that are done");
  status->footer(
      "Reads only the store, no log. Give the same options as for the run: other options refer to "
      "other results.\n"
      "Exit codes: 0 all robots done, 1 some failed or are missing.");
  status->callback([flags, &run] { run = [flags] { return run_status(*flags); }; });

  CLI::App* gc = fleet.add_subcommand(
      "gc", "list or remove the files of a store that a manifest does not need");
  auto gc_flags = std::make_shared<FleetFlags>();
  auto deletes = std::make_shared<bool>(false);
  gc_flags->add_to(*gc);
  gc->add_flag("--yes", *deletes, "remove the listed files");
  gc->add_flag("--quiet", gc_flags->quiet, "print only the total, no list");
  gc->footer("Do not use it during a run: it would remove files that the run has just begun.");
  gc->callback([gc_flags, deletes, &run] {
    run = [gc_flags, deletes] { return run_gc(*gc_flags, *deletes); };
  });
}

}  // namespace heft::tools
