#include <cmath>
#include <memory>

#include "app/log_parts.hpp"
#include "heft/app/identify_files.hpp"
#include "heft/config/module_options.hpp"
#include "heft/report/report.hpp"
#include "heft/simulate/simulate.hpp"
#include "identify/gains.hpp"
#include "readers/log_formats.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/configuration_flags.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"
#include "tools/heft/write_and_print_result.hpp"

namespace heft::tools {

namespace {

struct IdentifyFlags {
  IdentifyFiles files;
  ConfigurationFlags configuration;
  std::string out = "heft_result";
  std::string moments;
  std::string truth;
  std::vector<std::string> accepted;
  bool quiet = false, keep_dynamics = false;
};

std::string distance_from_truth(const Identification& identification,
                                const Eigen::VectorXd& truth) {
  std::string text = "distance from the truth (torque of the difference, relative, free of noise):";
  for (const Estimate& estimate : identification.estimates) {
    const double relative =
        relative_distance(identification.data.moments, estimate.parameters, truth);
    char number[64];
    std::snprintf(number, sizeof number, " %s %.3f %%;", estimate.name.c_str(), 100 * relative);
    text += number;
  }
  text.back() = '\n';
  return text;
}

/// Moves a share such as --validate 40% from the held-out logs to the parts of the log.
Result<Done> settle_held_out_share(IdentifyFiles& files) {
  std::vector<std::string> logs;
  for (const std::string& text : files.validation_logs) {
    const auto share = app::held_out_share(text);
    if (!share) return share.error();
    if (*share && files.parts.held_out_share > 0)
      return Error{"--validate", "two shares are given", "give one, such as 40%"};
    if (*share)
      files.parts.held_out_share = **share;
    else
      logs.push_back(text);
  }
  files.validation_logs = std::move(logs);
  return Done{};
}

int run_identify(IdentifyFlags& flags) {
  for (const std::string& id : flags.accepted)
    if (const auto known = check_doubt_id(id); !known) return fail(known.error());
  if (auto settled = settle_held_out_share(flags.files); !settled) return fail(settled.error());
  auto configuration = flags.configuration.configuration();
  if (!configuration) return fail(configuration.error());
  if (flags.keep_dynamics) configuration->estimation.keep_dynamics = true;
  const ModelOptions model = model_options(*configuration);
  if (has_gain(model) && model.payloads.empty() && model.wrenches.empty() &&
      model.known_torque.empty())
    std::fprintf(stderr, "note: %s\n", kScaleNeedsLoad);
  flags.files.configuration = *configuration;
  std::vector<std::string> inputs = {flags.files.robot_path, configuration->robot.rotors_path,
                                     flags.configuration.path(), flags.truth};
  for (const auto* logs : {&flags.files.training_logs, &flags.files.validation_logs})
    inputs.insert(inputs.end(), logs->begin(), logs->end());
  std::vector<std::string> outputs = result_files(flags.out);
  outputs.push_back(flags.moments);
  if (auto spared = refuse_overwriting_inputs(outputs, inputs); !spared)
    return fail(spared.error());
  Result<Identification> identification = [&] {
    TerminalProgress progress;
    flags.files.progress = std::ref(progress);
    return identify_files(flags.files);
  }();
  if (!identification) return fail(flags.configuration.located(identification.error()));
  identification->accepted = flags.accepted;
  Eigen::VectorXd truth;
  if (!flags.truth.empty()) {
    auto known = read_truth(flags.truth, identification->plan());
    if (!known) return fail(known.error());
    truth = *known;
  }
  if (!flags.moments.empty())
    if (auto written = write_moments_file(identification->data, flags.moments); !written)
      return fail(written.error());
  if (truth.size() > 0) std::fputs(distance_from_truth(*identification, truth).c_str(), stdout);
  const int exit_code = write_and_print_result(*identification, flags.out, flags.quiet,
                                               configuration->estimation.package_folders);
  if (identification->choices.columns) {
    const auto chosen = write_chosen_configuration(
        *configuration, identification->choices.columns->chosen, flags.out);
    if (!chosen) return fail(chosen.error());
    std::printf("chosen: %s\n", chosen->c_str());
  }
  return exit_code;
}

}  // namespace

void add_identify(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("identify", "identify a robot from its logs");
  auto flags = std::make_shared<IdentifyFlags>();
  command->add_option("--robot", flags->files.robot_path, "robot description (URDF)")->required();
  command
      ->add_option("--log", flags->files.training_logs,
                   "training log (" + titles_of_log_formats() + "); may be given several times")
      ->required();
  command->add_option(
      "--validate", flags->files.validation_logs,
      "held-out log; may be given several times. 40% holds out the last 40 % of each training log");
  command->add_option("--start-s", flags->files.parts.start_s,
                      "use training rows from this time on [s]");
  command->add_option("--end-s", flags->files.parts.end_s, "use training rows up to this time [s]");
  command->add_option(
      "--out", flags->out,
      "output directory for result.json, report.html and identified.urdf (default heft_result)");
  command->add_option(
      "--moments", flags->moments,
      "also write the moments that heft solve needs to estimate again without the logs (*.heft)");
  command->add_option(
      "--truth", flags->truth,
      "truth.json of a simulated robot; prints the distance of the estimates from it");
  command->add_option(
      "--accept", flags->accepted,
      "id of a doubt (docs/doubts.md) that you have investigated: it stays in the result but no longer "
      "affects the verdict; may be given several times");
  command->add_flag(
      "--keep-dynamics", flags->keep_dynamics,
      "identified.urdf keeps the <dynamics> of the robot file (estimation.keep_dynamics)");
  command->add_flag("--quiet", flags->quiet,
                    "print only doubts and the paths of the results, no tables");
  flags->configuration.add_to(
      *command, {"--solver", "--columns", "--prior-weight", "--package-path", "--backend",
                 "--threads", "--rotors", "--lowpass", "--rows"});
  command->footer(
      "Example:\n"
      "  heft identify --robot arm.urdf --log a.csv --log b.csv --validate c.csv --config arm.yaml --out "
      "result\n"
      "Exit codes: 0 certified, or least squares was requested; 1 bad input; 3 no certificate; 4 certified, "
      "but a serious doubt is open (all files are written).\n"
      "The header of the log names t, q_<joint> (or q1, q2, ..), tau_<joint> and, if logged, qd_<joint> and "
      "qdd_<joint>.");
  command->callback([flags, &run] { run = [flags] { return run_identify(*flags); }; });
}

}  // namespace heft::tools
