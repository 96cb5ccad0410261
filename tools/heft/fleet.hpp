// The command fleet and its subcommands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/run.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"

namespace heft::tools {

/// Adds the subcommand to `app`, and sets `run` if one of its subcommands is requested.
void add_fleet(CLI::App& app, Command& run);

// its subcommands
void add_fleet_manifest(CLI::App& fleet, Command& run);
void add_fleet_check(CLI::App& fleet, Command& run);
void add_fleet_run(CLI::App& fleet, Command& run);  ///< run, map, reduce, solve and report
void add_fleet_pieces(CLI::App& fleet, Command& run);
void add_fleet_status(CLI::App& fleet, Command& run);  ///< status and gc

/// Flags that the subcommands share.
struct FleetFlags {
  std::string manifest;
  FleetOptions options;
  ConfigurationFlags configuration;
  std::string shard = "0/1";
  bool quiet = false;

  void add_to(CLI::App& command);

  /// The plan; sets the options, with the configuration of each robot. Errors: those of
  /// read_manifest, invalid flags, unknown ids of doubts.
  Result<FleetPlan> read();
};

/// The former name of the stage population.
inline constexpr const char* kFormerPopulation = "sisters";

/// The present name of a stage; prints a note to standard error if `given` is a former name.
std::string stage_name(const std::string& given);

/// 0 all done, 1 some failed, 5 stopped.
int fleet_exit_code(const FleetPlan& plan, const FleetOutcome& outcome);

}  // namespace heft::tools
