// heft fleet: thousands of robots, their logs, one store.
#include "tools/heft/fleet.hpp"

#include <charconv>

#include "heft/report/report.hpp"

namespace heft::tools {

namespace {

Result<FleetShard> shard_of(const std::string& text) {
  FleetShard shard;
  const char *begin = text.data(), *end = begin + text.size();
  const auto index = std::from_chars(begin, end, shard.index);
  const bool has_slash = index.ec == std::errc() && index.ptr < end && *index.ptr == '/';
  const auto count = has_slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!has_slash || count.ec != std::errc() || count.ptr != end)
    return Error{"--shard", "'" + text + "' is not a shard", "write i/n, for instance 3/20"};
  return shard;
}

}  // namespace

void FleetFlags::add_to(CLI::App& command) {
  command
      .add_option("manifest", manifest,
                  "table of robots and logs (CSV or JSON lines; heft fleet manifest writes one)")
      ->required();
  command
      .add_option("--store", options.store,
                  "folder of the fleet, created if missing; finished work in it is not repeated")
      ->required();
  command.add_option(
      "--accept", options.accepted,
      "id of a doubt that you have investigated, as in heft identify; may be given several times");
  // only for the requested subcommand: constructing its hundred flags takes longer than checking a
  // hundred robots
  command.preparse_callback([this, &command](std::size_t) {
    configuration.add_to(command, {"--prior", "--solver", "--prior-weight", "--package-path",
                                   "--backend", "--rotors", "--lowpass"});
  });
}

Result<FleetPlan> FleetFlags::read() {
  for (const std::string& id : options.accepted) HEFT_CHECK(check_doubt_id(id));
  HEFT_TRY(part, shard_of(shard));
  options.shard = part;
  // an error in the flags is reported once, not for every robot
  HEFT_CHECK(configuration.configuration());
  options.configuration_of = [this](const std::string& path) -> Result<Configuration> {
    if (path.empty()) return configuration.configuration();
    HEFT_TRY(own, read_configuration(path));
    return configuration.with_flags(std::move(own));
  };
  HEFT_TRY(read, read_manifest(manifest));
  return plan_fleet(std::move(read));
}

std::string stage_name(const std::string& given) {
  if (given != kFormerPopulation) return given;
  note_renamed(given + " is now called population");
  return "population";
}

int fleet_exit_code(const FleetPlan& plan, const FleetOutcome& outcome) {
  if (outcome.is_stopped) return kStopped;
  const bool all_done = outcome.count(RobotState::done) == static_cast<int>(outcome.robots.size());
  return all_done && plan.errors.empty() ? kSuccess : kBadInput;
}

void add_fleet(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("fleet", "identify thousands of robots from one table of logs");
  command->require_subcommand(1);
  add_fleet_manifest(*command, run);
  add_fleet_check(*command, run);
  add_fleet_run(*command, run);
  add_fleet_status(*command, run);
  add_fleet_pieces(*command, run);
  command->footer(
      "A fleet is a table, one row per robot and log:\n"
      "  robot_id,robot,log,format,config,role\n"
      "  arm-17,arm.urdf,arm-17/monday.csv,,arm.yaml,train\n"
      "  arm-17,arm.urdf,arm-17/tuesday.csv,,arm.yaml,validate\n"
      "First steps:\n"
      "  heft fleet manifest logs --out fleet.csv\n"
      "  heft fleet check fleet.csv\n"
      "  heft fleet run fleet.csv --store store --dry-run\n"
      "  heft fleet run fleet.csv --store store\n"
      "Exit codes: 0 all robots done, 1 some failed (the others are done), 5 stopped by a signal or --time; "
      "run again to continue.");
}

}  // namespace heft::tools
