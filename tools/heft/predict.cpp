#include "heft/predict/predict.hpp"

#include <cmath>
#include <filesystem>
#include <memory>

#include "heft/robot/robot_document.hpp"
#include "readers/log_formats.hpp"
#include "report/result_document.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/exit_code.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct PredictFlags {
  std::string model, log, out = "predicted.csv";
  std::string observer;  // its mode; empty: none
  ExternalTorqueOptions external;
  const CLI::Option *lowpass = nullptr, *threshold = nullptr;  // whether they are given
};

void print_observed(const PredictSummary& summary) {
  std::printf("alarms: %lld\n", summary.num_alarms);
  for (const auto& [joint, ratio] : summary.raised_thresholds)
    std::printf(
        "threshold of %s: from the residual of this log, %.3g times that of the identification; a constant "
        "external torque raises no alarm\n",
        printable(joint).c_str(), ratio);
  if (summary.num_unsettled > 0)
    std::printf(
        "external torque is unknown (nan) in %lld rows, where the observer has not settled\n",
        summary.num_unsettled);
  for (const auto& [joint, rows] : summary.without_torque)
    std::printf(
        "external torque of %s is unknown (nan) in %lld more rows, where its torque is missing\n",
        printable(joint).c_str(), rows);
}

int run_predict(const PredictFlags& flags) {
  namespace fs = std::filesystem;
  ExternalTorqueOptions external = flags.external;
  for (const auto& [flag, is_given] :
       {std::pair("--observer-hz", flags.lowpass && flags.lowpass->count() > 0),
        std::pair("--threshold", flags.threshold && flags.threshold->count() > 0)})
    if (is_given && flags.observer.empty())
      return fail(Error{flag, "applies only with --external-torque", "add --external-torque"});
  if (!flags.observer.empty()) {
    const auto mode = enum_value<ObserverMode>(flags.observer);
    if (!mode)
      return fail(Error{"--external-torque", "unknown observer '" + flags.observer + "'",
                        "use causal or zero_phase"});
    external.mode = *mode;
    if (*mode != ObserverMode::causal && flags.lowpass->count() > 0)
      return fail(
          Error{"--observer-hz",
                "applies to the causal observer; zero_phase uses the filter of the identification",
                "omit it, or use --external-torque"});
  }
  const fs::path result = result_path_of(flags.model);
  const std::vector<std::string> inputs = {flags.log, result,
                                           identified_file_in(result.parent_path().string()),
                                           result.parent_path() / "rotors.yaml"};
  if (auto spared = refuse_overwriting_inputs({flags.out}, inputs); !spared)
    return fail(spared.error());
  const auto summary = [&] {
    TerminalProgress progress;
    return flags.observer.empty()
               ? predict_log(flags.model, flags.log, flags.out, std::ref(progress))
               : predict_log(flags.model, flags.log, flags.out, external, std::ref(progress));
  }();
  if (!summary) return fail(summary.error());
  int exit_code = kSuccess;
  if (const auto document = read_result_document(flags.model)) {
    for (const std::string& doubt : open_doubts(*document))
      std::printf("doubt:  %s\n", printable(doubt).c_str());
    exit_code = exit_code_of(*document);
  }
  if (std::isfinite(summary->overall_relative))
    std::printf("%s: %lld rows, error %.2f %% of the torque over the used rows\n",
                flags.out.c_str(), summary->num_rows, 100 * summary->overall_relative);
  else
    std::printf("%s: %lld rows, none with a torque to compare\n", flags.out.c_str(),
                summary->num_rows);
  if (!flags.observer.empty()) print_observed(*summary);
  return exit_code;
}

}  // namespace

void add_predict(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("predict", "predict the torques of a log with an identified model");
  auto flags = std::make_shared<PredictFlags>();
  command
      ->add_option("--model", flags->model,
                   "output directory of heft identify or heft solve, or its result.json")
      ->required();
  command->add_option("--log", flags->log, "log to predict (" + titles_of_log_formats() + ")")
      ->required();
  command
      ->add_option("--out", flags->out,
                   "CSV to write: t, measured_<joint>, predicted_<joint>, used_<joint>")
      ->capture_default_str();
  command->add_flag(
      "--external-torque{causal}", flags->observer,
      "also write external_<joint> [N m or N], the external torque from a momentum observer, positive if it "
      "assists the motor, and alarm, 1 if any of them exceeds its threshold. causal uses past samples only; "
      "--external-torque=zero_phase uses future samples too");
  flags->lowpass =
      command
          ->add_option("--observer-hz", flags->external.lowpass_hz,
                       "bandwidth of the causal observer [Hz]; a higher one is faster but noisier")
          ->capture_default_str();
  flags->threshold =
      command
          ->add_option(
              "--threshold", flags->external.threshold,
              "threshold of the alarm, in multiples of each joint's rms residual in the identification")
          ->capture_default_str();
  command->footer(
      "Exit code 4: the model has an open serious doubt, as in heft identify.\n"
      "Examples:\n"
      "  heft predict --model result --log held_out.csv --out predicted.csv\n"
      "  heft predict --model result --log contact.csv --external-torque --out contact_predicted.csv");
  command->callback([flags, &run] { run = [flags] { return run_predict(*flags); }; });
}

}  // namespace heft::tools
