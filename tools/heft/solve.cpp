// heft solve: estimate again from moments files, without the logs.
#include <memory>
#include <set>

#include "heft/identify/estimate.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"
#include "tools/heft/hand_over.hpp"
#include "tools/heft/spare_inputs.hpp"

namespace heft::tools {

namespace {

struct SolveFlags {
  std::vector<std::string> files;
  ConfigurationFlags configuration;
  std::string out = "heft_result";
  bool quiet = false;
};

Result<TrainingData> read_and_add(const std::vector<std::string>& files) {
  HEFT_TRY(data, read_moments_file(files.front()));
  for (std::size_t i = 1; i < files.size(); ++i) {
    HEFT_TRY(more, read_moments_file(files[i]));
    if (auto added = add(data, more); !added)
      return Error{files[i], added.error().what, "add only moments of the same robot with the same columns"};
  }
  return std::move(data);
}

/// Says which options of a configuration file come too late: what shaped the samples is settled. What the file leaves at its
/// default it does not ask for.
void warn_of_settled_options(const std::string& path, const Configuration& settled,
                             const Configuration& wanted) {
  std::set<std::string> asked;
  for (const OptionDifference& difference : option_differences({}, wanted)) asked.insert(difference.theirs);
  for (const OptionDifference& difference : option_differences(settled, wanted)) {
    if (!asked.contains(difference.theirs)) continue;
    std::fprintf(stderr, "heft: %s: %s has no effect here, the moments were gathered with %s\n", path.c_str(),
                 difference.theirs.c_str(), difference.ours.c_str());
  }
}

int run_solve(const SolveFlags& flags) {
  std::vector<std::string> inputs = flags.files;
  inputs.push_back(flags.configuration.path());
  if (auto spared = spare_inputs(result_files(flags.out), inputs); !spared) return fail(spared.error());
  auto data = read_and_add(flags.files);
  if (!data) return fail(data.error());
  // what shaped the samples is settled; of a configuration only the estimation counts
  auto configuration = flags.configuration.configuration_over(data->configuration);
  if (!configuration) return fail(configuration.error());
  if (!flags.configuration.path().empty())
    warn_of_settled_options(flags.configuration.path(), data->configuration, *configuration);
  auto identification = estimate(std::move(*data), configuration->estimation);
  if (!identification) return fail(identification.error());
  return hand_over(*identification, flags.out, flags.quiet);
}

}  // namespace

void add_solve(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("solve", "estimate again from moments, without the logs");
  auto flags = std::make_shared<SolveFlags>();
  command
      ->add_option("moments", flags->files,
                   "files that heft identify --moments wrote; several of one robot are added up")
      ->required();
  command->add_option(
      "--out", flags->out,
      "output directory for result.json, report.html and identified.urdf (default heft_result)");
  command->add_flag("--quiet", flags->quiet, "no tables, only where the result is");
  flags->configuration.add_to(*command,
                              {{"estimation.solver", "--solver"},
                               {"estimation.prior_weight", "--prior-weight"},
                               {"estimation.package_folders", "--package-path"}},
                              {"estimation"});
  command->footer(
      "Example:\n"
      "  heft identify --robot arm.urdf --log monday.csv --moments monday.heft --out monday\n"
      "  heft solve monday.heft tuesday.heft --prior-weight auto --out both\n"
      "Options that were in force when the moments were made hold unless a file or a flag says otherwise.");
  command->callback([flags, &run] { run = [flags] { return run_solve(*flags); }; });
}

}  // namespace heft::tools
