// heft fleet run, and its separate stages for the job arrays of any scheduler: map, reduce, solve,
// report.
#include <cmath>

#include "base/counted.hpp"
#include "tools/heft/fleet.hpp"
#include "tools/heft/number_checks.hpp"
#include "tools/heft/progress.hpp"

namespace heft::tools {

namespace {

struct RunFlags {
  FleetFlags fleet;
  bool dry_run = false, no_pages = false;
};

using Stage = Result<FleetOutcome> (FleetRun::*)();

void print_errors(const FleetPlan& plan, const FleetOutcome& outcome) {
  const auto print = [](const Error& error) {
    std::fprintf(stderr, "heft: %s\n", printable(error.message()).c_str());
  };
  for (const Error& error : plan.errors) print(error);
  for (std::size_t r = 0; r < outcome.robots.size(); ++r)
    for (const Error& error : outcome.robots[r].errors) {
      std::fprintf(stderr, "heft: robot '%s': %s\n", printable(plan.robots[r].id).c_str(),
                   printable(error.message()).c_str());
    }
}

void print_notes(const FleetPlan& plan, const FleetOutcome& outcome, bool quiet) {
  for (std::size_t r = 0; r < outcome.robots.size(); ++r) {
    const RobotOutcome& robot = outcome.robots[r];
    if (!quiet)
      for (const std::string& note : robot.notes)
        std::printf("note: robot '%s': %s\n", printable(plan.robots[r].id).c_str(),
                    printable(note).c_str());
    for (const std::string& words : robot.open_doubts)
      std::printf("doubt:  robot '%s': %s\n", printable(plan.robots[r].id).c_str(),
                  printable(words).c_str());
  }
}

std::string duration(double seconds) {
  char text[32];
  if (seconds < 120)
    std::snprintf(text, sizeof text, "%.0f s", std::ceil(seconds));
  else if (seconds < 7200)
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  else
    std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  return text;
}

int print_forecast(FleetRun& run) {
  const auto forecast = run.forecast();
  if (!forecast) return fail(forecast.error());
  const FleetPlan& plan = run.plan();
  for (const Error& error : plan.errors)
    std::fprintf(stderr, "heft: %s\n", printable(error.message()).c_str());
  for (const FleetRobot& robot : plan.robots)
    for (const Error& error : robot.errors)
      std::fprintf(stderr, "heft: robot '%s': %s\n", printable(robot.id).c_str(),
                   printable(error.message()).c_str());
  std::printf("%s, %s, %zu held out: %.3g GB\n", counted(forecast->num_robots, "robot").c_str(),
              counted(forecast->num_training, "training log").c_str(), forecast->num_validation,
              1e-9 * static_cast<double>(plan.num_bytes));
  if (forecast->num_failing > 0)
    std::printf("%s with errors, listed above; the others continue\n",
                counted(forecast->num_failing, "robot").c_str());
  std::printf("to do: %s (%.3g GB) to map, %s to solve\n",
              counted(forecast->num_leaves, "log").c_str(), 1e-9 * forecast->num_bytes,
              counted(forecast->num_answers, "robot").c_str());
  std::printf("about %s with %s, %.0f MB of memory, %.2g GB of disk\n",
              duration(forecast->seconds).c_str(), counted(forecast->jobs, "job").c_str(),
              forecast->memory_mb, 1e-3 * forecast->disk_mb);
  std::printf("dry run: nothing was done and no log was read\n");
  return forecast->num_failing > 0 || !plan.errors.empty() ? kBadInput : kSuccess;
}

int run_stage(RunFlags& flags, Stage stage, const std::string& given_name) {
  const std::string name = stage_name(given_name);
  auto plan = flags.fleet.read();
  if (!plan) return fail(plan.error());
  flags.fleet.options.writes_pages = !flags.no_pages;
  TerminalProgress progress;
  flags.fleet.options.progress = std::ref(progress);
  if (flags.dry_run) {
    auto run = FleetRun::open(std::move(*plan), flags.fleet.options, StoreUse::look);
    if (run) return print_forecast(*run);
    return fail(run.error());
  }
  // later stages need the store that the earlier ones wrote
  const bool is_report = stage == &FleetRun::report;
  const bool goes_on = stage == &FleetRun::reduce || stage == &FleetRun::population ||
                       stage == &FleetRun::solve || is_report;
  auto run = FleetRun::open(std::move(*plan), flags.fleet.options,
                            goes_on ? StoreUse::existing : StoreUse::make);
  if (!run) return fail(run.error());
  const auto outcome = ((*run).*stage)();
  if (!outcome) return fail(outcome.error());
  print_errors(run->plan(), *outcome);
  print_notes(run->plan(), *outcome, flags.fleet.quiet);
  const std::string& store = flags.fleet.options.store;
  std::printf("%s: %d done, %d failed, %d missing\n",
              counted(outcome->robots.size(), "robot").c_str(), outcome->count(RobotState::done),
              outcome->count(RobotState::failed), outcome->count(RobotState::missing));
  if (!is_report)
    std::printf("%s: %s mapped and %s solved now; finished work is reused\n", name.c_str(),
                counted(outcome->num_leaves_made, "log").c_str(),
                counted(outcome->num_answers_made, "robot").c_str());
  if (stage == &FleetRun::run || stage == &FleetRun::solve || is_report)
    std::printf("fleet:  %s/fleet.json\ntable:  %s/fleet.csv\npage:   %s/fleet.html\n",
                store.c_str(), store.c_str(), store.c_str());
  if (outcome->is_stopped) {
    std::fprintf(stderr, "heft: stopped before the end; the same command continues from here\n");
    return kStopped;
  }
  // a single stage leaves robots to later stages; it fails if its own work is incomplete
  if (stage != &FleetRun::run && !is_report) {
    for (const std::string& id : outcome->unmapped)
      std::fprintf(
          stderr,
          "heft: robot '%s': not all of its logs are mapped\n"
          "  remedy: let all shards of heft fleet map finish first, with this store and these options\n",
          printable(id).c_str());
    const bool failed = outcome->count(RobotState::failed) > 0 || !outcome->unmapped.empty() ||
                        !run->plan().errors.empty();
    return failed ? kBadInput : kSuccess;
  }
  return fleet_exit_code(run->plan(), *outcome);
}

CLI::App* add_stage(CLI::App& fleet, Command& run, const char* name, const char* help, Stage stage,
                    const std::string& footer) {
  CLI::App* command = fleet.add_subcommand(name, help);
  auto flags = std::make_shared<RunFlags>();
  flags->fleet.add_to(*command);
  command
      ->add_option("--jobs", flags->fleet.options.jobs,
                   "robots or logs processed at a time (default: one per hardware thread)")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option(
          "--memory", flags->fleet.options.memory_mb,
          "memory limit [MB]; the run processes fewer robots at a time to stay within it (default: no limit)")
      ->check(positive_limit());
  command
      ->add_option("--time", flags->fleet.options.time_s,
                   "seconds after which the run stops as if interrupted (default: no limit)")
      ->check(positive_limit());
  command->add_flag("--quiet", flags->fleet.quiet, "print only failures, doubts and counts");
  if (stage == &FleetRun::run || stage == &FleetRun::solve || stage == &FleetRun::report) {
    command->add_flag("--no-pages", flags->no_pages,
                      "write no report.html per robot; these take most of the space");
    command->add_option(
        "--gate", flags->fleet.options.gate,
        "rules (YAML) that promote or hold every robot and give the reason (docs/fleet.md)");
  }
  if (stage == &FleetRun::run)
    command->add_flag("--dry-run", flags->dry_run,
                      "print the work to do, its time and its memory, and do nothing");
  if (stage != &FleetRun::run && stage != &FleetRun::report)
    command->add_option(
        "--shard", flags->fleet.shard,
        "i/n: every n-th part of the work; i counts from 0, so the four parts are 0/4, 1/4, 2/4 and 3/4");
  command->footer(footer);
  command->callback([flags, stage, name, &run] {
    run = [flags, stage, name] { return run_stage(*flags, stage, name); };
  });
  return command;
}

}  // namespace

void add_fleet_run(CLI::App& fleet, Command& run) {
  const std::string codes =
      "\n"
      "Exit codes: 0 all robots done, 1 some failed (the others are done), 5 stopped by a signal or --time; "
      "run again to continue.";
  add_stage(
      fleet, run, "run", "identify all robots of a fleet", &FleetRun::run,
      "Writes the files of heft identify to STORE/results/ID, and STORE/fleet.json and fleet.csv with all "
      "robots.\n"
      "A run that was killed at any moment continues when run again and ends with the same digests.\n"
      "Example:\n"
      "  heft fleet run fleet.csv --store store --jobs 2" +
          codes);
  add_stage(fleet, run, "map", "first stage alone: logs to moments", &FleetRun::map,
            "One task of an array of 20:\n  heft fleet map fleet.csv --store store --shard 7/20");
  add_stage(fleet, run, "reduce",
            "second stage alone: sums of moments, for robots with many logs or a population prior",
            &FleetRun::reduce,
            "After all shards of map:\n  heft fleet reduce fleet.csv --store store --shard 7/20");
  const auto add_population = [&](const char* name) {
    return add_stage(
        fleet, run, name,
        "stage between reduce and solve: population priors, for robots that use one",
        &FleetRun::population,
        "After all shards of reduce; a shard has every n-th model. The stage solve computes missing priors:\n"
        "  heft fleet population fleet.csv --store store --prior population --shard 0/4");
  };
  add_population("population");
  add_population(kFormerPopulation)->group("");  // not in the help
  add_stage(fleet, run, "solve", "last stage alone: sums to results, validated on held-out logs",
            &FleetRun::solve,
            "After all shards of map; also computes the sums that reduce has not computed:\n"
            "  heft fleet solve fleet.csv --store store --shard 7/20");
  add_stage(
      fleet, run, "report", "write fleet.json, fleet.csv and fleet.html of the robots done so far",
      &FleetRun::report,
      "Reads only the store, no log. Use it while shards still run, or to apply other rules of the gate.\n"
      "  heft fleet report fleet.csv --store store --gate rules.yaml" +
          codes);
}

}  // namespace heft::tools
