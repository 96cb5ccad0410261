// heft fleet pieces: paths of the files that a stage reads and writes.
#include "fleet/pieces.hpp"

#include "tools/heft/fleet.hpp"
#include "tools/heft/progress.hpp"

namespace heft::tools {

namespace {

int print_terms(const FleetPlan& plan, const FleetOptions& options) {
  const auto terms = terms_of(plan, options);
  if (!terms) return fail(terms.error());
  std::printf("options %s\nprior %s\n", terms->options.c_str(),
              terms->uses_population_prior ? "population" : "none");
  return kSuccess;
}

int run_pieces(FleetFlags& flags, const std::string& stage, bool prints_terms) {
  auto plan = flags.read();
  if (!plan) return fail(plan.error());
  if (prints_terms) return print_terms(*plan, flags.options);
  TerminalProgress progress;
  flags.options.progress = std::ref(progress);
  const auto names = pieces_of(*plan, flags.options, *enum_value<PieceStage>(stage));
  if (!names) return fail(names.error());
  for (const std::string& name : *names) std::printf("%s\n", name.c_str());
  return kSuccess;
}

}  // namespace

void add_fleet_pieces(CLI::App& fleet, Command& run) {
  CLI::App* command = fleet.add_subcommand(
      "pieces", "list the pieces that a stage reads and writes, to copy them between stores");
  auto flags = std::make_shared<FleetFlags>();
  auto stage = std::make_shared<std::string>("solve");
  auto prints_terms = std::make_shared<bool>(false);
  flags->add_to(*command);
  std::vector<std::string> stages;
  for (const auto& entry : EnumNames<PieceStage>::kList) stages.emplace_back(entry.name);
  command->add_option("--stage", *stage, "digests, map, reduce, population or solve (the default)")
      ->check(CLI::IsMember(stages))
      ->transform([](const std::string& given) { return stage_name(given); });
  command->add_option("--shard", flags->shard,
                      "i/n: every n-th part of the work, as for the stages");
  command->add_flag(
      "--terms", *prints_terms,
      "print instead what all users of the store must share: the digest of its options, and "
      "whether robots use a population prior");
  command->footer(
      "Prints one path per line, relative to the store; for results the folder. The stage digests needs only "
      "the logs' time stamps; the other stages read logs that the store does not know yet.\n"
      "Example:\n"
      "  heft fleet pieces fleet.csv --store store --stage map --shard 7/20");
  command->callback([flags, stage, prints_terms, &run] {
    run = [flags, stage, prints_terms] { return run_pieces(*flags, *stage, *prints_terms); };
  });
}

}  // namespace heft::tools
