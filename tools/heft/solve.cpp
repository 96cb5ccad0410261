// heft solve: estimate again from moments files, without the logs.
#include <memory>

#include "heft/app/identify_files.hpp"
#include "heft/report/report.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"
#include "tools/heft/moments_input.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"
#include "tools/heft/write_and_print_result.hpp"
#include "training/option_differences.hpp"

namespace heft::tools {

namespace {

struct SolveFlags {
  std::vector<std::string> files;
  ConfigurationFlags configuration;
  std::string out = "heft_result";
  std::vector<std::string> accepted;
  bool quiet = false, keep_dynamics = false;
};

/// Warns about options of a configuration file that come too late: they shape the samples.
void warn_of_settled_options(const std::string& path, const Configuration& settled,
                             const Configuration& wanted) {
  for (const OptionDifference& difference : option_differences(to_json(settled), to_json(wanted)))
    std::fprintf(stderr, "heft: %s: %s has no effect here; the moments were made with %s\n",
                 path.c_str(), difference.theirs.c_str(), difference.ours.c_str());
}

int run_solve(const SolveFlags& flags) {
  for (const std::string& id : flags.accepted)
    if (const auto known = check_doubt_id(id); !known) return fail(known.error());
  std::vector<std::string> inputs = flags.files;
  inputs.push_back(flags.configuration.path());
  if (auto spared = refuse_overwriting_inputs(result_files(flags.out), inputs); !spared)
    return fail(spared.error());
  auto data = read_and_add(flags.files);
  if (!data) return fail(data.error());
  // the options that shaped the samples are fixed; only the section estimation still applies
  const auto settled = configuration_of(*data, flags.files.front());
  if (!settled) return fail(settled.error());
  Configuration told = *settled;
  told.backend = {};  // the backend that made the moments may not exist here
  auto configuration = flags.configuration.configuration_over(told);
  if (!configuration) return fail(configuration.error());
  if (flags.keep_dynamics) configuration->estimation.keep_dynamics = true;
  if (!flags.configuration.path().empty())
    warn_of_settled_options(flags.configuration.path(), *settled, *configuration);
  auto identification = [&] {
    TerminalProgress progress;
    return estimate_again(std::move(*data), *settled, with_estimation_of(*settled, *configuration),
                          std::ref(progress));
  }();
  if (!identification) return fail(identification.error());
  identification->accepted = flags.accepted;
  return write_and_print_result(*identification, flags.out, flags.quiet,
                                configuration->estimation.package_folders);
}

}  // namespace

void add_solve(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("solve", "estimate again from moments, without the logs");
  auto flags = std::make_shared<SolveFlags>();
  command
      ->add_option(
          "moments", flags->files,
          "moments files written by heft identify --moments; several files of one robot are added")
      ->required();
  command->add_option(
      "--out", flags->out,
      "output directory for result.json, report.html and identified.urdf (default heft_result)");
  command->add_option(
      "--accept", flags->accepted,
      "id of a doubt that you have investigated, as in heft identify; may be given several times");
  command->add_flag(
      "--keep-dynamics", flags->keep_dynamics,
      "identified.urdf keeps the <dynamics> of the robot file (estimation.keep_dynamics)");
  command->add_flag("--quiet", flags->quiet,
                    "print only doubts and the paths of the results, no tables");
  flags->configuration.add_to(
      *command, {"--solver", "--prior-weight", "--package-path", "--backend", "--threads"},
      {"estimation", "backend"});
  command->footer(
      "Example:\n"
      "  heft identify --robot arm.urdf --log monday.csv --moments monday.heft --out monday\n"
      "  heft solve monday.heft tuesday.heft --prior-weight auto --out both\n"
      "Options keep the values with which the moments were made, unless a file or a flag sets them.");
  command->callback([flags, &run] { run = [flags] { return run_solve(*flags); }; });
}

}  // namespace heft::tools
